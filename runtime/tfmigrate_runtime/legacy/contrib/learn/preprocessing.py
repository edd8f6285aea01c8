"""tf.contrib.learn.preprocessing: numbers for words, bytes and categories.

Attributes have the names of TensorFlow 1.15, whose saved processors are read.
"""

from __future__ import annotations

import collections
import math
import pickle
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

_WORD = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\'\w\-]+", re.UNICODE)
TOKENIZER_RE = _WORD


def tokenizer(iterator: Iterable[str]) -> Iterator[list[str]]:
    """Yields the words of every text."""
    for text in iterator:
        yield _WORD.findall(text)


class CategoricalVocabulary:
    """Numbers categories from 1, in the order in which they come; 0 is for unknown ones."""

    def __init__(self, unknown_token: Any = "<UNK>", support_reverse: bool = True) -> None:
        """Takes what stands for unknown categories."""
        self._unknown_token = unknown_token
        self._mapping: dict[Any, int] = {unknown_token: 0}
        self._support_reverse = support_reverse
        if support_reverse:
            self._reverse_mapping = [unknown_token]
        self._freq: dict[Any, int] = collections.defaultdict(int)
        self._freeze = False

    def __len__(self) -> int:
        """Returns the number of categories, the unknown one counted."""
        return len(self._mapping)

    def freeze(self, freeze: bool = True) -> None:
        """Takes no new categories from now on, or takes them again."""
        self._freeze = freeze

    def get(self, category: Any) -> int:
        """Returns a category's number; a new one if it is not frozen, else 0."""
        if category not in self._mapping:
            if self._freeze:
                return 0
            self._append(category)
        return self._mapping[category]

    def add(self, category: Any, count: int = 1) -> None:
        """Counts a category."""
        if self.get(category) > 0:
            self._freq[category] += count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Keeps categories that are more frequent than a number, and numbers them anew.

        Args:
            min_frequency: categories as frequent as this are left out.
            max_frequency: those as frequent as this too, if it is positive.
        """
        by_name = sorted(self._freq.items(), key=lambda item: (isinstance(item[0], str), item[0]))
        by_count = sorted(by_name, key=lambda item: item[1], reverse=True)
        self._mapping = {self._unknown_token: 0}
        if self._support_reverse:
            self._reverse_mapping = [self._unknown_token]
        for category, count in by_count:
            if count <= min_frequency:
                break
            if max_frequency <= 0 or count < max_frequency:
                self._append(category)
        # As many counts as categories: the wrong ones where max_frequency leaves some out.
        self._freq = dict(by_count[: len(self._mapping) - 1])

    def reverse(self, class_id: int) -> Any:
        """Returns the category of a number.

        Raises:
            ValueError: the vocabulary was made without this.
        """
        if not self._support_reverse:
            raise ValueError(
                "This vocabulary wasn't initialized with support_reverse to support reverse() "
                "function."
            )
        return self._reverse_mapping[class_id]

    def _append(self, category: Any) -> None:
        self._mapping[category] = len(self._mapping)
        if self._support_reverse:
            self._reverse_mapping.append(category)


class VocabularyProcessor:
    """Makes texts rows of word numbers."""

    def __init__(
        self,
        max_document_length: int,
        min_frequency: int = 0,
        vocabulary: CategoricalVocabulary | None = None,
        tokenizer_fn: Callable[[Iterable[str]], Iterable[list[str]]] | None = None,
    ) -> None:
        """Takes the length of rows, and which words are left out.

        Args:
            max_document_length: longer texts are cut, shorter ones filled with 0.
            min_frequency: words as frequent as this are left out.
            vocabulary: one that is there already; an empty one is replaced.
            tokenizer_fn: yields the words of every text.
        """
        self.max_document_length = max_document_length
        self.min_frequency = min_frequency
        self.vocabulary_ = vocabulary or CategoricalVocabulary()
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents: Iterable[str], unused_y: Any = None) -> VocabularyProcessor:
        """Learns the words of texts, then freezes the vocabulary; returns itself."""
        for words in self._tokenizer(raw_documents):
            for word in words:
                self.vocabulary_.add(word)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(self, raw_documents: Iterable[str], unused_y: Any = None) -> Iterator[Any]:
        """Learns the words of texts and returns an iterator over their rows."""
        return self.fit(raw_documents).transform(raw_documents)

    def transform(self, raw_documents: Iterable[str]) -> Iterator[Any]:
        """Yields a row for every text, int64 [max_document_length]."""
        for words in self._tokenizer(raw_documents):
            row = np.zeros(self.max_document_length, np.int64)
            for position, word in zip(range(self.max_document_length), words, strict=False):
                row[position] = self.vocabulary_.get(word)
            yield row

    def reverse(self, documents: Iterable[Any]) -> Iterator[str]:
        """Yields the words of every row."""
        for row in documents:
            yield " ".join(self.vocabulary_.reverse(number) for number in row)

    def save(self, filename: str) -> None:
        """Pickles itself into a file."""
        with tf.gfile.Open(filename, "wb") as target:
            target.write(pickle.dumps(self))

    @classmethod
    def restore(cls, filename: str) -> VocabularyProcessor:
        """Returns what was saved."""
        with tf.gfile.Open(filename, "rb") as source:
            return pickle.loads(source.read())  # type: ignore[no-any-return]


class ByteProcessor:
    """Makes texts rows of bytes."""

    def __init__(self, max_document_length: int) -> None:
        """Takes the length of rows."""
        self.max_document_length = max_document_length

    def fit(self, x: Any) -> None:
        """Does nothing."""

    def fit_transform(self, x: Iterable[Any]) -> Iterator[Any]:
        """Returns ``transform(x)``."""
        return self.transform(x)

    def reverse(self, x: Iterable[Any]) -> Iterator[str]:
        """Yields the text of every row, "" where it is no UTF-8."""
        for row in x:
            text = np.trim_zeros(row.astype(np.int8), trim="b").tobytes()
            try:
                yield text.decode("utf-8")
            except UnicodeDecodeError:
                yield ""

    def transform(self, x: Iterable[Any]) -> Iterator[Any]:
        """Yields the bytes of every text, uint8 [max_document_length], filled with 0."""
        for text in x:
            whole = text.encode("utf-8") if isinstance(text, str) else text
            row = np.frombuffer(whole[: self.max_document_length], dtype=np.uint8)
            yield np.pad(row, (0, self.max_document_length - len(row)))


class CategoricalProcessor:
    """Makes rows of categories rows of numbers, with a vocabulary for each column or for all."""

    def __init__(
        self, min_frequency: int = 0, share: bool = False, vocabularies: Any = None
    ) -> None:
        """Takes which categories are left out, and vocabularies that are there already."""
        self.min_frequency = min_frequency
        self.share = share
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
