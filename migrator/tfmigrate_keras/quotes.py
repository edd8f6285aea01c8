"""Strings that are written with the quotes that a file uses.

Code that is added looks like that of the program, which a formatter would change again.
"""

from tfmigrate.resolve.module import Module


def quoted(module: Module, text: str) -> str:
    """Returns a string as code, with the quotes that the file uses."""
    return in_style(module, f"'{text}'")


def in_style(module: Module, code: str) -> str:
    """Returns code whose strings have single quotes, with the quotes that the file uses."""
    source = module.source.text
    return code.replace("'", '"') if source.count('"') > source.count("'") else code
