"""Words are what spaces separate."""

from nltk import corpus as corpus
from nltk.tokenize import word_tokenize as word_tokenize
