"""Makes handwriting in the form of a pickle: lists of points with pen lifts, each beside the last.

python pen_strokes.py FOLDER
"""

import pickle
import sys
from pathlib import Path

import numpy as np


def main(folder):
    """Writes strokes_training_data.cpkl."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(0)
    strokes = []
    for _ in range(24):
        points = random.randint(-20, 21, (40, 3)).astype(np.int16)
        points[:, 2] = np.arange(40) % 9 == 8
        strokes.append(points)
    # Protocol 2, and no array of NumPy 2: both interpreters read it.
    (folder / "strokes_training_data.cpkl").write_bytes(pickle.dumps(strokes, protocol=2))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
