"""Makes stories with questions, in the form of bAbI's first task.

python babi_stories.py FOLDER
"""

import sys
from pathlib import Path

import numpy as np

PEOPLE = ["Mary", "John", "Daniel", "Sandra"]
PLACES = ["kitchen", "garden", "office", "hallway"]


def story(random):
    """Returns the lines of a story: each two moves are followed by a question."""
    lines, number, where = [], 1, {}
    for _ in range(3):
        for _ in range(2):
            person, place = random.choice(PEOPLE), random.choice(PLACES)
            where[person] = (place, number)
            lines.append(f"{number} {person} moved to the {place}.")
            number += 1
        asked = random.choice(sorted(where))
        lines.append(f"{number} Where is {asked}? \t{where[asked][0]}\t{where[asked][1]}")
        number += 1
    return lines


def main(folder):
    """Writes stories to train on and to test with."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(0)
    for name, count in (("train", 40), ("test", 10)):
        lines = [line for _ in range(count) for line in story(random)]
        (folder / f"qa1_single-supporting-fact_{name}.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
