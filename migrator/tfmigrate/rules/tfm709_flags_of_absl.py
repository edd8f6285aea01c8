"""A flag that absl also defines gets `allow_override=True`; private parts of FLAGS are replaced.

What it does:
    Adds `allow_override=True` to the definition of a flag whose name absl defines itself:
    `log_dir`, `verbosity`, `v` and some more. Replaces `FLAGS._parse_flags()` with
    `FLAGS(sys.argv, known_only=True)`, and `FLAGS.__dict__['__flags']` with
    `FLAGS.flag_values_dict()`; `FLAGS.__flags` too, in files that call `_parse_flags`. Values that
    are assigned to these dictionaries are reported. An integer flag whose default is a float
    (`DEFINE_integer('lr', 0.001, ...)`) is defined as a float; other defaults that absl refuses, as
    numbers of string flags, are reported.

Why:
    TensorFlow has used absl's flags since 1.5 and absl's logging since 1.14. A second definition of
    one of absl's flags raises DuplicateFlagError, and `_parse_flags` does not exist. `__flags` held
    values before, and holds Flag objects now. Defaults of another type than the flag's raise
    IllegalFlagValueError; they were kept as they were.

Example:
    Before::

        import tensorflow as tf

        tf.app.flags.DEFINE_string('log_dir', '/tmp', 'Event files.')
        FLAGS = tf.app.flags.FLAGS
        FLAGS._parse_flags()
        print(FLAGS.__flags.items())
        session = tf.Session()

    After::

        import sys

        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()

        tf.app.flags.DEFINE_string(
            'log_dir',
            '/tmp',
            'Event files.',
            allow_override=True)
        FLAGS = tf.app.flags.FLAGS
        FLAGS(sys.argv, known_only=True)
        print(FLAGS.flag_values_dict().items())
        session = tf.Session()

What is left to you:
    Flags that are assigned by `FLAGS.__flags[name] = value`, and defaults of another type.

Safety:
    Safe: the program's own definition is used, as before TensorFlow 1.14.
"""

import ast
from collections.abc import Iterator, Mapping

from tfmigrate.families.tf1.migrated_files import file_draft, migrated
from tfmigrate.model.edits import AddKeywords, Code, Edit, ReplaceExpression
from tfmigrate.resolve.calls import argument
from tfmigrate.rulekit.basics import Draft, Drafts, Joins, Module, Program, Severity, drafted
from tfmigrate.rulekit.standard_imports import standard_import, standard_name

SEVERITY = Severity.FIXED
JOINS = Joins.NAMES
MODULES_BESIDE = ("tensorflow.python.platform.flags",)

_PACKAGES = ("tensorflow.app.flags", "tensorflow.flags", "tensorflow.python.platform.flags")
# Defined by absl.logging and absl.app when TensorFlow is imported (2.16 to 2.21), and by its tests.
_FLAGS_OF_ABSL = frozenset(
    {"alsologtostderr", "log_dir", "logger_levels", "logtostderr", "only_check_args", "pdb"}
    | {"pdb_post_mortem", "profile_file", "run_with_pdb", "run_with_profiling", "v", "verbosity"}
    | {"showprefixforinfo", "stderrthreshold", "test_random_seed", "test_srcdir", "test_tmpdir"}
    | {"use_cprofile_for_profiling", "xml_output_file"}
)
# The types of the defaults that absl takes.
_TYPES: Mapping[str, tuple[type, ...]] = {
    "DEFINE_bool": (bool, int, str),
    "DEFINE_boolean": (bool, int, str),
    "DEFINE_float": (float, int, str),
    "DEFINE_integer": (int, str),
    "DEFINE_string": (str,),
}


def check(program: Program) -> Drafts:
    """Yields a draft for every file with such flags, and one for each value that is assigned."""
    for module in migrated(program, "flags"):
        defined = [call for call in _definitions(module) if _is_of_absl(call)]
        parsed = [call for call in module.all(ast.Call) if _is_early_parse(module, call)]
        floats = [call for call in _definitions(module) if _is_float(call)]
        read, assigned = _values(module, bool(parsed))
        yield from (_assigned(module, node) for node in assigned)
        yield from _refused_defaults(module)
        if not (defined or parsed or read or floats):
            continue
        edits: list[Edit] = [AddKeywords(call, ("allow_override=True",)) for call in defined]
        sys = standard_name(module, "sys")
        for call in parsed:
            assert isinstance(call.func, ast.Attribute)
            code = Code(f"{{0}}({sys}.argv, known_only=True)", (call.func.value,))
            edits.append(ReplaceExpression(call, code))
        edits += standard_import(module, "sys") if parsed else ()
        for node, flags in read:
            edits.append(ReplaceExpression(node, Code("{0}.flag_values_dict()", (flags,))))
        for call in floats:
            assert isinstance(call.func, ast.Attribute)
            code = Code("{0}.DEFINE_float", (call.func.value,))
            edits.append(ReplaceExpression(call.func, code))
        kinds = ["flags that absl also defines -> allow_override=True"] if defined else []
        kinds += ["FLAGS._parse_flags() -> FLAGS(sys.argv)"] if parsed else []
        kinds += ["FLAGS.__flags -> FLAGS.flag_values_dict()"] if read else []
        kinds += ["integer flags whose default is a float -> DEFINE_float"] if floats else []
        places = [*defined, *parsed, *floats, *(node for node, _ in read)]
        yield file_draft(program, module, places, edits, ", ".join(kinds))


