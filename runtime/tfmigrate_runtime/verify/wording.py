"""Phrases of reports: counts with their nouns, long lists, and what a stored trace lacks."""

from collections.abc import Sequence

SIDES = ("original", "migrated program")


def counted(count: int, noun: str, plural: str = "") -> str:
    """Returns a count with its noun, "1 step" or "2 steps".

    Args:
        count: how many.
        noun: in the singular.
        plural: of the noun, where it takes more than an "s".
    """
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def first_of(names: Sequence[str], most: int) -> str:
    """Returns names with commas; of more than ``most`` these, and how many there are besides."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def not_in_trace(which: str, what: str) -> str:
    """Returns the sentence about something that a trace was recorded without.

    Args:
        which: "original" or "migrated program".
        what: what is missing, in the plural.
    """
    return f"The trace of the {which} does not contain {what}. Record it again to compare them."
