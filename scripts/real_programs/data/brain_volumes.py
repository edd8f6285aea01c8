"""Makes small NIfTI volumes with labels, and the CSV that lists them.

Usage: python brain_volumes.py FOLDER
"""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import numpy as np

SIDE = 16
VOLUMES = 2
# NIfTI-1's codes of data types, and their bits.
CODES = {np.dtype("<f4"): (16, 32), np.dtype("<i2"): (4, 16)}


def nifti(array):
    """Returns the bytes of a NIfTI-1 file (.nii) of a 3D array, after the standard's header."""
    code, bits = CODES[array.dtype]
    header = bytearray(352)
    struct.pack_into("<i", header, 0, 348)
    struct.pack_into("<8h", header, 40, 3, *array.shape, 1, 1, 1, 1)
    struct.pack_into("<2h", header, 70, code, bits)
    struct.pack_into("<8f", header, 76, *([1.0] * 8))
    # Where the data begins, the slope of its scale, and the identity as the sform of its space.
    struct.pack_into("<2f", header, 108, 352.0, 1.0)
    struct.pack_into("<h", header, 254, 1)
    for row in range(3):
        struct.pack_into("<f", header, 280 + 20 * row, 1.0)
    header[344:348] = b"n+1\0"
    return bytes(header) + array.tobytes(order="F")


def main(folder):
    """Writes the volumes: labels are 1 where a smooth field is positive."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(1)
    lines = ["features,labels"]
    for number in range(VOLUMES):
        coarse = random.normal(size=(4, 4, 4))
        field = coarse.repeat(4, axis=0).repeat(4, axis=1).repeat(4, axis=2)
        features = (field + 0.3 * random.normal(size=field.shape)).astype("<f4")
        arrays = {"features": features, "labels": (field > 0).astype("<i2")}
        paths = {kind: folder / f"{kind}_{number}.nii" for kind in arrays}
        for kind, array in arrays.items():
            paths[kind].write_bytes(nifti(array))
        lines.append(",".join(str(path) for path in paths.values()))
    (folder / "volumes.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
