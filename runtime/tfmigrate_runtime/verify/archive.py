"""Archives of arrays (``.npz``), written without the time and memory that large models take.

``numpy.savez_compressed`` spent three quarters of the recording of a convolutional model of 13
million weights on compressing them, by an eighth at most: weights are noise to zlib. So large
arrays that do not become much smaller are stored as they are. It also needs every array at once,
where the recorder holds the values after each step by themselves.
"""

import zipfile
import zlib
from typing import Any, BinaryIO, Mapping

_SMALL = 1 << 20  # bytes that are compressed without a look at them
_PIECES, _PIECE = 32, 4096  # of a large array, which tell whether compressing is worth its time
_WORTH_IT = 0.8  # of the bytes before


def write(stream: BinaryIO, text: str, arrays: Mapping[str, Any]) -> None:
    """Writes an archive that ``numpy.load`` reads.

    Args:
        stream: where to write it.
        text: what is written as ``meta``, JSON.
        arrays: by name; a list of arrays is stacked.
    """
    import numpy as np

    with zipfile.ZipFile(stream, "w", allowZip64=True) as archive:
        for name, value in [("meta", np.asarray(text)), *arrays.items()]:
            array = np.stack(value) if isinstance(value, list) else np.asanyarray(value)
            member = zipfile.ZipInfo(name + ".npy")
            member.compress_type = zipfile.ZIP_DEFLATED if _shrinks(array) else zipfile.ZIP_STORED
            with archive.open(member, "w", force_zip64=True) as file:
                np.lib.format.write_array(file, array, allow_pickle=False)


def _shrinks(array: Any) -> bool:
    """Returns whether compressing an array is worth the time."""
    if array.nbytes <= _SMALL:
        return True
    items = array.reshape(-1)
    length = max(_PIECE // array.itemsize, 1)
    starts = range(0, items.size - length, max(items.size // _PIECES, 1))
    pieces = b"".join(items[start : start + length].tobytes() for start in starts)
    return len(zlib.compress(pieces, 1)) < _WORTH_IT * len(pieces)
