"""Strings that are written with the quotes that a file uses."""

from __future__ import annotations

from tfmigrate.resolve.module import Module


def quoted(module: Module, text: str) -> str:
    """Returns a string as code, with the quotes that the file uses."""
    source = module.source.text
    return f'"{text}"' if source.count('"') > source.count("'") else f"'{text}'"
