"""Lets eager programs of TensorFlow 2 shuffle again as those of TensorFlow 1.x do.

``for epoch in ...: for batch in dataset.shuffle(1000).batch(32)`` is how most eager programs of
TensorFlow 1.x train. Rows come in the same order in each of its epochs there, as far as the seed is
the same: each iterator is of a copy of the dataset, and only ``repeat`` shuffles again. TensorFlow
2, and 1.x with ``enable_v2_behavior()``, draws a new order. Where the program has no seed both are
chance, which is pinned here; where it has one, the difference is the program's own, and is found.

Private names of TensorFlow that are touched, and why no public one does:

========================================= ==========================================================
name (module tensorflow.python...)        what for
========================================= ==========================================================
data.ops.shuffle_op._ShuffleDataset, .tf2 the op that keeps its state in a dataset
data.ops.dataset_ops.DatasetV2.__iter__,  where a dataset is iterated
reduce
ops.gen_dataset_ops.optimize_dataset_v2   copies a dataset, as every iteration in 1.x did
========================================= ==========================================================
"""

import functools
import inspect
import json
from typing import Any, Dict

import numpy as np

from ..program import wrapping

_seeded_count = [0]  # datasets that are shuffled with a seed of the program


def about_run() -> Dict[str, bool]:
    """Returns what the trace of an eager program has of it."""
    try:
        from tensorflow.python import tf2
    except ImportError:
        return {"shuffles_again": False}  # before 1.13
    return {"shuffles_again": bool(tf2.enabled())}


def install(path: str) -> bool:
    """Shuffles as the original does, if it trains eagerly; returns whether it does.

    Args:
        path: of the original's trace.
    """
    with np.load(path, allow_pickle=False) as stored:
        about = json.loads(str(stored["meta"])).get("eager") if "meta" in stored.files else None
    if not isinstance(about, dict) or about["shuffles_again"]:
        return bool(about)
    try:
        from tensorflow.python.data.ops import dataset_ops, shuffle_op
    except ImportError:
        return True  # TensorFlow 1.x

    kind = shuffle_op._ShuffleDataset
    wrapping.wrap(kind, "__init__", functools.partial(_in_dataset, shuffle_op))
    base = dataset_ops.DatasetV2
    wrapping.wrap(base, "__iter__", _of_copy)
    wrapping.wrap(base, "reduce", _of_copy)  # loops in functions are one
    return True


def _in_dataset(module: Any, original: Any, *arguments: Any, **options: Any) -> None:
    passed = inspect.signature(original).bind(*arguments, **options).arguments
    if passed.get("seed") is not None:
        _seeded_count[0] += 1
        original(*arguments, **options)
        return
    version_1 = wrapping.With(module.tf2, "enabled", lambda: False)
    with wrapping.setting(module, "tf2", version_1):
        original(*arguments, **options)


def _of_copy(original: Any, this: Any, *arguments: Any, **options: Any) -> Any:
    # Functions are given datasets of which nothing is known.
    return original(this if _seeded_count[0] else _copy_of(this), *arguments, **options)


def _copy_of(dataset: Any) -> Any:
    from tensorflow.python.data.ops import dataset_ops
    from tensorflow.python.ops import gen_dataset_ops

    structure = dataset._flat_structure
    copy = gen_dataset_ops.optimize_dataset_v2(
        dataset._variant_tensor, ["noop_elimination"], [], [], **structure
    )
    return dataset_ops.UnaryUnchangedStructureDataset(dataset, copy)
