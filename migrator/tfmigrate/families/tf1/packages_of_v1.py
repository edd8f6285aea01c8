"""Imports of packages that need TensorFlow 1.x, as tflearn and tensor2tensor do."""

import ast
from collections.abc import Iterator

from tfmigrate.resolve.guards import is_guarded
from tfmigrate.resolve.module import Module, imports
from tfmigrate.resolve.program import Program
from tfmigrate.tables.moved_names import NEED_TENSORFLOW_1, package_of_tensorflow_1


def packages_of_v1(program: Program, module: Module) -> Iterator[tuple[ast.AST, str, bool]]:
    """Yields the first import of each such package that nothing guards.

    Yields:
        The place, what is wrong with the package, and whether that is so in all its releases: then
        the program is of TensorFlow 1.x, whatever else it uses.
    """
    seen: set[str] = set()
    for binding in imports(module):
        if (package := package_of_tensorflow_1(binding.qualified)) is None or package[1] in seen:
            continue
        names = (binding.source, binding.source.partition(".")[0])  # also of a copy without a part
        if any(program.is_own(module, n) for n in names) or is_guarded(module, binding.alias):
            continue
        seen.add(package[1])
        yield binding.alias, package[1], package[0].partition(".")[0] in NEED_TENSORFLOW_1
