"""What is read from made-up files, on TensorFlow 1.15 and on 2.x. Python 3.7, for 1.15.

Run by TensorFlow 1.15 as ``python dataset_cases.py FILE.npz``, it records what comes of it.
"""

from __future__ import annotations

import contextlib
import gzip
import struct
import sys
import tempfile
from pathlib import Path

import numpy as np

_NAMES = (
    ("train-images-idx3-ubyte", "train-labels-idx1-ubyte", 23),
    ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte", 7),
)
# Arguments of read_data_sets, seed of the graph, batches: (size, shuffle).
_READ = {
    "default": ({"validation_size": 5, "seed": 3}, None, [(4, True)] * 12),
    "one_hot": (
        {"validation_size": 0, "seed": 9, "one_hot": True},
        None,
        [(10, True), (23, True), (10, False), (30, True), (5, True)],
    ),
    "bytes": (
        {"validation_size": 4, "dtype": "uint8", "reshape": False, "seed": 0},
        None,
        [(6, False), (6, False), (6, False), (6, False), (2, True)],
    ),
    "graph_seed": ({"validation_size": 5}, 17, [(7, True)] * 5),
    "both_seeds": ({"validation_size": 5, "seed": 4}, 17, [(7, True)] * 5),
    "no_seed_of_graph": ({"validation_size": 23, "seed": 2, "source_url": ""}, None, []),
}
_SYNTHETIC = {
    "circles": ("circles", {"n_samples": 21}),
    "circles_noise": ("circles", {"noise": 0.1, "seed": 5, "n_classes": 3, "factor": 0.5}),
    "spirals": ("spirals", {"n_samples": 21}),
    "spirals_bernoulli": ("spirals", {"mode": "bernoulli", "noise": 0.2, "n_loops": 3}),
    "spirals_growth": ("spirals", {"mode": "bernoulli", "exp_scale": 0.3}),
    "spirals_fermat": ("spirals", {"mode": "fermat", "n_samples": 9, "seed": 1}),
}


def write_files(directory, packed=True):
    """Writes made-up IDX files of images of 3 x 4."""
    random = np.random.RandomState(1)
    for images, labels, count in _NAMES:
        pixels = random.randint(0, 256, count * 12).astype(np.uint8).tobytes()
        digits = random.randint(0, 10, count).astype(np.uint8).tobytes()
        for name, content in (
            (images, struct.pack(">IIII", 2051, count, 3, 4) + pixels),
            (labels, struct.pack(">II", 2049, count) + digits),
        ):
            path = Path(directory, name + (".gz" if packed else ""))
            path.write_bytes(gzip.compress(content) if packed else content)


def batches(tf, mnist, directory, case):
    """Returns everything that comes of reading the files, by name."""
    arguments, graph_seed, sizes = _READ[case]
    found = {}
    with tf.Graph().as_default():
        if graph_seed is not None:
            tf.set_random_seed(graph_seed)
        with contextlib.redirect_stdout(None):
            data = mnist.read_data_sets(directory, **arguments)
        for part in data._fields:
            found[part + "/count"] = getattr(data, part).num_examples
            found[part + "/images"] = getattr(data, part).images
            found[part + "/labels"] = getattr(data, part).labels
        for index, (size, shuffle) in enumerate(sizes):
            images, labels = data.train.next_batch(size, shuffle=shuffle)
            found[f"batch{index}/images"] = images
            found[f"batch{index}/labels"] = labels
            found[f"batch{index}/epochs"] = data.train.epochs_completed
        found["after"] = np.random.rand(2)
    return found


def points(datasets, case):
    """Returns made-up points."""
    name, arguments = _SYNTHETIC[case]
    made = datasets.make_dataset(name, **arguments)
    return {"data": made.data, "target": made.target}


def tables(datasets, directory):
    """Returns what is read from CSV files."""
    path = Path(directory, "with.csv")
    path.write_text("3,2,a,b\n1.5,2,0\n3,4.25,1\n-1,0,1\n")
    with_header = datasets.base.load_csv_with_header(str(path), np.int64, np.float32)
    path = Path(directory, "without.csv")
    path.write_text("".join(f"{n},{n * 2},{n * n}\n" for n in range(7)))
    without = datasets.base.load_csv_without_header(
        str(path), np.int32, np.float64, target_column=0
    )
    datasets.base.shrink_csv(str(path), 3)
    small = Path(directory, "without_small.csv").read_text().split()
    return {
        "with/data": with_header.data,
        "with/target": with_header.target,
        "without/data": without.data,
        "without/target": without.target,
        "small": np.array(small),
    }


def everything(tf, datasets, directory):
    """Returns the results of all cases, by case and name."""
    found = {}
    for case in _READ:
        for name, value in batches(tf, datasets.mnist, directory, case).items():
            found[case + "/" + name] = value
    for case in _SYNTHETIC:
        for name, value in points(datasets, case).items():
            found[case + "/" + name] = value
    for name, value in tables(datasets, directory).items():
        found["tables/" + name] = value
    return found


def _record(path):
    import tensorflow as tf
    from tensorflow.contrib.learn import datasets

    with tempfile.TemporaryDirectory() as directory:
        write_files(directory)
        np.savez_compressed(path, **everything(tf, datasets, directory))


if __name__ == "__main__":
    _record(sys.argv[1])
