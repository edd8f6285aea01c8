"""No corpus is read."""

from __future__ import annotations


class stopwords:  # noqa: N801 (nltk's name)
    """Has one word."""

    @staticmethod
    def words(_language: str) -> list[str]:
        """Returns it."""
        return ["w1"]
