"""Makes sequences of items: a user and an item a line, and sessions with times.

python item_sequences.py FOLDER
"""

import sys
from pathlib import Path

import numpy as np

USERS, ITEMS = 48, 30


def main(folder):
    """Writes tiny.txt and train.tsv, valid.tsv, test.tsv."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(0)
    lengths = random.randint(6, 12, USERS)
    starts = random.randint(0, ITEMS, USERS)
    pairs = [
        (user + 1, (starts[user] + step * 3) % ITEMS + 1)
        for user in range(USERS)
        for step in range(lengths[user])
    ]
    (folder / "tiny.txt").write_text("".join(f"{user} {item}\n" for user, item in pairs))
    rows = [f"{user}\t{item}\t{time}" for time, (user, item) in enumerate(pairs)]
    for name in ("train", "valid", "test"):
        table = ["SessionId\tItemId\tTimestamp", *rows]
        (folder / f"{name}.tsv").write_text("\n".join(table) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
