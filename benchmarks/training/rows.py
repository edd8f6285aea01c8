"""The rows that every contender trains on, and how their rate is measured (any Python).

The environment variable BENCHMARK_MODEL names the model, BENCHMARK_REPLICAS the number of replicas.
"""

import os
import time

import numpy as np

MODEL = os.environ.get("BENCHMARK_MODEL", "dense")
REPLICAS = int(os.environ.get("BENCHMARK_REPLICAS", "2"))
WIDTH = int(os.environ.get("BENCHMARK_WIDTH", "64"))  # of the hidden layer of the dense model
STEPS = int(os.environ.get("BENCHMARK_STEPS", "100"))
WARM_UP = int(os.environ.get("BENCHMARK_WARM_UP", "100"))
DEVICE = os.environ.get("BENCHMARK_DEVICE", "CPU")

BATCH = (64 if MODEL == "resnet" else 32) * REPLICAS  # rows of a global batch
CLASSES = 10
WORDS = 5000  # of the vocabulary of the embedding
SHAPES = {
    "dense": (20,),
    "conv": (12, 12, 1),
    "embedding": (30,),
    "recurrent": (20, 8),
    "resnet": (32, 32, 3),
}


def rows():
    """Returns features [n, ...], float32, or int64 for the embedding, and labels [n] int64."""
    random = np.random.RandomState(7)
    shape = (4096 if MODEL in ("dense", "embedding") else 1024, *SHAPES[MODEL])
    if MODEL == "embedding":
        features = random.randint(0, WORDS, size=shape).astype(np.int64)
    else:
        features = random.normal(size=shape).astype(np.float32)
    scores = features.reshape(shape[0], -1)[:, :5].sum(1)
    borders = np.percentile(scores, np.arange(10, 100, 10))
    return features, np.digitize(scores, borders).astype(np.int64)


class Clock:
    """Measures from the end of the first steps, which start everything, to the end of the last."""

    def start(self):
        """Starts."""
        self._start = time.perf_counter()

    def print_rate(self, steps=STEPS):
        """Prints examples a second."""
        print(steps * BATCH / (time.perf_counter() - self._start))
