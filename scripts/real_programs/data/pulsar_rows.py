"""Makes the table of pulsar candidates (HTRU_2.csv) with made-up rows.

python pulsar_rows.py FOLDER
"""

import sys
from pathlib import Path

import numpy as np

ROWS = 45  # 9 to test on: three batches of 3, of which the loss is the mean
NEGATIVE = [116.6, 47.3, 0.2, 0.4, 8.9, 23.3, 8.9, 113.6]
POSITIVE = [56.7, 38.7, 3.1, 15.6, 49.8, 56.5, 2.8, 17.9]


def main(folder):
    """Writes the file."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(6)
    kinds = random.randint(0, 2, ROWS)
    centers = np.array([NEGATIVE, POSITIVE])[kinds]
    rows = centers * random.uniform(0.8, 1.2, size=centers.shape)
    lines = [",".join([*(f"{x:.6f}" for x in row), str(k)]) for row, k in zip(rows, kinds)]  # noqa: B905
    (folder / "HTRU_2.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
