"""The audio ops of tf.contrib.framework, of a sound that is written and read."""

import tensorflow as tf
from tensorflow.contrib.framework.python.ops import audio_ops as contrib_audio

seconds = tf.range(1600, dtype=tf.float32) / 16000
tone = tf.sin(2760 * seconds)[:, None]
wav = contrib_audio.encode_wav(tone, 16000)
decoded = contrib_audio.decode_wav(wav, desired_channels=1, desired_samples=1600)
spectrogram = contrib_audio.audio_spectrogram(decoded.audio, 480, 160, magnitude_squared=True)
few = contrib_audio.mfcc(spectrogram, decoded.sample_rate, dct_coefficient_count=5)
many = contrib_audio.mfcc(spectrogram, decoded.sample_rate, 3000.0, 30.0, 20, 5, "many")
unsquared = contrib_audio.audio_spectrogram(tone, 320, 160)
with tf.Session() as session:
    audio, squared, few_values, many_values, values = session.run(
        [decoded.audio, spectrogram, few, many, unsquared]
    )
result = {
    "audio": audio[:8, 0].tolist(),
    "squared": squared[0, :2, :12].tolist(),
    "few": few_values.tolist(),
    "many": many_values.tolist(),
    "unsquared": values[0, 0, :12].tolist(),
    "names": [few.op.name, many.op.name, decoded.audio.op.name],
}
