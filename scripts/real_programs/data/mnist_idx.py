"""Makes MNIST's four files, in their idx format, plain and gzipped, with made-up digits.

Every class has a pattern of its own under noise, so that a model has something to learn.

Usage: python mnist_idx.py FOLDER
"""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import numpy as np
from idx_bytes import idx_bytes

SIDE = 28
CLASSES = 10
# Names of the files and how many images each set has: few, so that an epoch is short.
SETS = {"train": 640, "t10k": 128}


def images_and_labels(count, random):
    """Returns uint8 images [count, 28, 28] and labels [count]."""
    labels = random.randint(0, CLASSES, size=count).astype(np.uint8)
    patterns = np.random.RandomState(7).randint(0, 160, size=(CLASSES, SIDE, SIDE))
    noise = random.randint(0, 96, size=(count, SIDE, SIDE))
    return (patterns[labels] + noise).astype(np.uint8), labels


def write(path, content):
    """Writes a file twice: plain, and as .gz."""
    path.write_bytes(content)
    stream = io.BytesIO()
    # A fixed time keeps the bytes the same in every run.
    with gzip.GzipFile(fileobj=stream, mode="wb", mtime=0) as packed:
        packed.write(content)
    path.with_name(f"{path.name}.gz").write_bytes(stream.getvalue())


def main(folder):
    """Writes the files of both sets."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(1)
    for name, count in SETS.items():
        images, labels = images_and_labels(count, random)
        write(folder / f"{name}-images-idx3-ubyte", idx_bytes(images))
        write(folder / f"{name}-labels-idx1-ubyte", idx_bytes(labels))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
