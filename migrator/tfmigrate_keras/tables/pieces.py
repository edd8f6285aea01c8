"""The classes and functions of ``data/written_out``: data/pieces.txt."""

from tfmigrate.tables.listed import listed

_LINES = (line.partition(": ") for line in listed("pieces", "tfmigrate_keras"))
PIECES = {name: needed.split() for name, _, needed in _LINES}
"""Their names, in the order in which a file gets them, and what each needs.

That is: others of them, and modules of the standard library.
"""
