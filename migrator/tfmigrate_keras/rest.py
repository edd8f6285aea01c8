"""What is left of TensorFlow 1.x besides the model: flags, logs, files, imports.

What a program does besides training is not changed, only the names by which it does that. tf.flags,
tf.app and tf.logging become absl, and where TensorFlow 1.x was more lenient than absl (flags that
are read before they are parsed, unknown ones), that is written out.
"""

import ast
import sys
from collections.abc import Iterator, Set
from dataclasses import replace
from importlib import resources

from tfmigrate.model.edits import (
    AddKeywords,
    ChangeImport,
    Code,
    Edit,
    InsertAfter,
    InsertBefore,
    ReplaceExpression,
)
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.scopes import Binding, ImportBinding, place_of, root_of
from tfmigrate.rulekit.added_definition import above_definitions, added_definition, last_import
from tfmigrate.rulekit.runtime_import import import_anchor
from tfmigrate.rulekit.standard_imports import standard_import
from tfmigrate.tables.symbol_table import NEWEST, is_found
from tfmigrate_keras.conversion import Conversion, refuse
from tfmigrate_keras.earlier_form import is_of_runtime
from tfmigrate_keras.hooks import remove_value
from tfmigrate_keras.members import with_members, without_callbacks
from tfmigrate_keras.own_hooks import TEST, calls_each_step
from tfmigrate_keras.quotes import in_style
from tfmigrate_keras.tables import kept
from tfmigrate_keras.tables.pieces import PIECES

_LOCAL = {"np": "numpy", "tf": "tensorflow"}
_PARSERS = ("argparse", "optparse", "click", "fire", "docopt", "getopt")
_ITERATORS = ("make_one_shot_iterator", "make_initializable_iterator")
# One step a call reads past the end of a Dataset of unknown size, and counts that as a step.
_STEP_BY_STEP = (
    "\t\tmodel.fit(dataset if steps is None else dataset.take(steps), callbacks=list(callbacks))\n",
    "\t\tdataset = dataset.take(steps)\n"
    "\t\tsize = None if dataset.cardinality() >= 0 else steps  # or it counts one more\n"
    "\t\tmodel.fit(dataset, steps_per_epoch=size, callbacks=list(callbacks))\n",
)
_WITH_CALLBACKS = ("evaluate_model", "ValidationMonitor")
_OF_DATASETS = ("output_shapes", "output_types", "output_classes")
_OF_GENERATORS = ("generator", "output_types", "output_shapes")
_OLD_ARGUMENTS = (
    *("dim", "dimension", "keep_dims", "reduction_indices", "squeeze_dims", "keep_prob"),
    *("concat_dim", "validate_indices"),
)

_ABSL_LOGGING = "absl.logging"
_FLAGS = ("tensorflow.app.flags.FLAGS", "tensorflow.flags.FLAGS")


def convert_rest(plan: Conversion) -> None:
    """Plans the edits of every other name of TensorFlow 1.x in the program, and of imports.

    Raises:
        Refusal: a name has no successor.
    """
    for module in plan.program.modules:
        for use in module.uses:
            if plan.is_removed(use.node) or not use.imported or not plan.first_time(use.node):
                continue
            _convert(plan, module, use.node, use.qualified)
    for module in plan.program.modules:
        _parse_flags(plan, module)
        _check_iterators(plan, module)
        plan.edits[module] += _imports(plan, module)
        plan.edits[module] += _definitions(plan, module)


def _parse_flags(plan: Conversion, module: Module) -> None:
    """Parses the flags above the first line of a script that reads one, as TensorFlow 1.x did."""
    for node in sorted(module.all(ast.Attribute), key=module.position):
        if module.function(node) is not module.tree or module.resolve(node.value) not in _FLAGS:
            continue
        if not isinstance(node.value, ast.Name) or plan.is_removed(node):
            continue
        code = Code(f"{node.value.id}(sys.argv, known_only=True)")
        plan.needs(module, "sys")
        plan.edits[module].append(InsertBefore(module.statement(node), code))
        return


