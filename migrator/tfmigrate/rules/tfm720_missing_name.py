"""A name that TensorFlow 2.21 does not have, and that no other rule reports.

What it does:
    Looks up every name of TensorFlow, Keras and tfmigrate_runtime that a file uses after migration,
    and reports the first use of each missing one. Names behind a version check (a test of the
    version, `hasattr` or `except ImportError`), names that the program sets itself
    (`tf.best = 0`) and names that another rule reports are skipped. It also reports
    `tf.layers.__dict__` and `vars(tf.nn.rnn_cell)`, which are empty until a name of the package is
    used, and `getattr(tf.contrib.opt, name)`, if the package that replaces it lacks public names.

Why:
    The file fails at the first use of the name, so its migration is incomplete.

Example:
    Before::

        import tensorflow as tf
        from tensorflow.python.ops import rnn_cell_impl

        def check(inputs):
          logger = tf.logging._logger
          rnn_cell_impl._check_rnn_cell_input_dtypes([inputs])
          return logger

What is left to you:
    Use what the message suggests. A name of `tensorflow.python` without a replacement was never
    public: copy its code from TensorFlow 1.x into the program.

Safety:
    Nothing is changed.
"""

import ast

from tfmigrate.families.tf1.core_names import missing
from tfmigrate.families.tf1.looked_up import looked_up
from tfmigrate.families.tf1.migrated_files import migrated
from tfmigrate.families.tf1.renamed_package import CONTRIB
from tfmigrate.families.tf1.standalone_keras import name_in_tf_keras
from tfmigrate.families.tf1.symbols import symbol
from tfmigrate.model.tensorflow_versions import NEWEST
from tfmigrate.resolve.canonical import canonical
from tfmigrate.rulekit.basics import Draft, Drafts, Module, Program, Severity, Status, drafted
from tfmigrate.tables.chains import and_above
from tfmigrate.tables.listed import sections
from tfmigrate.tables.moved_names import new_name
from tfmigrate.tables.runtime_api import PACKAGES
from tfmigrate.tables.runtime_modules import RUNTIME

SEVERITY = Severity.MANUAL
KEPT_FOR_ESTIMATOR = True

_COPY = "copy its code from TensorFlow 1.x into the program, or use a public name"
_MISSPELLED = (
    "TensorFlow 1.15 does not have it either: correct the name or, if another version had it, look "
    "for its replacement in the release notes"
)
_PRIVATE = (
    "tensorflow.python", "tensorflow.core", "tensorflow.tools", "tensorflow.contrib",
    "tensorflow.examples",
)  # fmt: skip
_OF = {"keras": "Keras 3", "tf_keras": f"tf-keras {NEWEST}", RUNTIME: "tfmigrate_runtime"}
_NEITHER = "tf-keras does not have it either: use its replacement in the release notes of Keras 2"
_ADVICE = sections("keras_advice")["names"].others


def check(program: Program) -> Drafts:
    """Yields a draft for each lookup of a name by its text that may fail.

    Other names are looked up in the new texts, after all other rules.
    """
    for module in migrated(program, "getattr", "__dict__", "vars"):
        for node, message, action in looked_up(module):
            yield drafted(module, node, message, action)


def draft_of_missing(
    module: Module, node: ast.AST, qualified: str, part: str, rebound: str, line: int
) -> Draft:
    """Returns the draft of a missing name.

    Args:
        node: the place.
        qualified: the whole name, as it is reached.
        part: the part of it that is missing.
        rebound: the variable, if the file also binds it to something else; "" if not.
        line: the line of that binding.
    """
    is_contrib = canonical(part) == CONTRIB
    shown = _shown(canonical(qualified) if is_contrib else part)
    message = f"{shown} is not in {_OF.get(part.partition('.')[0], f'TensorFlow {NEWEST}')}"
    action = _rename(rebound, line) if rebound else _action(qualified, part)
    return drafted(module, node, message, action)


def _rename(name: str, line: int) -> str:
    return f"rename the variable `{name}` at line {line}, then run tfmigrate again"


def _shown(name: str) -> str:
    """Returns a name as people write it: internal modules in full, public ones below ``tf``."""
    if name.startswith(_PRIVATE[:3]):
        return name
    for root in ("tensorflow.compat.v1.", "tensorflow.compat.v2.", "tensorflow."):
        if name.startswith(root):
            return "tf." + name.removeprefix(root)
    return name


def _action(qualified: str, part: str) -> str:
    if canonical(qualified) == CONTRIB:
        return "write each tf.contrib name in full where it is used, then run tfmigrate again"
    if part == qualified == "keras.layers.merge":  # the function; there was a module, too
        return _ADVICE["keras.layers.Merge"]
    if part.startswith("keras.") and (new := new_name(part)) is not None:
        return f"use {new_name(qualified) or new + qualified.removeprefix(part)}"
    if advice := keras_advice(part) or keras_advice(canonical(qualified)):
        return advice
    if constants := _constants_beside(part):
        return f"use {', '.join(constants[:-1])} or {constants[-1]}"
    why = missing(_replaced(qualified)) if qualified.startswith(f"{RUNTIME}.") else None
    if why is not None:
        return why.action
    if (known := symbol(qualified)) is not None and known.status is Status.KERAS_2:
        return (
            "it needs Keras 2: install tf-keras, and set TF_USE_LEGACY_KERAS=1 in the environment "
            "before the program starts"
        )
    if known is not None and known.advice:
        return known.advice
    if known is not None and known.equivalent:
        # Of Keras, compat.v1 has some names with Keras 3 only, and compat.v2 with either.
        of_v1 = "v2" if known.equivalent == qualified else "v1"
        return f"use {known.equivalent.replace('tensorflow.compat.v1.', f'tf.compat.{of_v1}.', 1)}"
    if part.endswith(".python") and qualified != part:
        module, _, name = f"{_PRIVATE[0]}{qualified.removeprefix(part)}".rpartition(".")
        return f"import it (from {module} import {name}), or use a public name"
    return _COPY if known is not None or not _is_public(part) else _MISSPELLED


def _constants_beside(name: str) -> list[str]:
    """Returns what the class of constants of the runtime has that a missing name would be of."""
    holder = name.rpartition(".")[0]
    constants = (p.constants.get(holder.removeprefix(f"{p.target}.")) for p in PACKAGES)
    return sorted(next(filter(None, constants), ()))


def _replaced(name: str) -> str:
    """Returns the name of TensorFlow 1.x that one of the runtime would replace."""
    of = next((p for p in PACKAGES if p.source and name.startswith(f"{p.target}.")), None)
    return of.source + name.removeprefix(of.target) if of else name


def _is_public(name: str) -> bool:
    return name.startswith("tensorflow.") and not name.startswith(_PRIVATE) and "._" not in name


def keras_advice(qualified: str) -> str:
    """Returns what to do about a missing name of Keras; "" where nothing is known."""
    advice = next((_ADVICE[name] for name in and_above(qualified) if name in _ADVICE), "")
    general = advice in (_ADVICE["keras"], _ADVICE["keras.backend"])
    return _NEITHER if general and name_in_tf_keras(qualified) is None else advice
