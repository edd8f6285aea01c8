# ruff: noqa: N999
"""A program that is not a notebook shows nothing."""

version_info = (9, 0)


def get_ipython():
    """Returns None: no shell is running."""