def _convert(
    plan: Conversion, module: Module, node: ast.Name | ast.Attribute, qualified: str
) -> None:
    if _is_alias(plan, module, node, qualified):
        return
    for package, target in kept.PACKAGES.items():
        if qualified == package or qualified.startswith(f"{package}."):
            name = qualified.removeprefix(package).lstrip(".")
            name = kept.FUNCTIONS_OF_ABSL.get(name, name)
            local = target.rpartition(".")[2]
            if target == _ABSL_LOGGING and _has_standard_logging(module):
                local = "absl_logging"
                target = f"{_ABSL_LOGGING} as {local}"
            plan.needs(module, target)
            if qualified == "tensorflow.app.run":
                _pass_main(plan, module, node)
            _check_free(module, node, local, qualified, package)
            if getattr(root_of(node), "id", "") == local:
                return
            plan.replace(module, node, Code(f"{local}.{name}" if name else local))
            return
    if qualified in kept.RENAMED:
        new = kept.RENAMED[qualified]
        root = _root(module, node)
        plan.replace(module, node, Code(new.replace("tf.", f"{root}.", 1)))
        return
    if qualified in kept.KERAS:
        plan.needs(module, "keras")
        plan.replace(module, node, Code(qualified.removeprefix("tensorflow.")))
        return
    if qualified in kept.KEPT or qualified.startswith(kept.KEPT_PACKAGES):
        _check_kept(module, node, qualified)
        return
    statement = module.parent(node)
    if isinstance(statement, ast.Assign) and statement.value is node:
        remove_value(plan, module, node)
        if plan.is_removed(statement):
            return  # such as ``layers = tf.layers``
    name = qualified.replace("tensorflow.", "tf.", 1)
    refuse(node, f"`{name}` is not in the vocabulary of --target keras")


def _check_kept(module: Module, node: ast.Name | ast.Attribute, qualified: str) -> None:
    """Refuses a name that TensorFlow 2 does not have, or calls in another way."""
    if (module.names.spelled(node) or "").startswith("tensorflow.compat.v1"):
        refuse(node, f"`{ast.unparse(node)}` is of TensorFlow 1.x")
    name = qualified.removeprefix("tensorflow").lstrip(".")
    of_module = name.startswith("__")  # which no list of public names has
    if name and not of_module and not is_found(name, f"v2-{NEWEST}"):
        refuse(node, f"TensorFlow 2 has no `{qualified.replace('tensorflow.', 'tf.', 1)}`")
    if call := module.call_of(node):
        argument_count = len(call.args) + len(call.keywords)
        if name.endswith("Dataset.from_generator") and argument_count < len(_OF_GENERATORS):
            refuse(call, "the shapes of a Dataset of a generator are not given")
        for keyword in call.keywords:
            if keyword.arg in _OLD_ARGUMENTS:
                refuse(keyword.value, f"TensorFlow 2 has no argument `{keyword.arg}`")


def _check_iterators(plan: Conversion, module: Module) -> None:
    """Refuses what is left of iterators, which Datasets of TensorFlow 2 do not have."""
    for node in plan.left(module.all(ast.Attribute)):
        if node.attr in _ITERATORS:
            refuse(node, f"`{node.attr}` outside of an input function's `return`")
        if node.attr in _OF_DATASETS:
            refuse(node, f"Datasets of TensorFlow 2 have no `{node.attr}`")


def _has_standard_logging(module: Module) -> bool:
    return any(binding.qualified == "logging" for binding in module.import_bindings)


def _is_alias(
    plan: Conversion, module: Module, node: ast.Name | ast.Attribute, qualified: str
) -> bool:
    """Removes ``flags = tf.app.flags``, where an import binds the same name."""
    statement = module.parent(node)
    if not isinstance(statement, ast.Assign) or statement.value is not node:
        return False
    target = kept.PACKAGES.get(qualified)
    names = [t.id for t in statement.targets if isinstance(t, ast.Name)]
    if target is None or names != [target.rpartition(".")[2]]:
        return False
    plan.needs(module, target)
    plan.remove(module, statement)
    return True


