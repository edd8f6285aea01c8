"""Makes ratings of films in the form of MovieLens 1M: ``user::item::rating::time``.

python movie_ratings.py FOLDER
"""

import sys
from pathlib import Path

import numpy as np

RATINGS = 1500


def main(folder):
    """Writes ratings.dat."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(0)
    users = random.randint(1, 60, RATINGS)
    items = random.randint(1, 80, RATINGS)
    stars = 1 + (users * 7 + items * 3 + random.randint(0, 2, RATINGS)) % 5
    lines = [f"{users[i]}::{items[i]}::{stars[i]}::{i}" for i in range(RATINGS)]
    (folder / "ratings.dat").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
