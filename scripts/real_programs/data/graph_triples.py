"""Makes a small knowledge graph: entities, relations, and triples of them, as FB15k has them.

python graph_triples.py FOLDER
"""

import sys
from pathlib import Path

import numpy as np

ENTITIES, RELATIONS = 40, 3


def main(folder):
    """Writes entity2id.txt, relation2id.txt, train.txt, valid.txt and test.txt."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(0)
    for name, count in (("entity", ENTITIES), ("relation", RELATIONS)):
        lines = [f"{name[0]}{number}\t{number}" for number in range(count)]
        (folder / f"{name}2id.txt").write_text("\n".join(lines) + "\n")
    for name, count in (("train", 256), ("valid", 8), ("test", 8)):
        heads = random.randint(0, ENTITIES, count)
        relations = random.randint(0, RELATIONS, count)
        tails = (heads + 7 * (relations + 1)) % ENTITIES
        lines = [f"e{heads[i]}\te{tails[i]}\tr{relations[i]}" for i in range(count)]
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
