"""Makes train.csv and valid.csv: fares of made-up taxi rides in New York.

The folder for them is the one argument.
"""

import sys
from pathlib import Path

import numpy as np

SIZES = {"train": 160, "valid": 64}  # rides


def ride(generator, key):
    """Returns a line: fare, longitude and latitude of both ends, passengers, key."""
    longitudes = generator.uniform(-74.0, -73.8, 2)
    latitudes = generator.uniform(40.6, 40.9, 2)
    way = np.abs(np.diff(longitudes)) + np.abs(np.diff(latitudes))
    values = [2.5 + 100.0 * way[0], longitudes[0], latitudes[0]]
    values += [longitudes[1], latitudes[1], generator.randint(1, 6)]
    return ",".join(f"{value:.4f}" for value in values) + f",ride{key}\n"


def main(folder):
    """Writes both files."""
    folder.mkdir(parents=True, exist_ok=True)
    generator = np.random.RandomState(2)
    for name, count in sorted(SIZES.items()):
        lines = [ride(generator, key) for key in range(count)]
        (folder / f"{name}.csv").write_text("".join(lines))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
