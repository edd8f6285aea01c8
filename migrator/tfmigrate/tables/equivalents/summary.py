"""tf.contrib.summary."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.summary"
NAMES: Mapping[str, Equivalent] = {}
MISSING: Mapping[str, Missing] = {
    "create_db_writer": Missing(
        "TensorFlow 2 cannot write summaries to SQLite databases",
        "write event files with summary.create_file_writer",
    )
}
