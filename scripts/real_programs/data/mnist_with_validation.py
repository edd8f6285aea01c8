"""Makes small data in MNIST's own files (idx, gzip), as ``input_data.read_data_sets`` reads them.

    python mnist_with_validation.py FOLDER

Digits are made up: each class has a pattern of its own, with noise. read_data_sets keeps 5000
images for validation, so that 1000 are left to train on.
"""

import gzip
import sys
from pathlib import Path

import numpy as np
from idx_bytes import idx_bytes

IMAGES = {"train": 6000, "t10k": 500}


def _write(path, array):
    with gzip.GzipFile(str(path), "wb", compresslevel=1, mtime=0) as file:
        file.write(idx_bytes(array))


def main(folder):
    """Writes the four files."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(0)
    patterns = random.randint(0, 160, (10, 28, 28))
    for name, count in IMAGES.items():
        labels = random.randint(0, 10, count)
        images = patterns[labels] + random.randint(0, 96, (count, 28, 28))
        _write(folder / f"{name}-images-idx3-ubyte.gz", images)
        _write(folder / f"{name}-labels-idx1-ubyte.gz", labels)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
