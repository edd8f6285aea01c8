"""Makes users with their items, and a graph of them with a configuration.

python user_items.py FOLDER
"""

import sys
from pathlib import Path

import numpy as np

USERS, ITEMS, NODES = 40, 120, 60
CONFIGURATION = """[Graph_Data]
origin_graph_file = {folder}/graph.txt
train_graph_file = {folder}/graph.txt

[Output]
display = 1
embedding_filename = tiny
check_reconstruction = 10,20

[Model_Setup]
struct = -1,8
alpha = 100
gamma = 1
reg = 1
beta = 10
batch_size = 16
epochs_limit = 2
learning_rate = 0.01
dbn_init = True
dbn_epochs = 1
dbn_batch_size = 16
dbn_learning_rate = 0.1
ng_sample_ratio = 0.5
"""


def main(folder):
    """Writes tiny/train.txt, tiny/test.txt, graph.txt and graph.ini."""
    (folder / "tiny").mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(0)
    items = [sorted(set((user * 3 + random.randint(0, 40, 12)) % ITEMS)) for user in range(USERS)]
    for name, part in (("train", slice(0, -2)), ("test", slice(-2, None))):
        lines = [" ".join(map(str, [user, *items[user][part]])) for user in range(USERS)]
        (folder / f"tiny/{name}.txt").write_text("\n".join(lines) + "\n")
    edges = sorted({(a, (a + step) % NODES) for a in range(NODES) for step in (1, 2, 7)})
    lines = [f"{NODES} {len(edges)}", *(f"{a} {b}" for a, b in edges)]
    (folder / "graph.txt").write_text("\n".join(lines) + "\n")
    (folder / "graph.ini").write_text(CONFIGURATION.format(folder=folder))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
