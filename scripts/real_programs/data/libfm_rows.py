"""Makes rows of ten features with a label of 1 or -1, as libFM reads them.

python libfm_rows.py FOLDER
"""

import sys
from pathlib import Path

import numpy as np


def main(folder):
    """Writes three files of a data set called frappe, and the same with labels of 0 and 1."""
    folder = folder / "frappe"
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(0)
    for name, count in (("train", 320), ("validation", 64), ("test", 64)):
        values = random.randint(0, 6, (count, 10))
        labels = np.where(values[:, 0] + values[:, 1] > 5, 1, -1)
        rows = [
            f"{labels[n]} " + " ".join(f"{10 * i + value}:1" for i, value in enumerate(values[n]))
            for n in range(count)
        ]
        (folder / f"frappe.{name}.libfm").write_text("\n".join(rows) + "\n")
        short = [row.replace("-1 ", "0 ", 1) for row in rows]
        (folder / f"{name[:2]}.libsvm").write_text("\n".join(short) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
