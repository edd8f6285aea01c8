"""tf.contrib.slim on TensorFlow 2: tf_slim 1.1.0, adapted to current TensorFlow.

``from tfmigrate_runtime import slim`` instead of ``slim = tf.contrib.slim``. All of tf_slim's
names are here, ``slim.nets`` among them.
"""

import sys
from typing import Any

from tfmigrate_runtime.slim.tf_slim_import import load_tf_slim

_tf_slim = load_tf_slim()
# ``from tfmigrate_runtime.slim.nets import vgg`` imports a module of tf_slim.
for _name in [name for name in sys.modules if name.startswith("tf_slim.")]:
    for _spelling in (_name, _name.replace("tf_slim.data.", "tf_slim.")):
        sys.modules.setdefault(__name__ + _spelling.removeprefix("tf_slim"), sys.modules[_name])

# Modules of tf_slim.layers that it shows without being their package.
for _name in ("initializers", "normalization", "regularizers", "utils"):
    sys.modules.setdefault(f"{__name__}.{_name}", getattr(_tf_slim, _name))

# tf.contrib.slim had all of tf.contrib.layers; tf_slim has not, and these are the runtime's.
_OF_LAYERS = (
    "OPTIMIZER_CLS_NAMES", "OPTIMIZER_SUMMARIES", "adaptive_clipping_fn", "bow_encoder",
    "embed_sequence", "optimize_loss", "safe_embedding_lookup_sparse",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    """Returns a name of tf_slim.

    Raises:
        AttributeError: there is none.
    """
    if not name.startswith("__"):
        from tfmigrate_runtime import layers

        if name in _OF_LAYERS:
            return getattr(layers, name)
        if hasattr(_tf_slim, name):
            return getattr(_tf_slim, name)
        if name in layers.__all__:
            return getattr(layers, name)
    raise AttributeError(f"tfmigrate_runtime.slim has no {name}: tf_slim 1.1.0 has none")


def __dir__() -> list[str]:
    from tfmigrate_runtime import layers

    return sorted({*dir(_tf_slim), *layers.__all__})
