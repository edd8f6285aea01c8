"""Makes CIFAR-10's binary files, extracted and as the archive that programs look for first.

    python cifar10_archive.py FOLDER

Images are made up: each class has a pattern of its own, with noise.
"""

import sys
import tarfile
from pathlib import Path

import numpy as np

EXTRACTED = "cifar-10-batches-bin"
FILES = [*(f"data_batch_{number}.bin" for number in range(1, 6)), "test_batch.bin"]
RECORDS = 40  # of each file


def main(folder):
    """Writes the files and the archive that holds them."""
    extracted = folder / EXTRACTED
    extracted.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(0)
    patterns = random.randint(0, 160, (10, 3 * 32 * 32))
    for name in FILES:
        labels = random.randint(0, 10, RECORDS)
        images = patterns[labels] + random.randint(0, 96, (RECORDS, 3 * 32 * 32))
        records = np.concatenate([labels[:, None], images], axis=1).astype(np.uint8)
        (extracted / name).write_bytes(records.tobytes())
    with tarfile.open(str(folder / "cifar-10-binary.tar.gz"), "w:gz") as archive:
        archive.add(extracted, EXTRACTED)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
