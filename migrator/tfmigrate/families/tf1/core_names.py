"""Names of TensorFlow 1.x with an equivalent in core TensorFlow, by the table of equivalents."""

import ast

from tfmigrate.model.edits import ArrangeArguments, ChangeImport, Code, Edit, ReplaceExpression
from tfmigrate.resolve.calls import written_arguments
from tfmigrate.resolve.canonical import canonical
from tfmigrate.resolve.module import Module, Use
from tfmigrate.resolve.scopes import ImportBinding
from tfmigrate.rulekit.runtime_import import import_of
from tfmigrate.rulekit.tensorflow_import import tensorflow_name
from tfmigrate.tables import equivalents, symbol_table
from tfmigrate.tables.chains import and_above
from tfmigrate.tables.equivalents import Equivalent, Missing
from tfmigrate.tables.runtime_api import LEARN

_V1 = "tensorflow.compat.v1"
_ESTIMATOR = "tensorflow.estimator."
_MODE_KEYS = "tensorflow.contrib.learn.ModeKeys."
_CORE = f"v1-{symbol_table.NEWEST}"


def equivalent(qualified: str) -> tuple[Equivalent, str] | None:
    """Returns the core equivalent of a name, or of the package that contains it.

    Args:
        qualified: a name of TensorFlow 1.x ("tensorflow.contrib.framework.nest.flatten").

    Returns:
        The equivalent of the longest part that has one, and the rest (".flatten"); None where no
        part has, or the core lacks the rest.
    """
    known = equivalents.names()
    if qualified in equivalents.missing():
        return None
    for name in and_above(qualified):
        if name in known:
            suffix = qualified.removeprefix(name)
            is_there = (
                not suffix
                or known[name].called
                or symbol_table.is_found(known[name].name + suffix, _CORE)
            )
            return (known[name], suffix) if is_there else None
    return None


def missing(qualified: str) -> Missing | None:
    """Returns why a name, or its package, has no equivalent; None where the table lacks it."""
    known = equivalents.missing()
    return next((known[name] for name in and_above(qualified) if name in known), None)


def core_name(qualified: str) -> str | None:
    """Returns the core equivalent of a name, below ``tf.``; None where there is none."""
    replacement = equivalent(qualified)
    return replacement[0].name + replacement[1] if replacement else None


def goes_to_core(module: Module, use: Use) -> bool:
    """Returns whether the core's name can replace a use, with the same arguments by name."""
    replacement = equivalent(use.qualified)
    return replacement is not None and _arranged(module, use.node, replacement[0]) is not None


def core_edits(module: Module, use: Use) -> list[Edit]:
    """Returns the edits that replace a use with the core's name, including its arguments.

    Args:
        use: a use that ``goes_to_core``.
    """
    replacement = equivalent(use.qualified)
    assert replacement is not None
    edits = _arranged(module, use.node, replacement[0])
    assert edits is not None
    call = "()" * replacement[0].called
    chain = f"{tensorflow_name(module, use.node)}.{replacement[0].name}{call}{replacement[1]}"
    return [ReplaceExpression(use.node, Code(chain)), *edits]


def old_spelling(module: Module, use: Use) -> str:
    """Returns the name in tf.contrib by which a file reaches one of tf.estimator; "" for others."""
    spelled = (module.names.spelled(use.node) or "").replace(_V1, "tensorflow", 1)
    is_old = spelled.startswith("tensorflow.contrib.") and use.qualified.startswith(_ESTIMATOR)
    return spelled if is_old else ""


def estimator_name(module: Module, use: Use) -> str:
    """Returns the name, below ``tf.``, that tf.estimator has for one of tf.contrib; "" for none."""
    name = use.qualified
    if name.startswith(_MODE_KEYS):
        return f"estimator.ModeKeys.{name.removeprefix(_MODE_KEYS).replace('INFER', 'PREDICT')}"
    below = name.removeprefix("tensorflow.")
    is_there = (
        use.imported
        and old_spelling(module, use)
        and symbol_table.is_found(below, symbol_table.OLD)
    )
    return below if is_there else ""


def simple_core_name(qualified: str) -> str | None:
    """Returns the core equivalent of a name, if it means the same however it is called."""
    if (replacement := equivalent(qualified)) is None or replacement[0].called:
        return None
    if replacement[0].parameters or replacement[0].renamed or replacement[0].added:
        return None
    return replacement[0].name + replacement[1]


def kept_import(module: Module, binding: ImportBinding) -> Edit | None:
    """Returns the edit of an import that the file does not use, because other files may.

    Returns:
        The edit that imports the core's name, under the same name; None where the file uses it,
        or the core has no name that means the same however it is called.
    """
    if not isinstance(binding.statement, ast.ImportFrom) or module.uses_through(binding):
        return None
    if (core := simple_core_name(canonical(binding.qualified))) is None:
        return None
    code = import_of(f"{_V1}.{core}", binding.local)
    return ChangeImport(binding.statement, binding.alias, code)


def _arranged(module: Module, node: ast.expr, new: Equivalent) -> list[Edit] | None:
    """Returns the edits of a name's arguments, None where they cannot be determined."""
    if not (new.parameters or new.renamed or new.added):
        return []
    if (call := module.call_of(node)) is None:
        return [] if not new.renamed and not new.added and _is_metric(module, node) else None
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    if any(keyword.arg is None for keyword in call.keywords) and (new.renamed or new.added):
        return None
    if new.parameters and len(call.args) > len(new.parameters):
        return None
    arguments = _named(call, new)
    if written_arguments(call) == arguments and not new.added:
        return []
    passed_names = {keyword for keyword, _ in arguments}
    added = tuple(
        f"{name}={value}" for name, value in new.added.items() if name not in passed_names
    )
    return [ArrangeArguments(call, tuple(arguments), added)]


def _named(call: ast.Call, new: Equivalent) -> list[tuple[str, ast.expr]]:
    """Returns the arguments of a call by the parameter names of the equivalent."""
    arguments: list[tuple[str, ast.expr]] = []
    for index, (keyword, value) in enumerate(written_arguments(call)):
        if not keyword and new.parameters and index < len(call.args):
            keyword = new.parameters[index]
        if (name := new.renamed.get(keyword, keyword)) is not None:
            arguments.append((name, value))
    return arguments


def _is_metric(module: Module, node: ast.expr) -> bool:
    """Returns whether a function is passed to a MetricSpec, which calls it with keywords."""
    parent = module.parent(node)
    if isinstance(parent, ast.keyword):
        is_metric = parent.arg == "metric_fn"
        parent = module.parent(parent)
    else:
        is_metric = isinstance(parent, ast.Call) and parent.args[:1] == [node]
    return (
        is_metric
        and isinstance(parent, ast.Call)
        and module.resolve(parent.func) == f"{LEARN.source}.MetricSpec"
    )
