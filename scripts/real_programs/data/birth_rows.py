"""Makes train.csv-00000-of-00001 and eval.csv-00000-of-00001: made-up births.

The folder for them is the one argument. Columns: weight, is_male, mother_age, plurality,
gestation_weeks, key.
"""

import sys
from pathlib import Path

import numpy as np

SIZES = {"train": 300, "eval": 60}  # births
PLURALITY = ("Single(1)", "Twins(2)", "Multiple(2+)")


def row(generator, key):
    """Returns a line, heavier the longer it took."""
    weeks, age = generator.randint(30, 43), generator.randint(16, 45)
    sex = ("True", "False", "Unknown")[generator.randint(3)]
    born = generator.randint(3)
    weight = weeks / 5.0 - born + generator.uniform(-0.5, 0.5)
    return f"{weight:.3f},{sex},{age},{PLURALITY[born]},{weeks},{key}\n"


def main(folder):
    """Writes both files."""
    folder.mkdir(parents=True, exist_ok=True)
    generator = np.random.RandomState(13)
    for name, count in sorted(SIZES.items()):
        lines = "".join(row(generator, key) for key in range(count))
        (folder / f"{name}.csv-00000-of-00001").write_text(lines)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
