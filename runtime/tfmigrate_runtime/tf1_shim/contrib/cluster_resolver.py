"""tf.contrib.cluster_resolver."""

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.tf1_shim.names_of import taken

_KINDS = ("", "GCE", "Kubernetes", "Simple", "Slurm", "TFConfig", "TPU")
_NAMES = taken(
    tf.distribute.cluster_resolver, " ".join(f"{kind}ClusterResolver" for kind in _KINDS)
)
globals().update(_NAMES)
UnionClusterResolver = tf.distribute.cluster_resolver.UnionResolver
__all__ = ["UnionClusterResolver"]
__all__ += _NAMES
