"""The rows that every contender trains on, and how their rate is measured (any Python)."""

import time

import numpy as np

BATCH = 64  # rows of a global batch
SHAPES = {"dense": (20,), "conv": (12, 12, 1)}
CLASSES = 10


def rows(model):
    """Returns features [n, ...] float32 and labels [n] int64."""
    random = np.random.RandomState(7)
    count = 4096 if model == "dense" else 1024
    features = random.normal(size=(count, *SHAPES[model])).astype(np.float32)
    scores = features.reshape(count, -1)[:, :5].sum(1)
    borders = np.percentile(scores, np.arange(10, 100, 10))
    return features, np.digitize(scores, borders).astype(np.int64)


class Clock:
    """Measures from the end of the first steps, which start everything, to the end of the last."""

    def start(self):
        """Starts."""
        self._start = time.perf_counter()

    def print_rate(self, steps):
        """Prints examples a second."""
        print(steps * BATCH / (time.perf_counter() - self._start))
