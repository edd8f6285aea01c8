"""Seeds of ops that are given none, as TensorFlow 1.15 numbered them.

``tf.set_random_seed`` gives a graph its seed; an op without one of its own takes the number of ops
that the graph has so far (random_seed.get_seed of TF 1.15), where TensorFlow counts random ops
today. A program draws the numbers that it drew with 1.15 as long as its functions make as many ops
as those of 1.15 made. They mostly do; ``random_uniform`` and ``dropout`` make those of 1.15 here,
and what some layers made more is counted as if it were there.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import numbers
from collections.abc import Callable
from typing import Any

_TF = "tensorflow.python"
_LAYERS = "tf_keras.src.layers"
_MORE_OPS = "_tfmigrate_more_ops"


def number_as_tensorflow_1_15(tensorflow: Any) -> None:
    """Lets this process number its ops' seeds as TensorFlow 1.15 did."""
    random_seed: Any = importlib.import_module(f"{_TF}.framework.random_seed")
    if hasattr(random_seed.get_seed, "_counts_ops"):
        return
    v1 = tensorflow.compat.v1
    get_seed = _counting(random_seed.get_seed)
    random_seed.get_seed = v1.get_seed = v1.random.get_seed = get_seed
    random_ops: Any = importlib.import_module(f"{_TF}.ops.random_ops")
    random_uniform = _uniform_of_1_15(random_ops.random_uniform)
    random_ops.random_uniform = v1.random_uniform = v1.random.uniform = random_uniform
    nn_ops: Any = importlib.import_module(f"{_TF}.ops.nn_ops")
    nn_ops._dropout = _dropout_of_1_15(nn_ops._dropout)
    _count_more(
        f"{_LAYERS}.convolutional.base_conv", "Conv.call", lambda *_, **__: 1
    )  # dilation_rate
    _count_more(f"{_LAYERS}.reshaping.flatten", "Flatten.call", _more_of_flatten)
    _count_more(f"{_LAYERS}.core.dense", "Dense.call", _more_of_dense)
    normalization = f"{_LAYERS}.normalization.batch_normalization"
    _count_more(normalization, "BatchNormalizationBase._fused_batch_norm", _more_of_fused)
    _count_more(
        "tf_keras.src.regularizers", "L1.__call__", lambda *_, **__: 2
    )  # 0 + ..., and two ops
    _count_more("tf_keras.src.regularizers", "L2.__call__", lambda *_, **__: 4)  # for one of today
    for cell in ("BasicLSTMCell", "GRUCell", "LSTMCell"):  # the axis of their split
        _count_more(f"{_LAYERS}.rnn.legacy_cells", f"{cell}.call", lambda *_, **__: 1)
    _count_more(f"{_TF}.ops.tensor_array_ops", "_GraphTensorArray.stack", lambda *_, **__: 1)


def _counting(todays: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Returns ``get_seed``: (None, None) without seeds, (graph's, op's) with one of them."""
    context: Any = importlib.import_module(f"{_TF}.eager.context")
    ops: Any = importlib.import_module(f"{_TF}.framework.ops")

    @functools.wraps(todays)
    def get_seed(op_seed: int | None) -> Any:
        graph = ops.get_default_graph()
        if op_seed is None and not context.executing_eagerly() and graph.seed is not None:
            if hasattr(graph, "_seed_used"):
                graph._seed_used = True
            op_seed = graph.version + getattr(graph, _MORE_OPS, 0)
        return todays(op_seed)

    get_seed._counts_ops = True  # type: ignore[attr-defined]
    return get_seed


def _uniform_of_1_15(todays: Callable[..., Any]) -> Callable[..., Any]:
    """Returns ``tf.random_uniform``, which scales numbers between 0 and 1 too."""

    @functools.wraps(todays)
    def random_uniform(
        shape: Any,
        minval: Any = 0,
        maxval: Any = None,
        dtype: Any = "float32",
        seed: int | None = None,
        name: str | None = None,
    ) -> Any:
        tensorflow: Any = importlib.import_module("tensorflow")
        if tensorflow.as_dtype(dtype).is_floating:
            # Floats: TensorFlow leaves out ops where it sees the integers 0 and 1.
            minval = float(minval) if isinstance(minval, int) else minval
            maxval = 1.0 if maxval is None else maxval
        return todays(shape, minval, maxval, dtype, seed, name)

    return random_uniform


def _dropout_of_1_15(todays: Callable[..., Any]) -> Callable[..., Any]:
    """Returns what ``tf.nn.dropout`` calls: x * 1 / (1 - rate) * (uniform numbers >= rate)."""
    context: Any = importlib.import_module(f"{_TF}.eager.context")
    nn_ops: Any = importlib.import_module(f"{_TF}.ops.nn_ops")

    @functools.wraps(todays)
    def dropout(
        x: Any,
        rate: Any,
        noise_shape: Any,
        uniform_sampler: Callable[..., Any],
        dummy_rng_step: Callable[[], None],
        name: str | None,
        default_name: str,
    ) -> Any:
        is_valid = not isinstance(rate, numbers.Real) or 0 < float(rate) < 1
        if context.executing_eagerly() or not is_valid:
            return todays(x, rate, noise_shape, uniform_sampler, dummy_rng_step, name, default_name)
        tf: Any = importlib.import_module("tensorflow").compat.v1
        with tf.name_scope(name, default_name, [x]):
            x = tf.convert_to_tensor(x, name="x")
            rate = tf.convert_to_tensor(rate, dtype=x.dtype, name="rate")
            rate.get_shape().assert_has_rank(0)
            drawn = uniform_sampler(shape=nn_ops._get_noise_shape(x, noise_shape), dtype=x.dtype)
            scale = 1 / (1 - rate)
            kept = x * scale * tf.cast(drawn >= rate, x.dtype)
            kept.set_shape(x.get_shape())
            return kept

    return dropout


def _rank(inputs: Any) -> int:
    return inputs.shape.rank or 0


def _more_of_dense(inputs: Any) -> int:
    """Once, tensordot transposed and reshaped the kernel, though it was in order."""
    known = inputs.shape.is_fully_defined()
    return 0 if _rank(inputs) <= 2 else 6 if known else 4


def _more_of_flatten(inputs: Any) -> int:
    """Flatten took an unknown batch size from the tensor, where it says -1 today."""
    return 6 if _rank(inputs) > 1 and inputs.shape.as_list()[0] is None else 0


def _more_of_fused(inputs: Any, mask: Any = None, training: Any = None) -> int:
    """Empty statistics, and the momentum; with a tensor for ``training`` the ops are the same."""
    del inputs, mask
    return (2 if training else 1) if isinstance(training, bool | int) else 0


def _count_more(module: str, path: str, more: Callable[..., int]) -> None:
    """Counts ops that a method made in 1.15 and makes no more, once it has made its others."""
    ops: Any = importlib.import_module(f"{_TF}.framework.ops")
    owner_name, name = path.split(".")
    owner = getattr(importlib.import_module(module), owner_name)
    method = vars(owner)[name]

    @functools.wraps(method)
    def counted(self: Any, *arguments: Any, **options: Any) -> Any:
        found = method(self, *arguments, **options)
        graph = ops.get_default_graph()
        count = getattr(graph, _MORE_OPS, 0) + more(*arguments, **options)
        setattr(graph, _MORE_OPS, count)
        return found

    # Keras asks getfullargspec whether a call takes "training": that looks here, not at wraps.
    counted.__signature__ = inspect.signature(method)  # type: ignore[attr-defined]
    setattr(owner, name, counted)
