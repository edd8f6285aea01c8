"""tf.contrib.learn.datasets: helpers of its readers, which are in the runtime."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

_DOWNLOADS = "it downloads, and tfmigrate_runtime.datasets never does"

MODULE = "tensorflow.contrib.learn.datasets"
NAMES: Mapping[str, Equivalent] = {}
MISSING: Mapping[str, Missing] = {
    "base.retry": Missing("it retried failed downloads", "retry the call in a loop"),
    "base.urlretrieve_with_retry": Missing(
        _DOWNLOADS, "download the file beforehand, or call urllib.request.urlretrieve"
    ),
    "text_datasets.maybe_download_dbpedia": Missing(
        _DOWNLOADS, "download and unpack the archive beforehand (text_datasets.DBPEDIA_URL)"
    ),
}
