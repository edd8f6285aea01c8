"""Names that NumPy removed: those with the same meaning under another name, and the others.

A test compares them with the installed NumPy.
"""

from tfmigrate.tables.listed import sections

_LISTED = sections("moved_names")
BUILT_IN = _LISTED["builtins"].became
RENAMED, REMOVED = _LISTED["numpy"].became, _LISTED["numpy"].others
IN_LIB = _LISTED["numpy.lib"].became.keys()
