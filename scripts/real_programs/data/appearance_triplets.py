"""Makes the images that an appearance encoder is trained on, and the distances of their styles.

Each scene has four PNG files of one size (photo, rendering, depth and semantic map); the matrix of
distances is the pickle that the program would else compute by a network, VGG16, whose module and
weights it asks its users to download. An empty module stands for that one, which is imported.

Usage: python appearance_triplets.py FOLDER
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import numpy as np
from png_bytes import png

SIDE = 32
# More than the 18 nearest and farthest neighbours that triplets are drawn from.
SCENES = 20


def main(folder):
    """Writes the images and the matrix."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(1)
    kinds = {"reference": (3,), "color": (4,), "depth": (), "seg_rgb": (3,)}
    for scene in range(SCENES):
        for kind, channels in kinds.items():
            image = random.randint(0, 256, size=(SIDE, SIDE, *channels)).astype(np.uint8)
            (folder / f"scene_{scene:02d}_{kind}.png").write_bytes(png(image))
    distances = random.uniform(size=(SCENES, SCENES))
    distances = distances + distances.T
    np.fill_diagonal(distances, 0.0)
    pickled = pickle.dumps({"dist_matrix": distances}, protocol=2)
    (folder / "vgg16.py").touch()
    (folder / "dist_made_up.pckl").write_bytes(pickled)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
