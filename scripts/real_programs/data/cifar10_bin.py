"""Makes CIFAR-10's binary files (cifar-10-batches-bin/data_batch_1.bin ...) with made-up images.

They are there packed, too, as cifar-10-binary.tar.gz: programs that find it download nothing.

Every class has a colour of its own under noise, so that a model has something to learn.

Usage: python cifar10_bin.py FOLDER
"""

from __future__ import annotations

import sys
import tarfile
from pathlib import Path

import numpy as np

PIXELS = 3 * 32 * 32
CLASSES = 10
# Few images for each file: the programs make an epoch of all of them.
COUNT = 32


def records(random):
    """Returns uint8 records [32, 3073]: a label and the image, channel after channel."""
    labels = random.randint(0, CLASSES, size=COUNT).astype(np.uint8)
    colours = np.random.RandomState(7).randint(0, 160, size=(CLASSES, 3)).repeat(32 * 32, axis=1)
    images = colours[labels] + random.randint(0, 96, size=(COUNT, PIXELS))
    return np.concatenate([labels[:, None], images.astype(np.uint8)], axis=1)


def main(folder):
    """Writes the five files for training and the one for tests."""
    folder = folder / "cifar-10-batches-bin"
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(1)
    for name in [*(f"data_batch_{number}" for number in range(1, 6)), "test_batch"]:
        (folder / f"{name}.bin").write_bytes(records(random).tobytes())
    with tarfile.open(folder.parent / "cifar-10-binary.tar.gz", "w:gz") as packed:
        packed.add(folder, folder.name)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
