"""A removed name of `tensorflow.python` becomes the public name of the same object.

What it does:
    Replaces names of TensorFlow's internal modules that TensorFlow 2.16 and later do not have
    there, or have as another class (`DeviceSpec`, `Dataset`), if TensorFlow 1.15 had the same
    function or class under `tf`. Calls of `tensor_shape.scalar`, `vector` and `matrix` become
    `tf.TensorShape([...])`. `training_ops`, whose functions are in `gen_training_ops`, and
    `estimator.util.fn_args` are imported from where they are now. Names that were never public are
    reported. Most of `tensorflow.python` still exists, and stays.

Why:
    These modules were never public. `control_flow_ops.cond` and `framework.ops.Tensor`, for
    example, are now in other modules.

Example:
    Before::

        from tensorflow.python.framework import ops
        from tensorflow.python.ops import control_flow_ops
        import tensorflow as tf

        def double(x):
          assert isinstance(x, ops.Tensor)
          with ops.name_scope('double'), tf.Session():
            return control_flow_ops.cond(x > 0, lambda: x * 2, lambda: x)

    After::

        from tensorflow.python.framework import ops
        import tensorflow.compat.v1 as tf

        def double(x):
          assert isinstance(x, tf.Tensor)
          with ops.name_scope('double'), tf.Session():
            return tf.cond(x > 0, lambda: x * 2, lambda: x)

What is left to you:
    Names that were never public: copy their code into the program, or use a public name.

Safety:
    Safe: the public name was the same object in TensorFlow 1.15.
"""

import ast

from tfmigrate.families.tf1.internal_imports import rehomed_imports
from tfmigrate.families.tf1.is_tf1 import group_of, imported_name, legacy_modules
from tfmigrate.families.tf1.unused_imports import is_removable
from tfmigrate.model.edits import ChangeImport, Code, Edit, ReplaceExpression
from tfmigrate.model.findings import in_places
from tfmigrate.resolve.canonical import canonical
from tfmigrate.resolve.guards import is_guarded
from tfmigrate.resolve.module import imports, star_imports
from tfmigrate.resolve.scopes import ImportBinding
from tfmigrate.rulekit.basics import Drafts, Joins, Module, Program, Severity, Status, Use, drafted
from tfmigrate.rulekit.tensorflow_import import (
    tensorflow_import,
    tensorflow_name,
    tensorflow_v1_name,
)
from tfmigrate.tables.internal_names import PACKAGE, SHAPES, is_gone, is_other_class, public_name

SEVERITY = Severity.FIXED
JOINS = Joins.NAMES
OF_ONE_GENERATION = True  # tf.contrib and internal names differ between TensorFlows
SYMBOLS = {Status.GONE: ("tensorflow.python",)}

# Decorators of functions of shapes, which the operations themselves have since TensorFlow 1.0.
_WITHOUT_EFFECT = ".RegisterShape"


def check(program: Program) -> Drafts:
    """Yields one draft for the names that are replaced, and one for each name that stays."""
    legacy = set(program.once(legacy_modules))
    for module in program.mentioning("tensorflow"):
        rehomed = rehomed_imports(module)
        rehomed_uses = {id(use.node) for binding in rehomed for use in module.uses_through(binding)}
        gone = [u for u in module.uses if is_gone(u.qualified) and id(u.node) not in rehomed_uses]
        if module in legacy:
            gone += [use for use in module.uses if is_other_class(use.qualified)]
        gone = [u for u in gone if not is_guarded(module, u.node)]
        moved = [use for use in gone if _is_replaced(module, use)]
        changed = [
            b for b in imports(module) if b not in rehomed and _goes(program, module, b, moved)
        ]
        if moved or changed or rehomed:
            named = tensorflow_name if module in legacy else tensorflow_v1_name
            edits: list[Edit] = [
                _replacement(module, use, named(module, use.node)) for use in moved
            ]
            edits += tensorflow_import(module, *(use.node for use in moved)) if moved else ()
            edits += [ChangeImport(b.statement, b.alias, "") for b in changed]
            edits += [ChangeImport(b.statement, b.alias, new) for b, new in rehomed.items()]
            places: list[ast.AST] = [use.node for use in moved]
            places += [binding.alias for binding in (*changed, *rehomed)]
            yield drafted(
                module,
                places[0],
                f"tensorflow.python names -> current names{in_places(len(moved))}",
                edits=edits,
                group=group_of(program, module),
                quiet=True,
            )
        left = [use for use in gone if not _is_replaced(module, use)]
        yield from _left(module, left, [*changed, *rehomed])
        yield from _stars(module)


