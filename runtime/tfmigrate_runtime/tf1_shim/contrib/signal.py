"""tf.contrib.signal, which became tf.signal."""

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.tf1_shim.names_of import taken

_NAMES = taken(
    tf.signal,
    """
    frame hamming_window hann_window inverse_stft inverse_stft_window_fn
    linear_to_mel_weight_matrix mfccs_from_log_mel_spectrograms overlap_and_add stft
    """,
)
globals().update(_NAMES)
__all__ = [*_NAMES]
