"""Edits that replace names of one Keras with names of another: imports and their uses."""

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

from tfmigrate.model.edits import ChangeImport, Code, Edit, ReplaceExpression
from tfmigrate.resolve.module import Module, Use
from tfmigrate.resolve.scopes import ImportBinding
from tfmigrate.rulekit.runtime_import import import_of, runtime_import, runtime_name
from tfmigrate.rulekit.tensorflow_import import (
    tensorflow_import,
    tensorflow_name,
    tensorflow_v1_name,
)
from tfmigrate.tables.internal_keras import V1_KERAS
from tfmigrate.tables.runtime_api import MULTI_GPU

Renaming = Callable[[str], str | None]


@dataclass
class KerasChange:
    """The changes of one file.

    Attributes:
        module: the file.
        public: what a name is called from now on; None where it has no equal.
        keeps_v2: whether ``tf`` of the file is TensorFlow 2, so that tf.compat.v1 is named.
        edits: the edits.
        places: the nodes that they change.
        left: uses of names without an equal.
        of_runtime: the edits of what the runtime has, and of its imports.
    """

    module: Module
    public: Renaming
    keeps_v2: bool = False
    edits: list[Edit] = field(default_factory=list)
    places: list[ast.AST] = field(default_factory=list)
    left: list[tuple[ast.AST, str]] = field(default_factory=list)
    of_runtime: list[Edit] = field(default_factory=list)

    def change_import(self, binding: ImportBinding, qualified: str) -> None:
        """Adds the edits of one import and of its uses."""
        uses = self.module.uses_through(binding)
        names = {use.qualified: self.public(use.qualified) for use in uses}
        public = self.public(qualified)
        left = [use for use in uses if names[use.qualified] is None]
        self.left += [(use.node, use.qualified) for use in left]
        if not uses and public is None:
            self.left.append((binding.alias, qualified))
        # Names that only compat.v1 has are reached through the import of TensorFlow.
        stays = bool(left) or public is None or is_of_v1(public)
        apart = [u for u in uses if names[u.qualified] != public and _is_apart(names[u.qualified])]
        alone = [u for u in uses if u not in left and (stays or u in apart)]
        for use in alone:
            self.change_use(use)
        code = ""
        if len(alone) < len(uses) or not uses:
            if stays:
                return
            assert public is not None
            code = import_of(public, binding.alias.asname or binding.alias.name)
        self.change_alias(binding, code)

    def change_alias(self, binding: ImportBinding, code: str) -> None:
        """Adds the edit of one clause of an import; "" removes it."""
        self.edits.append(ChangeImport(binding.statement, binding.alias, code))
        self.places.append(binding.alias)

    def change_use(self, use: Use) -> None:
        """Adds the edit of one use, which becomes a name below TensorFlow, or the runtime's."""
        if (public := self.public(use.qualified)) is None:
            self.left.append((use.node, use.qualified))
            return
        if public == MULTI_GPU.target:
            own = Code(runtime_name(self.module, MULTI_GPU))
            self.of_runtime += [ReplaceExpression(use.node, own)]
            self.of_runtime += runtime_import(self.module, MULTI_GPU, use.node)
            self.places.append(use.node)
            return
        below = public.removeprefix("tensorflow.").removeprefix("compat.v1.")
        of_v2 = self.keeps_v2 and is_of_v1(public)
        tensorflow = (tensorflow_v1_name if of_v2 else tensorflow_name)(self.module, use.node)
        self.replace(use, f"{tensorflow}.{below}")

    def replace(self, use: Use, code: str) -> None:
        """Adds the edit that replaces a name with other code."""
        self.edits.append(ReplaceExpression(use.node, Code(code)))
        self.places.append(use.node)

    def complete(self) -> tuple[Edit, ...]:
        """Returns the edits, and those that import TensorFlow where they need it."""
        replaced = [edit.node for edit in self.edits if isinstance(edit, ReplaceExpression)]
        added = tensorflow_import(self.module, *replaced) if replaced else ()
        return (*self.edits, *added, *self.of_runtime)


def _is_apart(public: str | None) -> bool:
    """Returns whether a name is reached by another import than that of its package."""
    return is_of_v1(public) or public == MULTI_GPU.target


def is_of_v1(public: str | None) -> bool:
    """Returns whether a name is one of compat.v1's Keras."""
    return ((public or "") + ".").startswith(V1_KERAS + ".")
