"""The metrics of tf.contrib.eager, which sum in float64."""

import tensorflow.compat.v1 as tf
from tfmigrate_runtime import eager as tfe

tf.enable_eager_execution()
mean = tfe.metrics.Mean("loss")
single = tfe.metrics.Mean(dtype=tf.float32)
accuracy = tfe.metrics.Accuracy()
classes = tfe.metrics.CategoricalAccuracy(name="classes of images")
binary = tfe.metrics.BinaryAccuracy(0.25)
returned = []
for step in range(3):
    values = tf.constant([0.1, 0.7, 1e-9]) * (step + 1)
    returned.append(mean(values))
    single(values, [1.0, 0.5, step])
    returned += accuracy([0, 1, 2], [0, step, 2])
    scores = tf.constant([[0.1, 0.9], [0.8, 0.2 * step], [0.5, 0.4]])
    returned += classes([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]], scores, weights=[1, 2, step])
    binary([1, 0, 1], [0.3, 0.26, 0.1 * step])
metrics = [mean, single, accuracy, classes, binary]
result = {f"result_{i}": metric.result().numpy() for i, metric in enumerate(metrics)}
result.update({f"returned_{i}": value for i, value in enumerate(map(tf.identity, returned))})
result = {name: getattr(value, "numpy", lambda v=value: v)() for name, value in result.items()}
names = [variable.name for metric in metrics for variable in metric.variables]
assert names[:2] == ["loss/numer:0", "loss/denom:0"], names
other = tfe.metrics.Mean("loss")
other(5.0)
mean.aggregate([other])
result["aggregated"] = mean.result().numpy()
mean.init_variables()
mean([4.0, 5.0])
result["anew"] = mean.value()().numpy()
