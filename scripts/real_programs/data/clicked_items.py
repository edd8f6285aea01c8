"""Makes histories of clicked items as a pickle (dataset.pkl): what a user clicked, what comes next.

python clicked_items.py FOLDER
"""

import pickle
import sys
from pathlib import Path

import numpy as np

USERS, ITEMS, CATEGORIES = 40, 120, 8


def main(folder):
    """Writes training examples, those of the test, the items' categories, and the sizes."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(1)
    train, test = [], []
    for user in range(USERS):
        clicked = random.permutation(ITEMS)[: random.randint(4, 9)].tolist()
        for number in range(1, len(clicked) - 1):
            train.append((user, clicked[:number], clicked[number], 1))
            train.append((user, clicked[:number], int(random.randint(ITEMS)), 0))
        test.append((user, clicked[:-1], (clicked[-1], int(random.randint(ITEMS)))))
    categories = random.randint(0, CATEGORIES, ITEMS)
    with (folder / "dataset.pkl").open("wb") as file:
        for part in (train, test, categories, (USERS, ITEMS, CATEGORIES)):
            pickle.dump(part, file, pickle.HIGHEST_PROTOCOL)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
