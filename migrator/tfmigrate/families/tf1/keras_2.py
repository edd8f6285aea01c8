"""Which programs of TensorFlow 1.x need Keras 2, and have to select it themselves.

tf.layers, tf.nn.rnn_cell and, in graph mode, tf.keras are Keras 2's: the package tf-keras, which
TensorFlow 2.16 and newer take where TF_USE_LEGACY_KERAS is set when one of them is first used.
"""

import ast
from collections.abc import Iterable, Sequence

from tfmigrate.families.tf1.is_tf1 import imported_name, reached_by_compat
from tfmigrate.model.edits import Code, Edit, InsertAfter, InsertBefore
from tfmigrate.resolve.guards import is_guarded_by_mode
from tfmigrate.resolve.module import Module, Use, asked_once, imports
from tfmigrate.rulekit import standard_imports

_VARIABLE = "TF_USE_LEGACY_KERAS"
_SETTING = f'{{}}.environ.setdefault("{_VARIABLE}", "1")'
# Names of tensorflow.python.keras become those of tf.keras.
_KERAS = ("tensorflow.keras.", "tensorflow.python.keras.")
_KERAS_2 = ("tensorflow.layers.", "tensorflow.nn.rnn_cell.", *_KERAS)
# Names of tf.contrib that become such names, or use them.
_FROM_CONTRIB = ("tensorflow.contrib.rnn.", "tensorflow.contrib.keras.")


@asked_once
def asks_for_keras(module: Module) -> bool:
    """Returns whether a file chooses its Keras itself: it names the setting, or uses tf-keras."""
    if not module.mentions(_VARIABLE, "tf_keras"):
        return False
    if any((b.qualified + ".").startswith("tf_keras.") for b in imports(module)):
        return True
    named = [n for n in module.all(ast.Constant) if n.value == _VARIABLE]
    return any(not isinstance(module.parent(n), ast.Expr) for n in named)


@asked_once
def kept_layers(module: Module) -> list[Use]:
    """Returns the uses of Keras 2 layers that a file already reaches through compat.v1."""
    if not module.mentions("compat"):
        return []
    return [
        use
        for use in module.uses
        if (use.qualified + ".").startswith(("tensorflow.layers.", "tensorflow.nn.rnn_cell."))
        and reached_by_compat(module, use.node)
        and not is_guarded_by_mode(module, use.node)
    ]


def needs_keras_2(modules: Iterable[Module]) -> bool:
    """Returns whether one of some TensorFlow 1.x files uses names of Keras 2."""
    prefixes = (*_KERAS_2, *_FROM_CONTRIB)
    return any(
        (use.qualified + ".").startswith(prefixes)
        for module in modules
        if module.mentions("layers", "rnn", "keras", "eager")
        for use in module.uses
    )


def imports_keras(module: Module) -> bool:
    """Returns whether a file imports from tf.keras, which is the Keras that TensorFlow selects."""
    return module.mentions("keras") and any(
        (imported_name(binding) + ".").startswith(_KERAS) for binding in imports(module)
    )


def needs_keras_at_once(module: Module) -> bool:
    """Returns whether a file needs Keras while it is imported: for a base class, an import."""
    if imports_keras(module):
        return True
    return any(
        use.qualified.startswith(_KERAS)
        and module.function(use.node) is module.tree
        and not reached_by_compat(module, use.node)
        for use in module.uses
    )


def builds_on_keras_2(module: Module) -> bool:
    """Returns whether a file uses tf.layers or recurrent cells at import (a base class)."""
    return module.mentions("layers", "rnn") and any(
        (use.qualified + ".").startswith((*_KERAS_2, *_FROM_CONTRIB))
        and module.function(use.node) is module.tree
        and not isinstance(module.parent(use.node), ast.alias)
        for use in module.uses
    )


def setting(module: Module) -> str:
    """Returns the statement at the top level of a file that selects Keras 2."""
    return _SETTING.format(standard_imports.standard_name(module, "os"))


def setting_at_the_top(module: Module) -> tuple[Edit, ...]:
    """Returns the edits that select Keras 2 before any import but Python's standard library."""
    if (first := standard_imports.first_of_others(module)) is None:
        last = module.tree.body[-1]
        return (
            *standard_imports.standard_import(module, "os"),
            InsertAfter(last, Code(setting(module)), blank_line=True),
        )
    # The last insertion comes first.
    added = InsertBefore(first, Code(setting(module)), blank_lines=True)
    return (added, *standard_imports.standard_import(module, "os", before=first))


def import_of_os(module: Module, places: Sequence[ast.stmt]) -> tuple[Edit, ...]:
    """Returns the edits that import os above statements, none where the file does already."""
    first = min(places, key=module.position, default=standard_imports.end_of_imports(module))
    return standard_imports.standard_import(module, "os", before=first)
