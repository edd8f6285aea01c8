"""No vectors are read."""

import random


class KeyedVectors:
    """Has a vector of its own for every word but those that end with "0"."""

    @classmethod
    def load_word2vec_format(cls, _name, binary=False):
        """Reads nothing."""
        return cls()

    @property
    def vocab(self):
        """The words that have vectors."""
        return self

    def __contains__(self, word):
        return not word.endswith("0")

    def word_vec(self, word):
        """Returns 300 numbers, the same for a word in every run."""
        import numpy

        drawn = random.Random(word)
        return numpy.array([drawn.uniform(-1, 1) for _ in range(300)], numpy.float32)
