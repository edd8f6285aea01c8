"""PNG files from arrays, for makers of data that shall need no more than numpy."""

from __future__ import annotations

import struct
import zlib

import numpy as np


def png(array):
    """Returns the bytes of a PNG of a uint8 array [height, width] or [height, width, channels]."""
    height, width = array.shape[:2]
    colour_type = {1: 0, 3: 2, 4: 6}[1 if array.ndim == 2 else array.shape[2]]
    # Each row begins with its filter: 0, none.
    rows = np.concatenate([np.zeros((height, 1), np.uint8), array.reshape(height, -1)], axis=1)

    def chunk(kind, content):
        checksum = struct.pack(">I", zlib.crc32(kind + content))
        return struct.pack(">I", len(content)) + kind + content + checksum

    header = struct.pack(">IIBBBBB", width, height, 8, colour_type, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows.tobytes()))
        + chunk(b"IEND", b"")
    )
