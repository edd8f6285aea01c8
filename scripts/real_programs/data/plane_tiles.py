"""Makes planes.pklz: made-up tiles of 20 x 20 pixels, with and without a plane, zipped and pickled.

The folder for it is the one argument.
"""

import gzip
import pickle
import sys
from pathlib import Path

import numpy as np

TILES = 500


def main(folder):
    """Writes the file: the bytes of all planes of red, of green, of blue, and the labels."""
    folder.mkdir(parents=True, exist_ok=True)
    generator = np.random.RandomState(9)
    labels = generator.randint(0, 2, TILES)
    tiles = generator.randint(0, 200, (TILES, 3 * 20 * 20)) + 50 * labels[:, None]
    planes = {"data": tiles.astype(np.uint8), "labels": labels.astype(np.uint8).tolist()}
    with gzip.open(str(folder / "planes.pklz"), "wb") as stream:
        pickle.dump(planes, stream, protocol=2)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
