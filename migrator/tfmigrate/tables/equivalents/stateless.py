"""tf.contrib.stateless."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.stateless"
# Each was an alias of the one in tf.random (contrib/stateless/__init__.py).
NAMES: Mapping[str, Equivalent] = {
    "stateless_multinomial": Equivalent("random.stateless_multinomial"),
    "stateless_random_normal": Equivalent("random.stateless_normal"),
    "stateless_random_uniform": Equivalent("random.stateless_uniform"),
    "stateless_truncated_normal": Equivalent("random.stateless_truncated_normal"),
}
MISSING: Mapping[str, Missing] = {}
