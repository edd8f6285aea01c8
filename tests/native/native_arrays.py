"""Arrays by name in one small file, and sketches of random numbers. For Python 3.7, too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from native_cases import QUANTILES


def pack(path: Path, arrays: dict[str, Any]) -> None:
    """Writes arrays, each with its kind of type: one array of all numbers, one list of shapes."""
    index = [[name, list(a.shape), a.dtype.kind] for name, a in arrays.items()]
    numbers = [np.asarray(a, np.float32).ravel() for a in arrays.values()]
    text = np.frombuffer(json.dumps(index).encode(), np.uint8)
    np.savez_compressed(str(path), index=text, numbers=np.concatenate(numbers))


def unpack(path: Path) -> dict[str, Any]:
    """Returns the arrays of a file; of numbers that were no floats, as integers."""
    with np.load(path, allow_pickle=False) as file:
        index, numbers = json.loads(file["index"].tobytes()), file["numbers"]
    found = {}
    start = 0
    for name, shape, kind in index:
        size = int(np.prod(shape))
        array = numbers[start : start + size].reshape(shape)
        found[name] = array if kind == "f" else array.astype(np.int64)
        start += size
    return found


def sketch(values: Any) -> Any:
    """Returns the mean, the standard deviation and quantiles of numbers, and how orthogonal."""
    rows = values.reshape(-1, values.shape[-1]).astype(np.float64)
    product = rows.T @ rows
    crossed = np.abs(product - np.diag(np.diag(product))).max()
    found = [values.mean(), values.std(), *np.quantile(values, QUANTILES)]
    return np.array([*found, crossed if crossed < 1e-3 else -1.0], np.float32)