def _stars(module: Module) -> Drafts:
    """Yields a draft for ``from tensorflow.python import *``, which had all of TensorFlow."""
    for statement in star_imports(module, PACKAGE):
        if statement.module == PACKAGE and not is_guarded(module, statement):
            message = f"{PACKAGE} no longer has the functions of TensorFlow that * takes from it"
            action = "import tensorflow as tf, and name them by it"
            yield drafted(module, statement, message, action)


def _is_replaced(module: Module, use: Use) -> bool:
    return use.imported and (
        public_name(use.qualified) is not None or _shape_call(module, use) is not None
    )


def _replacement(module: Module, use: Use, tensorflow: str) -> Edit:
    """Returns the edit that replaces a use, with the name that TensorFlow has in the file."""
    if (shape := _shape_call(module, use)) is not None:
        call, sizes = shape
        places = ", ".join(f"{{{index}}}" for index in range(len(sizes)))
        return ReplaceExpression(call, Code(f"{tensorflow}.TensorShape([{places}])", sizes))
    public_parts = public_name(use.qualified)
    assert public_parts is not None
    return ReplaceExpression(use.node, Code(f"{tensorflow}.{public_parts[0]}{public_parts[1]}"))


def _shape_call(module: Module, use: Use) -> tuple[ast.Call, tuple[ast.expr, ...]] | None:
    """Returns a call of a function of shapes and its sizes, in the order of its parameters."""
    call = module.call_of(use.node)
    if use.qualified not in SHAPES or call is None:
        return None
    names = SHAPES[use.qualified]
    sizes = {k.arg: k.value for k in call.keywords} | dict(zip(names, call.args, strict=False))
    if set(sizes) != set(names) or len(call.args) + len(call.keywords) != len(names):
        return None
    if any(isinstance(size, ast.Starred) for size in call.args):
        return None
    return call, tuple(sizes[name] for name in names)


def _goes(program: Program, module: Module, binding: ImportBinding, moved: list[Use]) -> bool:
    """Returns whether an import becomes unused, or is unused and fails."""
    if isinstance(binding.statement, ast.Import) and not binding.alias.asname:
        return False
    qualified = canonical(binding.qualified)
    if not (qualified + ".").startswith(PACKAGE + ".") or is_guarded(module, binding.statement):
        return False
    nodes = {id(use.node) for use in moved}
    uses = module.uses_through(binding)
    if not uses:  # a name that branches bind differently has none either
        return is_gone(qualified) and is_removable(program, module, binding)
    return all(id(use.node) in nodes for use in uses)


def _left(module: Module, uses: list[Use], changed: list[ImportBinding]) -> Drafts:
    """Yields a draft for the first use of every removed name without a public equivalent."""
    first: dict[str, ast.AST] = {}
    for use in uses:
        first.setdefault(use.qualified, use.node)
    for binding in imports(module):
        name = imported_name(binding)
        reported = binding in changed or any((n + ".").startswith(name + ".") for n in first)
        if is_gone(name) and not reported and not is_guarded(module, binding.statement):
            first[name] = binding.alias
    for name, node in first.items():
        message = f"{name} is not in TensorFlow 2.16 and later, and was never public"
        action = "copy its code from TensorFlow 1.15 into the program, or use a public name"
        if name.endswith(_WITHOUT_EFFECT):
            action = "remove it: this decorator had no effect in TensorFlow 1.x"
        yield drafted(module, node, message, action)
