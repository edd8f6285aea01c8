"""Words are what spaces separate."""

from nltk.tokenize import word_tokenize as word_tokenize
