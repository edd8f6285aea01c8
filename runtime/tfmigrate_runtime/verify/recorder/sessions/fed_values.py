"""What the training steps of sessions are fed, in a few numbers.

``meta["fed"]`` (of every model) is, by the name of a placeholder, a list of ``[steps made before,
mean, standard deviation]``: enough to tell a different batch, or a different share of dropout, from
a different computation. ``sessions/first_batch.py`` keeps the first batch itself.
"""

from typing import Any, Dict, List, Optional

import numpy as np

_MOST_RUNS = 5000  # of one placeholder


def fed_tensor(key: Any) -> Any:
    """Returns the tensor of a key of a feed_dict: TensorFlow 2 wraps tensors that are keys."""
    return key.deref() if hasattr(key, "deref") else key


def add(about: Dict[str, Any], steps: int, feeds: Optional[Dict[Any, Any]]) -> None:
    """Adds a run to ``meta``.

    Args:
        about: the entries of a model.
        steps: how many were made before the run.
        feeds: what the run was fed, by tensor.
    """
    fed: Dict[str, List[List[float]]] = about.setdefault("fed", {})
    for tensor, value in (feeds or {}).items():
        tensor = fed_tensor(tensor)
        entries = fed.setdefault(str(getattr(tensor, "name", tensor)).split(":")[0], [])
        array = np.asarray(value)
        if array.dtype.kind not in "fiub" or not array.size or len(entries) >= _MOST_RUNS:
            continue
        numbers = array.astype(np.float64)
        if np.isfinite(numbers).all():
            entries.append([steps, float(numbers.mean()), float(numbers.std())])
