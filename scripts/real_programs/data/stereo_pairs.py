"""Makes small stereo pairs as PNG files, and the list of them that monodepth's programs read.

    python stereo_pairs.py FOLDER

The right image is the left one moved by a few pixels, so that there is a disparity to learn.
"""

import struct
import sys
import zlib
from pathlib import Path

import numpy as np

PAIRS, HEIGHT, WIDTH, DISPARITY = 24, 64, 96, 3


def _chunk(kind, data):
    """Returns a chunk of a PNG file: length, kind, data, checksum."""
    checksum = struct.pack(">I", zlib.crc32(kind + data) & 0xFFFFFFFF)
    return struct.pack(">I", len(data)) + kind + data + checksum


def _write_png(path, image):
    """Writes an image of bytes [height, width, 3] as a PNG file without filters."""
    height, width, _ = image.shape
    lines = b"".join(b"\0" + line.tobytes() for line in image)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits, colours
    chunks = [_chunk(b"IHDR", header), _chunk(b"IDAT", zlib.compress(lines)), _chunk(b"IEND", b"")]
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))


def main(folder):
    """Writes the pairs, and pairs.txt with two file names a line."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(0)
    lines = []
    for pair in range(PAIRS):
        coarse = random.randint(0, 256, (HEIGHT // 8, WIDTH // 8 + 1, 3))
        scene = coarse.repeat(8, axis=0).repeat(8, axis=1).astype(np.uint8)
        left, right = f"left_{pair:02}.png", f"right_{pair:02}.png"
        _write_png(folder / left, scene[:, :WIDTH])
        _write_png(folder / right, scene[:, DISPARITY : DISPARITY + WIDTH])
        lines.append(f"{left} {right}\n")
    (folder / "pairs.txt").write_text("".join(lines))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