def _check_free(module: Module, node: ast.expr, local: str, qualified: str, package: str) -> None:
    """Refuses a name of absl that means something else in the file."""
    for binding in (module.names.scope_of[node].lookup(local) or (None, []))[1]:
        value = getattr(binding, "value", None)
        if value is not None and module.resolve(value) in kept.PACKAGES:
            continue
        if isinstance(binding, ImportBinding) and binding.qualified in (
            package,
            f"absl.{local}",
            *kept.PACKAGES,
        ):
            continue
        refuse(node, f"`{qualified}` becomes absl's `{local}`, and the file has another `{local}`")


def _pass_main(plan: Conversion, module: Module, node: ast.expr) -> None:
    """Passes ``main`` to ``tf.app.run()``, which took it from the file that was started.

    ``tf.app.run`` left arguments to the program that are no flags; absl ends with an error.
    """
    call = module.parent(node)
    if not isinstance(call, ast.Call):
        return
    added = []
    if _reads_arguments(plan):
        _check_free(module, node, "flags", "tensorflow.flags", "tensorflow.flags")
        plan.needs(module, "absl.flags")
        added.append("flags_parser=lambda argv: flags.FLAGS(argv, known_only=True)")
    if not call.args and not call.keywords:
        code = Code("{0}", (call.func,), ("main", *added))
        plan.edits[module].append(ReplaceExpression(call, code))
    elif added:
        plan.edits[module].append(AddKeywords(call, tuple(added)))


def _reads_arguments(plan: Conversion) -> bool:
    """Returns whether a program reads its command line by other means than flags."""
    return any(
        binding.qualified.partition(".")[0] in _PARSERS
        for module in plan.program.modules
        for binding in module.import_bindings
    )


def _root(module: Module, node: ast.expr) -> str:
    root = root_of(node)
    assert isinstance(root, ast.Name)
    if module.resolve(root) != "tensorflow":
        refuse(root, f"`{ast.unparse(root)}` is not TensorFlow itself")
    return root.id


def _imports(plan: Conversion, module: Module) -> Iterator[Edit]:
    """Yields the edits that add imports, each where it belongs in the order of names."""
    needed = plan.imports[module]
    for name in needed:
        _check_module(module, name)
    bound = {b.qualified for b in module.import_bindings}
    added = ["import keras"] if "keras" in needed - bound else []
    added += [
        f"import {name} as {local}" for local, name in _LOCAL.items() if _lacks(plan, module, local)
    ]
    edits = [_added_import(module, code) for code in added]
    yield from (edit for edit in edits if isinstance(edit, InsertAfter))
    yield from (edit for edit in reversed(edits) if isinstance(edit, InsertBefore))
    absl = sorted(name.partition(".")[2] for name in needed - bound if name.startswith("absl."))
    if absl:
        yield _added_import(module, f"from absl import {', '.join(absl)}")
    for binding in module.import_bindings:
        uses = module.uses_through(binding)
        # Names of tf.contrib are replaced where they are, or refused.
        contrib = binding.qualified.startswith("tensorflow.contrib.")
        unused = uses and (contrib or all(plan.is_removed(u.node) for u in uses))
        if is_of_runtime(binding) or (_is_of_tensorflow(binding) and unused):
            yield ChangeImport(binding.statement, binding.alias, "")
    yield from _standard_imports(module, needed & sys.stdlib_module_names)


def _check_module(module: Module, name: str) -> None:
    """Refuses a name of the file that would hide a module that code which is added uses."""
    local = name.partition(" as ")[2] or name.rpartition(".")[2]
    for binding in module.names.bindings_of(local):
        if isinstance(binding, ImportBinding) or local not in ("keras", *sys.stdlib_module_names):
            continue
        text = f"`{local}` is not the module `{local}` in this file"
        refuse(place_of(binding), text, "rename it")


def _lacks(plan: Conversion, module: Module, local: str) -> bool:
    """Returns whether code that is added uses ``tf`` or ``np``, which the file does not import.

    Raises:
        Refusal: the file has another ``tf`` or ``np``.
    """
    name = _LOCAL[local]
    bindings = module.names.bindings_of(local)
    own = [b for b in bindings if not (isinstance(b, ImportBinding) and b.qualified == name)]
    texts = (_text(piece) for piece in plan.written_out[module])
    if len(own) < len(bindings) or not any(f"{local}." in text for text in texts):
        return False
    if own:
        refuse(module.tree, f"the file has a `{local}` that is not {name}", "rename it")
    return True


