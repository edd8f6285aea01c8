"""Makes small files in the format of the census income data (adult.data.csv, adult.test.csv).

    python census_csv.py FOLDER

People are made up; who has studied long and works many hours earns more.
"""

import sys
from pathlib import Path

import numpy as np

ROWS = {"adult.data.csv": 400, "adult.test.csv": 80}
CHOICES = {
    "workclass": ["Private", "Self-emp-inc", "Local-gov", "State-gov"],
    "education": ["HS-grad", "Bachelors", "Masters", "Some-college"],
    "marital_status": ["Married-civ-spouse", "Divorced", "Never-married"],
    "occupation": ["Tech-support", "Craft-repair", "Sales", "Exec-managerial"],
    "relationship": ["Wife", "Own-child", "Husband", "Not-in-family"],
    "race": ["White", "Black", "Asian-Pac-Islander"],
    "gender": ["Female", "Male"],
    "native_country": ["United-States", "Mexico", "Germany"],
}


def _row(random):
    """Returns the values of one person, in the order of the columns."""
    chosen = {name: random.choice(values) for name, values in CHOICES.items()}
    age, weight = random.randint(18, 80), random.randint(10000, 400000)
    years = random.randint(3, 16)
    gain, loss, hours = random.randint(0, 4000), random.randint(0, 500), random.randint(10, 70)
    rich = years * 4 + hours + random.randint(0, 20) > 95
    return [
        age, chosen["workclass"], weight, chosen["education"], years, chosen["marital_status"],
        chosen["occupation"], chosen["relationship"], chosen["race"], chosen["gender"], gain, loss,
        hours, chosen["native_country"], ">50K" if rich else "<=50K",
    ]  # fmt: skip


def main(folder):
    """Writes both files."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(0)
    for name, rows in ROWS.items():
        with (folder / name).open("w") as file:
            for _ in range(rows):
                file.write(", ".join(str(value) for value in _row(random)) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
