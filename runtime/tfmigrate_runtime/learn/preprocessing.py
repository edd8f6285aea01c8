"""tf.contrib.learn.preprocessing: numbers for words, bytes and categories."""

from tfmigrate_runtime.contrib.of_learn.preprocessing import (
    TOKENIZER_RE,
    ByteProcessor,
    CategoricalProcessor,
    CategoricalVocabulary,
    VocabularyProcessor,
    tokenizer,
)

__all__ = [
    "TOKENIZER_RE", "ByteProcessor", "CategoricalProcessor", "CategoricalVocabulary",
    "VocabularyProcessor", "tokenizer",
]  # fmt: skip
