"""tf.contrib.cluster_resolver."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.cluster_resolver"
_RESOLVERS = (
    "ClusterResolver", "GCEClusterResolver", "KubernetesClusterResolver", "SimpleClusterResolver",
    "SlurmClusterResolver", "TFConfigClusterResolver", "TPUClusterResolver",
)  # fmt: skip
# Each was an alias of the one in tf.distribute (contrib/cluster_resolver/__init__.py).
NAMES: Mapping[str, Equivalent] = {
    **{name: Equivalent(f"distribute.cluster_resolver.{name}") for name in _RESOLVERS},
    "UnionClusterResolver": Equivalent("distribute.cluster_resolver.UnionResolver"),
}
MISSING: Mapping[str, Missing] = {}
