"""A file mixes names of TensorFlow 1.x and TensorFlow 2, and runs on neither.

What it does:
    Reports the first name, or argument (`tf.summary.scalar(step=...)`), that only TensorFlow 2 has,
    or the first assertion of TensorFlow 2, in a file that uses names only TensorFlow 1.x has.

Why:
    `import tensorflow.compat.v1 as tf` lacks the TensorFlow 2 names, and `import tensorflow as tf`
    lacks the TensorFlow 1.x names. The code does not show which of the two is dead.

Example:
    Before::

        import tensorflow as tf

        def train(loss):
          tf.train.get_or_create_global_step()
          session = tf.Session()
          optimizer = tf.optimizers.Adam(0.1)

What is left to you:
    Remove the code that the program does not run, or write the names of one generation in full:
    `tf.compat.v1.Session`, `tf.compat.v2.optimizers.Adam`. Then run tfmigrate again.

Safety:
    Nothing is changed: the file and the program it belongs to stay as they are.
"""

import ast
from collections.abc import Iterator

from tfmigrate.families.tf1 import is_tf1
from tfmigrate.resolve.guards import is_guarded_by_mode
from tfmigrate.rulekit.basics import Drafts, Module, Program, Severity, drafted

SEVERITY = Severity.MANUAL
# How many arguments given by position mean the same in both generations.
_SAME = {
    "argmax": 2, "argmin": 2, "boolean_mask": 2, "convert_to_tensor": 2, "image.resize": 0,
    "losses.mean_squared_error": 0, "math.argmax": 2, "math.argmin": 2,
    "metrics.mean_absolute_error": 0, "metrics.mean_squared_error": 0, "nn.ctc_loss": 0,
    "nn.dropout": 1, "nn.embedding_lookup": 2, "nn.moments": 2, "random.poisson": 0, "size": 1,
    "squeeze": 2, "strings.split": 0, "summary.audio": 0, "summary.histogram": 0,
    "summary.image": 0, "summary.scalar": 0, "summary.text": 0, "transpose": 2,
}  # fmt: skip


def check(program: Program) -> Drafts:
    """Yields a draft for the first name of TensorFlow 2 in a file of TensorFlow 1.x."""
    for module in program.mentioning("tensorflow"):
        if (newer := is_tf1.names_of_v2(module)) and is_tf1.is_of_v1(module):
            yield drafted(
                module,
                newer[0],
                f"{_shown(module, newer[0])}, but this file also uses TensorFlow 1.x names",
                "write the names of one version in full (tf.compat.v1.x or tf.compat.v2.x), "
                "then run tfmigrate again",
                group=is_tf1.group_of(program, module),
                blocks=True,
            )
    for module, name, call, old, new in shared_calls(program):
        yield drafted(
            module,
            call,
            f"tf.{name} differs between TensorFlow 1.x and 2, and both "
            f"{old.source.display} (TensorFlow 1.x) and {new.source.display} (TensorFlow 2) import "
            "this file",
            f"write tf.compat.v1.{name} or tf.compat.v2.{name}, or give each program its "
            "own function",
        )


def _shown(module: Module, node: ast.AST) -> str:
    """Returns how a message names a place of TensorFlow 2."""
    if isinstance(node, (ast.Assert, ast.If)):
        return f"`{ast.unparse(node.test)}` requires TensorFlow 2"
    if isinstance(node, ast.keyword):
        call = module.parent(node)
        assert isinstance(call, ast.Call)
        return f"argument {node.arg} of {ast.unparse(call.func)} is only in TensorFlow 2"
    return f"{ast.unparse(node)} is only in TensorFlow 2"


def shared_calls(program: Program) -> Iterator[tuple[Module, str, ast.Call, Module, Module]]:
    """Yields the calls of shared files whose meaning differs between their programs.

    Yields:
        The file, the name below ``tf``, the first such call of it, and a file of each generation
        that imports the file.
    """
    legacy, modern = program.once(is_tf1.legacy_modules), program.once(is_tf1.modules_of_v2)
    for module in program.modules if legacy and modern else ():
        if module in legacy:
            continue
        old = next((m for m in legacy if module in program.reachable(m)), None)
        new = next((m for m in modern if module in program.reachable(m)), None)
        if old is not None and new is not None and new is not module:
            yield from ((module, name, call, old, new) for name, call in _calls(module).items())


def _calls(module: Module) -> dict[str, ast.Call]:
    first_calls: dict[str, ast.Call] = {}
    for use in module.uses:
        name = use.qualified.partition(".")[2]
        call = module.call_of(use.node)
        if name not in _SAME or call is None:
            continue
        same = _SAME[name]
        differs = not same or len(call.args) > same
        here = use.node
        if (
            differs
            and not is_tf1.reached_by_compat(module, here)
            and not is_guarded_by_mode(module, here)
        ):
            first_calls.setdefault(name, call)
    return first_calls