def _default(call: ast.Call) -> ast.expr | None:
    """Returns the default of a flag if it is written out, without its sign."""
    value = argument(call, 1, "default_value", "default")
    value = value.operand if isinstance(value, ast.UnaryOp) else value
    return value if isinstance(value, (ast.Constant, ast.List, ast.Tuple, ast.Dict)) else None


def _is_float(call: ast.Call) -> bool:
    """Returns whether an integer flag, named as an attribute, has a float for its default."""
    default, function = _default(call), call.func
    is_integer = isinstance(function, ast.Attribute) and function.attr == "DEFINE_integer"
    return is_integer and isinstance(default, ast.Constant) and type(default.value) is float


def _refused_defaults(module: Module) -> Drafts:
    """Yields a draft for every other default whose type absl refuses."""
    for call in _definitions(module):
        name = (module.resolve(call.func) or "").rpartition(".")[2]
        default = _default(call)
        if name not in _TYPES or default is None or _is_float(call):
            continue
        value = default.value if isinstance(default, ast.Constant) else default
        if value is not None and type(value) not in _TYPES[name]:
            yield drafted(
                module,
                call,
                f"absl refuses the default `{ast.unparse(default)}` of {name}",
                "define the flag with the type of its default, or change the default",
            )


def _values(
    module: Module, early: bool
) -> tuple[list[tuple[ast.expr, ast.expr]], list[ast.Subscript]]:
    """Returns the uses of the flags' values by their names, and the assignments to such.

    Args:
        early: whether it is from before TensorFlow 1.5, which made them Flag objects.

    Returns:
        The dictionaries that are only read, with the FLAGS they are of, and the assigned items.
    """
    attributes = module.all(ast.Attribute)
    early = early and not any(node.attr in ("value", "_value") for node in attributes)
    reads: list[tuple[ast.expr, ast.expr]] = [
        (node, node.value) for node in attributes if early and node.attr == "__flags"
    ]
    for node in module.all(ast.Subscript):
        holder, key = node.value, node.slice
        is_flags = isinstance(key, ast.Constant) and key.value == "__flags"
        if is_flags and isinstance(holder, ast.Attribute) and holder.attr == "__dict__":
            reads.append((node, holder.value))
    around = [(pair, module.parent(pair[0])) for pair in reads if _is_flags(module, pair[1])]
    assigned = [
        item
        for _, item in around
        if isinstance(item, ast.Subscript) and isinstance(item.ctx, ast.Store)
    ]
    return [pair for pair, item in around if item not in assigned], assigned


def _assigned(module: Module, item: ast.Subscript) -> Draft:
    message = f"`{ast.unparse(item.value)}` holds Flag objects, not values"
    action = "assign the flag itself: FLAGS.name = value"
    return drafted(module, item, message, action)


def _is_flags(module: Module, node: ast.expr) -> bool:
    return module.resolve(node) in [f"{package}.FLAGS" for package in _PACKAGES]


def _definitions(module: Module) -> Iterator[ast.Call]:
    for use in module.uses:
        package, _, name = use.qualified.rpartition(".")
        if package not in _PACKAGES or not name.startswith("DEFINE"):
            continue
        if call := module.call_of(use.node):
            yield call


def _is_of_absl(call: ast.Call) -> bool:
    """Returns whether a definition names a flag of absl, and has no ``allow_override`` yet."""
    names = [k.value for k in call.keywords if k.arg in ("flag_name", "name")] + call.args[:1]
    known = any(isinstance(n, ast.Constant) and n.value in _FLAGS_OF_ABSL for n in names)
    return known and all(k.arg not in (None, "allow_override") for k in call.keywords)


def _is_early_parse(module: Module, call: ast.Call) -> bool:
    """Returns whether it is ``FLAGS._parse_flags()``, without arguments."""
    function = call.func
    if not isinstance(function, ast.Attribute) or function.attr != "_parse_flags":
        return False
    return _is_flags(module, function.value) and not (call.args or call.keywords)
