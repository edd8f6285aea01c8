"""Makes the pickles of CIFAR-10 with few images of 4 x 4 pixels.

Usage: python cifar10_pickles.py FOLDER
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import numpy as np

IMAGES, SIDE = 8, 4
NAMES = [*(f"data_batch_{number}" for number in range(1, 6)), "test_batch"]


def main(folder):
    """Writes the files of training and the one of the test."""
    folder = folder / "cifar-10-python/cifar-10-batches-py"
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(1)
    for name in NAMES:
        made = {
            "data": random.randint(0, 256, size=(IMAGES, 3 * SIDE * SIDE)).astype(np.uint8),
            "labels": random.randint(0, 10, size=IMAGES).tolist(),
        }
        (folder / name).write_bytes(pickle.dumps(made, protocol=2))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
