"""No vectors are read."""

from gensim import models as models
