"""Makes the images that an appearance encoder is trained on, and the distances of their styles.

Each scene has four PNG files of one size (photo, rendering, depth and semantic map); the matrix of
distances is the pickle that the program would else compute by a network whose weights it downloads.

Usage: python appearance_triplets.py FOLDER
"""

from __future__ import annotations

import pickle
import struct
import sys
import zlib
from pathlib import Path

import numpy as np

SIDE = 64
# More than the 18 nearest and farthest neighbours that triplets are drawn from.
SCENES = 20


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


def main(folder):
    """Writes the images and the matrix."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(1)
    kinds = {"reference": (3,), "color": (4,), "depth": (), "seg_rgb": (3,)}
    for scene in range(SCENES):
        for kind, channels in kinds.items():
            image = random.randint(0, 256, size=(SIDE, SIDE, *channels)).astype(np.uint8)
            (folder / f"scene_{scene:02d}_{kind}.png").write_bytes(png(image))
    distances = random.uniform(size=(SCENES, SCENES))
    distances = distances + distances.T
    np.fill_diagonal(distances, 0.0)
    pickled = pickle.dumps({"dist_matrix": distances}, protocol=2)
    (folder / "dist_made_up.pckl").write_bytes(pickled)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