def _text(piece: str) -> str:
    folder = resources.files("tfmigrate_keras").joinpath("data/written_out")
    return folder.joinpath(f"{piece}.py.txt").read_text("utf-8")


def _standard_imports(module: Module, names: Set[str]) -> Iterator[Edit]:
    """Yields the edits that import modules of the standard library, in the order of names."""
    edits = [edit for name in sorted(names) for edit in standard_import(module, name)]
    yield from (edit for edit in edits if not isinstance(edit, InsertBefore))
    above = [edit for edit in edits if isinstance(edit, InsertBefore)]
    for edit in reversed(above):  # each is put above the one before it
        yield replace(edit, blank_lines=edit.blank_lines and edit is above[-1])


def _added_import(module: Module, code: str) -> Edit:
    anchor = import_anchor(module)
    body = module.tree.body
    if anchor is None or anchor not in body:
        return InsertBefore(body[0], Code(code))
    block = [anchor]
    for statement in reversed(body[: body.index(anchor)]):
        if not isinstance(statement, (ast.Import, ast.ImportFrom)) or _is_distant(
            module, statement, block[0]
        ):
            break
        block.insert(0, statement)
    name = code.split()[1]
    if above := [s for s in block if _module_name(s) <= name]:
        return InsertAfter(above[-1], Code(code))
    return InsertBefore(block[0], Code(code))


def _is_distant(module: Module, statement: ast.stmt, following: ast.stmt) -> bool:
    """Returns whether something stands between two statements."""
    return (statement.end_lineno or 0) + 1 != module.position(following)[0]


def _module_name(statement: ast.stmt) -> str:
    if isinstance(statement, ast.ImportFrom):
        return statement.module or ""
    assert isinstance(statement, ast.Import)
    return statement.names[0].name


def _definitions(plan: Conversion, module: Module) -> list[Edit]:
    """Returns the edits that add the classes and functions that are written out."""
    _check_imported(plan, module)
    early = _is_needed_early(plan, module)
    edits = []
    for piece in sorted(plan.written_out[module], key=[*PIECES].index):
        for binding in module.names.bindings_of(piece):
            if not _is_of_tensorflow(binding):
                refuse(module.tree, f"the file has a `{piece}` already", "rename it")
        text = _text(piece)
        if piece in _WITH_CALLBACKS and not _has_callbacks(plan):
            text = without_callbacks(text)
        if piece == "train_model" and calls_each_step(plan):
            text = text.replace(*_STEP_BY_STEP)
        if piece in plan.members:
            text = with_members(text, plan.members[piece])
        edits.append(added_definition(module, in_style(module, text), early))
    if edits and isinstance(edits[0], InsertAfter):
        return edits
    return edits[::-1]  # each is put above the one before it


def _has_callbacks(plan: Conversion) -> bool:
    """Returns whether evaluations of a program have callbacks."""
    return any(TEST in sides for _, sides in plan.callbacks.values())


def _check_imported(plan: Conversion, module: Module) -> None:
    """Refuses calls of what is written out above the last import, below which it is defined."""
    body = module.tree.body
    above = {
        node
        for statement in body[: last_import(module)]
        for node in module.walk(statement)
        if module.function(node) is module.tree
    }
    for edit in plan.edits[module]:
        if isinstance(edit, ReplaceExpression) and edit.node in above:
            name = edit.code.template.partition("(")[0]
            if name in plan.written_out[module]:
                refuse(edit.node, f"`{name}` would be called above its definition", "import first")


def _is_needed_early(plan: Conversion, module: Module) -> bool:
    """Returns whether a statement above the definitions of a file calls what is written out."""
    above = {node for statement in above_definitions(module) for node in module.walk(statement)}
    codes = [
        edit.code.template
        for edit in plan.edits[module]
        if isinstance(edit, ReplaceExpression) and edit.node in above
    ]
    return any(code.partition("(")[0] in plan.written_out[module] for code in codes)


def _is_of_tensorflow(binding: Binding) -> bool:
    return isinstance(binding, ImportBinding) and binding.qualified.startswith("tensorflow.")
