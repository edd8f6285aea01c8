"""Names that a program does not use yet."""

from __future__ import annotations

from tfmigrate.resolve.module import Module


def free_name(module: Module, name: str) -> str:
    """Returns a name that a file does not use."""
    return name if not module.names.bindings_of(name) else f"keras_{name}"
