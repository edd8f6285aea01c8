"""A flag that absl also defines gets `allow_override=True`; `_parse_flags()` is replaced.

What it does:
    Adds `allow_override=True` to the definition of a flag whose name absl defines itself:
    `log_dir`, `verbosity`, `v` and some more. Replaces `FLAGS._parse_flags()` with
    `FLAGS(sys.argv, known_only=True)`.

Why:
    TensorFlow has used absl's flags since 1.5 and absl's logging since 1.14. A second definition of
    one of absl's flags raises DuplicateFlagError, and `_parse_flags` does not exist.

Example:
    Before::

        import tensorflow as tf

        tf.app.flags.DEFINE_string('log_dir', '/tmp', 'Event files.')
        FLAGS = tf.app.flags.FLAGS
        FLAGS._parse_flags()
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
        session = tf.Session()

What is left to you:
    Nothing.

Safety:
    Safe: the program's own definition is used, as before TensorFlow 1.14.
"""

import ast
from collections.abc import Iterator

from tfmigrate.families.tf1.file_drafts import file_draft
from tfmigrate.families.tf1.is_tf1 import centres_of
from tfmigrate.model.edits import AddKeywords, Code, Edit, ReplaceExpression
from tfmigrate.model.findings import Severity
from tfmigrate.resolve.module import Module
from tfmigrate.resolve.program import Program
from tfmigrate.rulekit.drafts import Draft, Joins
from tfmigrate.rulekit.standard_imports import standard_import, standard_name

CODE = "TFM709"
NAME = "flags-of-absl"
SEVERITY = Severity.FIXED
TARGET = "2.16"
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


def check(program: Program) -> Iterator[Draft]:
    """Yields one draft for every file that defines such flags or calls ``_parse_flags``."""
    centres = program.once(centres_of)
    for module in program.mentioning("flags"):
        if not program.connected(module, centres):
            continue
        defined = [call for call in _definitions(module) if _is_of_absl(call)]
        parsed = [call for call in module.all(ast.Call) if _is_early_parse(module, call)]
        if not defined and not parsed:
            continue
        edits: list[Edit] = [AddKeywords(call, ("allow_override=True",)) for call in defined]
        sys = standard_name(module, "sys")
        for call in parsed:
            assert isinstance(call.func, ast.Attribute)
            code = Code(f"{{0}}({sys}.argv, known_only=True)", (call.func.value,))
            edits.append(ReplaceExpression(call, code))
        edits += standard_import(module, "sys") if parsed else ()
        kinds = ["flags that absl also defines -> allow_override=True"] if defined else []
        kinds += ["FLAGS._parse_flags() -> FLAGS(sys.argv)"] if parsed else []
        yield file_draft(CODE, program, module, [*defined, *parsed], edits, ", ".join(kinds))


def _definitions(module: Module) -> Iterator[ast.Call]:
    for use in module.uses:
        package, _, name = use.qualified.rpartition(".")
        call = module.parent(use.node)
        if package not in _PACKAGES or not name.startswith("DEFINE"):
            continue
        if isinstance(call, ast.Call) and call.func is use.node:
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
    flags = module.resolve(function.value) or ""
    return flags in [f"{package}.FLAGS" for package in _PACKAGES] and not (
        call.args or call.keywords
    )
