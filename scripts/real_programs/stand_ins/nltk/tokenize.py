"""Words are what spaces separate."""


def word_tokenize(text):
    """Returns the words of a text."""
    return text.split()


class TreebankWordTokenizer:
    """Separates words by spaces."""

    def tokenize(self, text):
        """Returns the words of a text."""
        return text.split()
