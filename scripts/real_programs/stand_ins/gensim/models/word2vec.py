"""No vectors are read."""


class Word2Vec:
    """Has no vectors."""
