"""Archives of arrays (``.npz``), written without the time and memory that large models take.

``numpy.savez_compressed`` spent three quarters of the recording of a convolutional model of 13
million weights on compressing them, by an eighth at most: weights are noise to zlib. So large
arrays that do not become much smaller are stored as they are. It also needs every array at once,
where the recorder holds the values after each step by themselves.

What is stored as it is, is mapped when it is read: the states after twenty steps of that model, of
which a comparison takes four recordings, are 3 GB each. The system reads what is asked for, and
can drop it again.
"""

import os
import tempfile
import zipfile
import zlib
from typing import Any, BinaryIO, Dict, Mapping, Tuple

_SMALL = 1 << 20  # bytes that are compressed without a look at them
_PIECES, _PIECE = 32, 4096  # of a large array, which tell whether compressing is worth its time
_WORTH_IT = 0.8  # of the bytes before
_HEADER = 30  # bytes before a member's name, the lengths of its name and extra field last
_OF_LENGTHS = 20  # bytes that zipfile adds to the extra field of a member of any length
_PADDING_ID = b"\x35\xd9"  # what tools that align archives write
_ALIGNED = 64


def write(path: str, text: str, arrays: Mapping[str, Any]) -> None:
    """Writes an archive that ``numpy.load`` reads, whole or not at all.

    Args:
        path: where to. A file that is there may be mapped: it is replaced, not changed.
        text: what is written as ``meta``, JSON.
        arrays: by name; a list of arrays is stacked.
    """
    handle, temporary = tempfile.mkstemp(suffix=".npz", dir=os.path.dirname(os.path.abspath(path)))
    try:
        with os.fdopen(handle, "wb") as stream:
            _write(stream, text, arrays)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _write(stream: BinaryIO, text: str, arrays: Mapping[str, Any]) -> None:
    import numpy as np

    with zipfile.ZipFile(stream, "w", allowZip64=True) as archive:
        for name, value in [("meta", np.asarray(text)), *arrays.items()]:
            array = np.stack(value) if isinstance(value, list) else np.asanyarray(value)
            member = zipfile.ZipInfo(name + ".npy")
            if _shrinks(array):
                member.compress_type = zipfile.ZIP_DEFLATED
            else:
                member.extra = _padding(stream.tell() + _HEADER + len(member.filename.encode()))
            with archive.open(member, "w", force_zip64=True) as file:
                np.lib.format.write_array(file, array, allow_pickle=False)


def _padding(end_of_name: int) -> bytes:
    """Returns an extra field after which the numbers of a member are aligned."""
    count = -(end_of_name + len(_PADDING_ID) + 2 + _OF_LENGTHS) % _ALIGNED
    return _PADDING_ID + count.to_bytes(2, "little") + bytes(count)


def _shrinks(array: Any) -> bool:
    """Returns whether compressing an array is worth the time."""
    if array.nbytes <= _SMALL:
        return True
    items = array.reshape(-1)
    length = max(_PIECE // array.itemsize, 1)
    starts = range(0, items.size - length, max(items.size // _PIECES, 1))
    pieces = b"".join(items[start : start + length].tobytes() for start in starts)
    return len(zlib.compress(pieces, 1)) < _WORTH_IT * len(pieces)


def read(path: str, leads: Tuple[str, ...] = ("",)) -> Dict[str, Any]:
    """Returns the arrays of an archive by name; large ones are mapped, to be changed privately.

    Args:
        path: the file.
        leads: how the names of those begin that are wanted.

    Raises:
        OSError: there is no such file.
        ValueError: an array is damaged, or has pickled objects.
        zipfile.BadZipFile: it is no archive.
    """
    import numpy as np

    arrays = {}
    with zipfile.ZipFile(path) as archive, open(path, "rb") as file:
        for member in archive.infolist():
            name = member.filename[: -len(".npy")]
            if not name.startswith(leads):
                continue
            if member.compress_type == zipfile.ZIP_STORED and member.file_size > _SMALL:
                arrays[name] = _mapped(file, member.header_offset)
            else:
                with archive.open(member) as stream:
                    arrays[name] = np.lib.format.read_array(stream, allow_pickle=False)
    return arrays


def _mapped(file: Any, header: int) -> Any:
    """Returns the array of a member that is stored as it is, whose header begins there."""
    import numpy as np

    file.seek(header + _HEADER - 4)
    lengths = [int.from_bytes(file.read(2), "little") for _ in range(2)]
    file.seek(sum(lengths), os.SEEK_CUR)
    version = np.lib.format.read_magic(file)
    reads = np.lib.format.read_array_header_1_0
    if version != (1, 0):
        reads = np.lib.format.read_array_header_2_0
    shape, is_fortran, dtype = reads(file)
    if dtype.hasobject:
        raise ValueError("an array has pickled objects")
    order: Any = "F" if is_fortran else "C"
    return np.asarray(np.memmap(file, dtype, "c", file.tell(), shape, order))
