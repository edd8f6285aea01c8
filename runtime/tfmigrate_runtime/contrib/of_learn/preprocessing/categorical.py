"""Rows of numbers for rows of categories."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from tfmigrate_runtime.contrib.of_learn.preprocessing.categorical_vocabulary import (
    CategoricalVocabulary,
)


class CategoricalProcessor:
    """Makes rows of categories rows of numbers, with a vocabulary for each column or for all."""

    def __init__(
        self, min_frequency: int = 0, share: bool = False, vocabularies: Any = None
    ) -> None:
        """Takes which categories are left out, and vocabularies that are there already."""
        self.min_frequency, self.share = min_frequency, share
        self.vocabularies_ = vocabularies

    def freeze(self, freeze: bool = True) -> None:
        """Takes no new categories from now on, or takes them again."""
        for vocabulary in self.vocabularies_:
            vocabulary.freeze(freeze)

    def fit(self, x: Iterable[Any], unused_y: Any = None) -> CategoricalProcessor:
        """Learns the categories of rows, then freezes the vocabularies; returns itself."""
        for row in x:
            if self.vocabularies_ is None:
                own = [CategoricalVocabulary() for _ in row]
                self.vocabularies_ = [own[0] for _ in row] if self.share else own
            for column, value in enumerate(row):
                if not _is_nan(value):
                    self.vocabularies_[column].add(value)
        if self.min_frequency > 0:
            for vocabulary in self.vocabularies_:
                vocabulary.trim(self.min_frequency)
        self.freeze()
        return self

    def fit_transform(self, x: Iterable[Any], unused_y: Any = None) -> Iterator[Any]:
        """Learns the categories of rows and returns an iterator over rows of numbers."""
        return self.fit(x).transform(x)

    def transform(self, x: Iterable[Any]) -> Iterator[Any]:
        """Yields a row of numbers for every row, int64; NaN is 0."""
        self.freeze()
        for row in x:
            pairs = zip(self.vocabularies_, row, strict=False)
            numbers = [0 if _is_nan(value) else known.get(value) for known, value in pairs]
            yield np.array(numbers, dtype=np.int64)


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)
