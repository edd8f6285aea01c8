"""tf.contrib.signal."""

from collections.abc import Mapping

from tfmigrate.tables.equivalents import Equivalent, Missing

MODULE = "tensorflow.contrib.signal"
# Each was an alias of the one in tf.signal (contrib/signal/__init__.py).
NAMES: Mapping[str, Equivalent] = {
    name: Equivalent(f"signal.{name}")
    for name in (
        "frame", "hamming_window", "hann_window", "inverse_stft", "inverse_stft_window_fn",
        "linear_to_mel_weight_matrix", "mfccs_from_log_mel_spectrograms", "overlap_and_add", "stft",
    )
}  # fmt: skip
MISSING: Mapping[str, Missing] = {}
