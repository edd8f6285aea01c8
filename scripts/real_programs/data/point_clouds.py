"""Makes rooms of made-up points, in the form in which programs read the parts of S3DIS.

python point_clouds.py FOLDER
"""

import sys
from pathlib import Path

import h5py
import numpy as np

ROOMS, POINTS, VALUES, CLASSES = 20, 64, 9, 13


def main(folder):
    """Writes a file of points with their classes, a list of files and one of rooms."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(1)
    with h5py.File(str(folder / "rooms.h5"), "w") as file:
        file["data"] = random.uniform(0, 1, (ROOMS, POINTS, VALUES)).astype(np.float32)
        file["label"] = random.randint(0, CLASSES, (ROOMS, POINTS)).astype(np.uint8)
    (folder / "all_files.txt").write_text("{}\n".format(folder / "rooms.h5"))
    rooms = [f"Area_{1 if number < ROOMS - 4 else 6}_office_{number}" for number in range(ROOMS)]
    (folder / "room_filelist.txt").write_text("\n".join(rooms) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
