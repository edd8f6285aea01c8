"""Makes the two CSV files of Iris where ``get_file`` of Keras looks for them, with made-up rows.

    python iris_rows.py FOLDER

FOLDER stands for the home directory. Each species has a center of its own, under noise.
"""

import sys
from pathlib import Path

import numpy as np

ROWS = {"iris_training.csv": 120, "iris_test.csv": 30}
CENTERS = np.array([[5.0, 3.4, 1.5, 0.2], [5.9, 2.8, 4.3, 1.3], [6.6, 3.0, 5.6, 2.0]])


def main(folder):
    """Writes both files."""
    cache = folder / ".keras" / "datasets"
    cache.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(4)
    for name, count in ROWS.items():
        kinds = random.randint(0, 3, count)
        rows = np.round(CENTERS[kinds] + random.normal(scale=0.3, size=(count, 4)), 1)
        lines = [f"{count},4,setosa,versicolor,virginica"]
        lines += [",".join([*(str(x) for x in row), str(k)]) for row, k in zip(rows, kinds)]  # noqa: B905
        (cache / name).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
