"""The audio ops of tf.contrib.framework, of a sound that is written and read."""

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

seconds = tf.range(1600, dtype=tf.float32) / 16000
tone = tf.sin(2760 * seconds)[:, None]
wav = tf.audio.encode_wav(tone, 16000)
decoded = tf.audio.decode_wav(wav, desired_channels=1, desired_samples=1600)
spectrogram = tf.raw_ops.AudioSpectrogram(
    input=decoded.audio,
    window_size=480,
    stride=160,
    magnitude_squared=True)
few = tf.raw_ops.Mfcc(
    spectrogram=spectrogram,
    sample_rate=decoded.sample_rate,
    dct_coefficient_count=5)
many = tf.raw_ops.Mfcc(
    spectrogram=spectrogram,
    sample_rate=decoded.sample_rate,
    upper_frequency_limit=3000.0,
    lower_frequency_limit=30.0,
    filterbank_channel_count=20,
    dct_coefficient_count=5,
    name="many")
unsquared = tf.raw_ops.AudioSpectrogram(input=tone, window_size=320, stride=160)
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
