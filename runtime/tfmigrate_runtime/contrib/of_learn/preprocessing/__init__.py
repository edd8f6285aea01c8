"""tf.contrib.learn.preprocessing: numbers for words, bytes and categories.

Modules and attributes have the names of TensorFlow 1.15, whose saved processors are read.
"""

from tfmigrate_runtime.contrib.of_learn.preprocessing.categorical import CategoricalProcessor
from tfmigrate_runtime.contrib.of_learn.preprocessing.categorical_vocabulary import (
    CategoricalVocabulary,
)
from tfmigrate_runtime.contrib.of_learn.preprocessing.text import (
    TOKENIZER_RE,
    ByteProcessor,
    VocabularyProcessor,
    tokenizer,
)

__all__ = [
    "TOKENIZER_RE", "ByteProcessor", "CategoricalProcessor", "CategoricalVocabulary",
    "VocabularyProcessor", "tokenizer",
]  # fmt: skip
