"""The spaces of states and actions."""

import numpy as np


class Box:
    """Arrays between two limits."""

    def __init__(self, low, high, shape):
        """Takes the limits and the shape."""
        self.low, self.high = np.full(shape, float(low)), np.full(shape, float(high))
        self.shape = tuple(shape)


class Discrete:
    """The integers below n."""

    def __init__(self, n):
        """Takes n."""
        self.n = n

    def sample(self):
        """Returns one of them by chance."""
        return int(np.random.randint(self.n))
