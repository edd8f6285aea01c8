"""The format of MNIST's files, for the scripts that make such data."""

import struct

import numpy as np

_UBYTE = 0x08  # the idx format's code of unsigned bytes


def idx_bytes(array):
    """Returns an array of bytes as an idx file: its magic number, its shape, its values."""
    header = struct.pack(">HBB", 0, _UBYTE, array.ndim) + np.array(array.shape, ">u4").tobytes()
    return header + array.astype(np.uint8).tobytes()
