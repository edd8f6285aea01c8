"""tf.contrib.learn.datasets: what its readers were helped by; they are the runtime's now."""

from __future__ import annotations

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

_DOWNLOADS = "it downloads, which tfmigrate_runtime.datasets never does"

MODULE = "tensorflow.contrib.learn.datasets"
NAMES: Mapping[str, Equivalent] = {}
MISSING: Mapping[str, Missing] = {
    "base.retry": Missing(
        "it calls a function again while it fails, for downloads", "write a loop around the call"
    ),
    "base.urlretrieve_with_retry": Missing(
        _DOWNLOADS, "get the file beforehand, or call urllib.request.urlretrieve"
    ),
    "text_datasets.maybe_download_dbpedia": Missing(
        _DOWNLOADS, "get the archive beforehand and unpack it (text_datasets.DBPEDIA_URL)"
    ),
}
