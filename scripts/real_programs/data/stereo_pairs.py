"""Makes pairs of small images, the right one the left one shifted, and files.txt with their names.

Usage: python stereo_pairs.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from png_bytes import png

PAIRS = 6
SIDE = 128
SHIFT = 4  # pixels


def main(folder):
    """Writes left and right images and the list of them."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(3)
    lines = []
    for number in range(PAIRS):
        coarse = random.randint(0, 255, size=(SIDE // 16, SIDE // 16, 3))
        left = coarse.repeat(16, axis=0).repeat(16, axis=1).astype(np.uint8)
        names = f"left{number}.png", f"right{number}.png"
        (folder / names[0]).write_bytes(png(left))
        (folder / names[1]).write_bytes(png(np.roll(left, -SHIFT, axis=1)))
        lines.append(" ".join(names))
    (folder / "files.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
