"""Rows of numbers for texts: of their words, or of their bytes."""

from __future__ import annotations

import io
import pickle
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

from tfmigrate_runtime.contrib.of_learn.preprocessing.categorical_vocabulary import (
    CategoricalVocabulary,
)

_WORD = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\'\w\-]+", re.UNICODE)
TOKENIZER_RE = _WORD
_OLD_MODULE = re.compile(r"tensorflow(_core)?\.contrib\.learn\.python\.learn\.preprocessing\.\w+")


def tokenizer(iterator: Iterable[str]) -> Iterator[list[str]]:
    """Yields the words of every text."""
    yield from (_WORD.findall(text) for text in iterator)


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
        """Reads a processor from a file, one that TensorFlow 1.x wrote, too.

        The file is a pickle, as it was: read none from strangers.
        """
        with tf.gfile.Open(filename, "rb") as source:
            restored: VocabularyProcessor = _Unpickler(io.BytesIO(source.read())).load()
        return restored


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
        """Yields the text of every row, "" where it is not UTF-8."""
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


class _Unpickler(pickle.Unpickler):
    """Finds the classes of TensorFlow 1.x here."""

    def find_class(self, module: str, name: str) -> Any:
        return super().find_class(__package__ if _OLD_MODULE.fullmatch(module) else module, name)
