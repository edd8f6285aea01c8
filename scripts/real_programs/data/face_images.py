"""Makes small made-up images in one folder, as PNG files.

The folder for them is the one argument.
"""

import sys
from pathlib import Path

import numpy as np
from png_bytes import png

IMAGES = 56
HEIGHT, WIDTH = 60, 50


def main(folder):
    """Writes the images: noise on a brighter half."""
    folder.mkdir(parents=True, exist_ok=True)
    generator = np.random.RandomState(15)
    for image in range(IMAGES):
        pixels = generator.randint(0, 120, (HEIGHT, WIDTH, 3))
        pixels[: HEIGHT // 2] += 100
        (folder / f"{image:03d}.png").write_bytes(png(pixels.astype(np.uint8)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
