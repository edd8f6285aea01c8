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
_SESSION = (
    "Keras 3 has no sessions: import it from tf.compat.v1.keras (tf-keras, TF_USE_LEGACY_KERAS=1), "
    "or remove the session"
)
_FUNCTIONAL = "use keras.ops, or import Keras 2 (pip install tf-keras; import tf_keras as keras)"
_KERAS_2 = "import Keras 2 instead (pip install tf-keras; import tf_keras as keras)"
_NEITHER = "tf-keras does not have it either: use its replacement in the release notes of Keras 2"
_DILATION = "use keras.layers.Conv{}, with dilation_rate in place of atrous_rate"
_MERGED = (
    "use keras.layers.add, multiply, average, maximum, concatenate or dot, as its mode says, and "
    "axis or axes in place of concat_axis and dot_axes"
)
_MIXED = (
    "use tf.keras.mixed_precision: set_global_policy for set_policy, a Policy without loss_scale, "
    "and a LossScaleOptimizer of the optimizer alone"
)
_VERSION = "use tf_keras.__version__ (import tf_keras): tf.keras is Keras 2 in this program"
_ADVICE = {
    "keras.backend.get_session": _SESSION,
    "keras.backend.set_session": _SESSION,
    "keras.backend.tensorflow_backend": _SESSION,
    "keras.backend.learning_phase": "pass training=True or training=False to the model",
    "keras.backend.set_learning_phase": "pass training=True or training=False to the model",
    "keras.backend.manual_variable_initialization": _SESSION,
    "keras.backend": _FUNCTIONAL,
    "keras.initializations": "use the classes of keras.initializers, which are called with a shape",
    "keras.layers.AtrousConv1D": _DILATION.format("1D"),
    "keras.layers.AtrousConv2D": _DILATION.format("2D"),
    "keras.layers.AtrousConvolution1D": _DILATION.format("1D"),
    "keras.layers.AtrousConvolution2D": _DILATION.format("2D"),
    "keras.layers.Merge": _MERGED,
    "keras.optimizers.rmsprop": "use keras.optimizers.RMSprop",
    "keras.preprocessing.text": "use keras.layers.TextVectorization, or the module of tf_keras",
    "keras.utils.multi_gpu_model": "use tf.distribute.MirroredStrategy",
    "keras.utils.training_utils": "use tf.distribute.MirroredStrategy",
    "keras.wrappers.scikit_learn": "use the scikeras package",
    "keras": _KERAS_2,
    "tensorflow.keras.__version__": _VERSION,
    "tensorflow.keras.layers.experimental.preprocessing": (
        "use the layer of that name in tf.keras.layers, where it has been since TensorFlow 2.6"
    ),
    "tensorflow.compat.v1.keras.__version__": _VERSION,
    "tensorflow.keras.mixed_precision.experimental": _MIXED,
    "tensorflow.python.keras.utils.multi_gpu_utils": "use tf.distribute.MirroredStrategy",
    "tensorflow.python.eager.context.in_graph_mode": "use not context.executing_eagerly()",
    "tensorflow.python.keras": "import Keras names from tf.keras only",
    "tensorflow.RegisterShape": "remove it: this decorator had no effect in TensorFlow 1.x",
}


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
        return _MERGED
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
    is_of_keras_1 = advice in (_KERAS_2, _FUNCTIONAL) and name_in_tf_keras(qualified) is None
    return _NEITHER if is_of_keras_1 else advice
