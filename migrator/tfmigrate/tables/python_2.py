"""Names that only Python 2 has, built-in ones, methods and modules, and those that changed."""

from tfmigrate.tables.listed import sections

_SECTIONS = sections("python_2")
BUILTINS = frozenset(_SECTIONS["built-in"].others)
ITERATORS = frozenset(_SECTIONS["iterators"].others)
LISTS = frozenset(_SECTIONS["lists"].others)
LISTS_OF_DICTS = frozenset(_SECTIONS["lists of dicts"].others)
OF_LISTS = tuple(_SECTIONS["of lists"].others)
METHODS = frozenset(_SECTIONS["methods of dicts"].others)
ENCODINGS = frozenset(_SECTIONS["encodings"].others)
OPERATORS = _SECTIONS["operators"].became
MODULES = frozenset(_SECTIONS["modules"].others)
FUNCTIONS = frozenset(_SECTIONS["functions"].others)
FUNCTION_PACKAGES = tuple(sorted({name.partition(".")[0] for name in FUNCTIONS}))
