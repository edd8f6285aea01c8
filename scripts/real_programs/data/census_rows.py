"""Makes adult.data.csv and adult.test.csv: made-up people in the columns of the census.

The folder for them is the one argument. As in UCI's files, a space follows every comma.
"""

import sys
from pathlib import Path

import numpy as np

SIZES = {"data": 240, "test": 80}  # people
WORDS = {
    "workclass": ["Private", "State-gov", "Federal-gov", "?"],
    "education": ["Bachelors", "HS-grad", "11th", "Masters"],
    "marital": ["Divorced", "Never-married", "Widowed"],
    "occupation": ["Sales", "Craft-repair", "Tech-support", "Exec-managerial"],
    "relationship": ["Husband", "Not-in-family", "Wife", "Own-child"],
    "race": ["White", "Black", "Other"],
    "gender": ["Female", "Male"],
    "country": ["United-States", "Mexico", "Germany"],
}


def row(generator):
    """Returns a line of 15 columns, the income last."""
    words = {name: choices[generator.randint(len(choices))] for name, choices in WORDS.items()}
    age, years, hours = (
        generator.randint(17, 90),
        generator.randint(1, 17),
        generator.randint(10, 80),
    )
    rich = age + 5 * years + hours + generator.randint(-20, 20) > 130
    columns = [age, words["workclass"], generator.randint(10000, 99999), words["education"], years]
    columns += [words["marital"], words["occupation"], words["relationship"], words["race"]]
    columns += [words["gender"], generator.randint(0, 3) * 1000, generator.randint(0, 2) * 500]
    columns += [hours, words["country"], ">50K" if rich else "<=50K"]
    return ", ".join(str(column) for column in columns) + "\n"


def main(folder):
    """Writes both files."""
    folder.mkdir(parents=True, exist_ok=True)
    generator = np.random.RandomState(6)
    for name, count in sorted(SIZES.items()):
        (folder / f"adult.{name}.csv").write_text("".join(row(generator) for _ in range(count)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
