"""Seeds of ops that are given none, as TensorFlow 1.15 numbered them.

``tf.set_random_seed`` gives a graph its seed; an op without one of its own takes the number of ops
that the graph has so far (random_seed.get_seed of TF 1.15), where TensorFlow counts random ops
today. A program draws the numbers that it drew with 1.15 as long as its functions make as many ops
as those of 1.15 made. They mostly do; ``random_uniform`` and ``dropout`` make those of 1.15 here,
and what some layers made more is counted as if it were there.
"""

import functools
import importlib
import inspect
import numbers
from collections.abc import Callable
from typing import Any

_MORE_OPS = "_tfmigrate_more_ops"


def number_as_tensorflow_1_15(tensorflow: Any) -> None:
    """Lets this process number its ops' seeds as TensorFlow 1.15 did."""
    from tfmigrate_runtime.compat.shim_seeds import nn_ops, random_ops, random_seed

    if hasattr(random_seed.get_seed, "_counts_ops"):
        return
    v1 = tensorflow.compat.v1
    get_seed = _counting(random_seed.get_seed)
    random_seed.get_seed = v1.get_seed = v1.random.get_seed = get_seed
    random_uniform = _uniform_of_1_15(random_ops.random_uniform)
    random_ops.random_uniform = v1.random_uniform = v1.random.uniform = random_uniform
    nn_ops._dropout = _dropout_of_1_15(nn_ops._dropout)
    _count_more_in_layers()


def _count_more_in_layers() -> None:
    from tfmigrate_runtime.compat import shim_keras as keras
    from tfmigrate_runtime.compat.shim_layers import _GraphTensorArray

    _count_more(keras.Conv, "call", lambda *_, **__: 1)  # dilation_rate
    _count_more(keras.Flatten, "call", _more_of_flatten)
    _count_more(keras.Dense, "call", _more_of_dense)
    _count_more(keras.BatchNormalizationBase, "_fused_batch_norm", _more_of_fused)
    _count_more(keras.L1, "__call__", lambda *_, **__: 2)  # 0 + ..., and two ops
    _count_more(keras.L2, "__call__", lambda *_, **__: 4)  # for one of today
    for cell in ("BasicLSTMCell", "GRUCell", "LSTMCell"):  # the axis of their split
        _count_more(getattr(keras.legacy_cells, cell), "call", lambda *_, **__: 1)
    _count_more(_GraphTensorArray, "stack", lambda *_, **__: 1)


def _counting(todays: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Returns ``get_seed``: (None, None) without seeds, (graph's, op's) with one of them."""
    from tfmigrate_runtime.compat.shim_seeds import context, ops

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
    from tfmigrate_runtime.compat.shim_seeds import context, nn_ops

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
            scaled = x * (1 / (1 - rate)) * tf.cast(drawn >= rate, x.dtype)
            scaled.set_shape(x.get_shape())
            return scaled

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
    return (2 if training else 1) if isinstance(training, bool | int) else 0


def _count_more(owner: Any, name: str, more: Callable[..., int]) -> None:
    """Counts ops that a method made in 1.15 and makes no more, once it has made its others."""
    from tfmigrate_runtime.compat.shim_seeds import ops

    method = vars(owner)[name]

    @functools.wraps(method)
    def counted(self: Any, *arguments: Any, **options: Any) -> Any:
        returned = method(self, *arguments, **options)
        graph = ops.get_default_graph()
        setattr(graph, _MORE_OPS, getattr(graph, _MORE_OPS, 0) + more(*arguments, **options))
        return returned

    # Keras asks getfullargspec whether a call takes "training": that looks here, not at wraps.
    counted.__signature__ = inspect.signature(method)  # type: ignore[attr-defined]
    setattr(owner, name, counted)
