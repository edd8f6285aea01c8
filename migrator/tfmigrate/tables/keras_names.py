"""Names of standalone Keras 2 that Keras 3 lacks, and what to do about them."""

from tfmigrate.tables.chains import and_above

_SESSION = (
    "Keras 3 has no sessions: import it from tf.compat.v1.keras (tf-keras, TF_USE_LEGACY_KERAS=1), "
    "or remove the session"
)
_FUNCTIONAL = "use keras.ops, or import Keras 2 (pip install tf-keras; import tf_keras as keras)"
_KERAS_2 = "import Keras 2 instead (pip install tf-keras; import tf_keras as keras)"
_VERSION = "use tf_keras.__version__ (import tf_keras): tf.keras is Keras 2 in this program"
_ADVICE = {
    "keras.backend.get_session": _SESSION,
    "keras.backend.set_session": _SESSION,
    "keras.backend.tensorflow_backend": _SESSION,
    "keras.backend.learning_phase": "pass training=True or training=False to the model",
    "keras.backend.set_learning_phase": "pass training=True or training=False to the model",
    "keras.backend.manual_variable_initialization": _SESSION,
    "keras.backend": _FUNCTIONAL,
    "keras.preprocessing.text": "use keras.layers.TextVectorization, or the module of tf_keras",
    "keras.utils.multi_gpu_model": "use tf.distribute.MirroredStrategy",
    "keras.utils.training_utils": "use tf.distribute.MirroredStrategy",
    "keras.wrappers.scikit_learn": "use the scikeras package",
    "keras": _KERAS_2,
    "tensorflow.keras.__version__": _VERSION,
    "tensorflow.compat.v1.keras.__version__": _VERSION,
    "tensorflow.python.keras.utils.multi_gpu_utils": "use tf.distribute.MirroredStrategy",
    "tensorflow.python.keras": "import Keras names from tf.keras only",
}


def keras_advice(qualified: str) -> str:
    """Returns what to do about a missing name of Keras; "" where nothing is known."""
    return next((_ADVICE[name] for name in and_above(qualified) if name in _ADVICE), "")
