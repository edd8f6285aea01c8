"""Makes small images of two kinds, in the folders of CycleGAN.

python two_styles.py FOLDER
"""

import sys
from pathlib import Path

import numpy as np
from png_bytes import png


def main(folder):
    """Writes trainA, trainB, testA and testB."""
    random = np.random.RandomState(0)
    for seed, name in enumerate(("trainA", "trainB", "testA", "testB")):
        (folder / name).mkdir(parents=True, exist_ok=True)
        for number in range(3):
            image = random.randint(0, 120, (36, 36, 3)) + 60 * (seed % 2)
            (folder / name / f"{number}.png").write_bytes(png(image.astype(np.uint8)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
