"""Makes sudoku quizzes with their solutions: rows of one pattern, with digits swapped.

python sudoku_quizzes.py FOLDER
"""

import sys
from pathlib import Path

import numpy as np


def main(folder):
    """Writes sudoku.csv."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(0)
    pattern = (np.arange(9) * 3 + np.arange(9) // 3)[:, None] + np.arange(9)
    lines = ["quizzes,solutions"]
    for _ in range(300):
        solution = (random.permutation(9) + 1)[pattern % 9].ravel()
        quiz = np.where(random.randint(0, 2, 81), solution, 0)
        lines.append("".join(map(str, quiz)) + "," + "".join(map(str, solution)))
    (folder / "sudoku.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
