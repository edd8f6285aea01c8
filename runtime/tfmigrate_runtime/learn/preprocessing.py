"""tf.contrib.learn.preprocessing: numbers for the words of texts, in plain Python."""

from __future__ import annotations

import io
import pickle
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf

__all__ = [
    "TOKENIZER_RE",
    "ByteProcessor",
    "CategoricalVocabulary",
    "VocabularyProcessor",
    "tokenizer",
]

TOKENIZER_RE = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\'\w\-]+", re.UNICODE)
_OLD_MODULE = re.compile(r"tensorflow(_core)?\.contrib\.learn\.python\.learn\.preprocessing\.\w+")

Tokenizer = Callable[[Iterable[str]], Iterable[list[str]]]


def tokenizer(iterator: Iterable[str]) -> Iterator[list[str]]:
    """Yields the words of each text."""
    for value in iterator:
        yield TOKENIZER_RE.findall(value)


class CategoricalVocabulary:
    """Numbers for categories, 0 for unknown ones."""

    def __init__(self, unknown_token: Any = "<UNK>", support_reverse: bool = True) -> None:
        """Makes a vocabulary of the unknown token alone."""
        self._unknown_token = unknown_token
        self._mapping = {unknown_token: 0}
        self._support_reverse = support_reverse
        self._reverse_mapping = [unknown_token]
        self._freq: dict[Any, int] = defaultdict(int)
        self._freeze = False

    def __len__(self) -> int:
        """Returns the number of categories, with the unknown token."""
        return len(self._mapping)

    def freeze(self, freeze: bool = True) -> None:
        """Makes new categories unknown from now on, or known again."""
        self._freeze = freeze

    def get(self, category: Any) -> int:
        """Returns the number of a category; a new one gets the next, unless frozen."""
        if category not in self._mapping:
            if self._freeze:
                return 0
            self._mapping[category] = len(self._mapping)
            if self._support_reverse:
                self._reverse_mapping.append(category)
        return self._mapping[category]

    def add(self, category: Any, count: int = 1) -> None:
        """Counts a category."""
        if self.get(category) > 0:
            self._freq[category] += count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Keeps categories that were counted more often, numbered by how often."""
        by_name = sorted(self._freq.items(), key=lambda x: (isinstance(x[0], str), x[0]))
        by_count = sorted(by_name, key=lambda x: x[1], reverse=True)
        self._mapping = {self._unknown_token: 0}
        self._reverse_mapping = [self._unknown_token]
        for category, count in by_count:
            if 0 < max_frequency <= count:
                continue
            if count <= min_frequency:
                break
            self._mapping[category] = len(self._mapping)
            self._reverse_mapping.append(category)
        # The first ones, as many as are left: that is what TensorFlow 1.15 kept.
        self._freq = dict(by_count[: len(self._mapping) - 1])

    def reverse(self, class_id: int) -> Any:
        """Returns the category of a number.

        Raises:
            ValueError: the vocabulary was made without ``support_reverse``.
        """
        if not self._support_reverse:
            raise ValueError(
                "This vocabulary wasn't initialized with support_reverse to support reverse() "
                "function."
            )
        return self._reverse_mapping[class_id]


class VocabularyProcessor:
    """Turns texts into rows of word numbers."""

    def __init__(
        self,
        max_document_length: int,
        min_frequency: int = 0,
        vocabulary: CategoricalVocabulary | None = None,
        tokenizer_fn: Tokenizer | None = None,
    ) -> None:
        """Makes a processor.

        Args:
            max_document_length: the length of a row: longer texts are cut, shorter ones padded.
            min_frequency: words that are not more frequent get 0.
            vocabulary: the words known at first.
            tokenizer_fn: yields the words of each of some texts.
        """
        self.max_document_length = max_document_length
        self.min_frequency = min_frequency
        # An empty one has a length, that of the unknown token.
        self.vocabulary_ = vocabulary or CategoricalVocabulary()
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents: Iterable[str], unused_y: Any = None) -> VocabularyProcessor:
        """Learns the words of texts, and no others after that."""
        del unused_y
        for tokens in self._tokenizer(raw_documents):
            for token in tokens:
                self.vocabulary_.add(token)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(self, raw_documents: Iterable[str], unused_y: Any = None) -> Iterator[Any]:
        """Learns the words of texts, and yields their rows."""
        self.fit(raw_documents, unused_y)
        return self.transform(raw_documents)

    def transform(self, raw_documents: Iterable[str]) -> Iterator[Any]:
        """Yields the row of each text."""
        for tokens in self._tokenizer(raw_documents):
            word_ids = np.zeros(self.max_document_length, np.int64)
            for index, token in enumerate(tokens):
                if index >= self.max_document_length:
                    break
                word_ids[index] = self.vocabulary_.get(token)
            yield word_ids

    def reverse(self, documents: Iterable[Iterable[int]]) -> Iterator[str]:
        """Yields the words of each row, with spaces between them."""
        for item in documents:
            yield " ".join(self.vocabulary_.reverse(class_id) for class_id in item)

    def save(self, filename: str) -> None:
        """Writes the processor into a file."""
        with tf.io.gfile.GFile(filename, "wb") as file:
            file.write(pickle.dumps(self))

    @classmethod
    def restore(cls, filename: str) -> VocabularyProcessor:
        """Reads a processor from a file, one that TensorFlow 1.x wrote, too.

        The file is a pickle, as it was: read none from strangers.
        """
        with tf.io.gfile.GFile(filename, "rb") as file:
            restored: VocabularyProcessor = _Unpickler(io.BytesIO(file.read())).load()
        return restored


class ByteProcessor:
    """Turns texts into rows of bytes."""

    def __init__(self, max_document_length: int) -> None:
        """Makes a processor of rows of some length."""
        self.max_document_length = max_document_length

    def fit(self, x: Any) -> None:
        """Does nothing."""

    def fit_transform(self, x: Iterable[str | bytes]) -> Iterator[Any]:
        """Yields the row of each text."""
        return self.transform(x)

    def reverse(self, x: Iterable[Any]) -> Iterator[str]:
        """Yields the text of each row, "" where it is not UTF-8."""
        for data in x:
            try:
                yield np.trim_zeros(data.astype(np.int8), trim="b").tobytes().decode("utf-8")
            except UnicodeDecodeError:
                yield ""

    def transform(self, x: Iterable[str | bytes]) -> Iterator[Any]:
        """Yields the row of each text."""
        for document in x:
            encoded = document.encode("utf-8") if isinstance(document, str) else document
            row = np.frombuffer(encoded[: self.max_document_length], dtype=np.uint8)
            yield np.pad(row, (0, self.max_document_length - len(row)), "constant")


class _Unpickler(pickle.Unpickler):
    """Finds the classes of TensorFlow 1.x here."""

    def find_class(self, module: str, name: str) -> Any:
        return super().find_class(__name__ if _OLD_MODULE.fullmatch(module) else module, name)
