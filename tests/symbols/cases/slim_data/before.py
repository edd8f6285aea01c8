"""Records read by a dataset provider of slim, with its decoder."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import slim
from tensorflow.contrib.slim.python.slim.data import dataset, dataset_data_provider


def integers(*values):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def floats(*values):
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))


pixels = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
with tf.Session() as session:
    png = session.run(tf.image.encode_png(pixels))
with tf.python_io.TFRecordWriter("train-0.tfrecord") as writer:
    for index in range(3):
        features = {
            "image/encoded": tf.train.Feature(bytes_list=tf.train.BytesList(value=[png])),
            "image/format": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"png"])),
            "image/label": integers(index),
            "image/ids": integers(*range(index + 1)),
        }
        for side, value in (("xmin", 0.1), ("ymin", 0.2), ("xmax", 0.6), ("ymax", 0.8)):
            features["image/box/" + side] = floats(value, value / 2)
        example = tf.train.Example(features=tf.train.Features(feature=features))
        writer.write(example.SerializeToString())

tfexample_decoder = slim.tfexample_decoder
decoder = slim.tfexample_decoder.TFExampleDecoder(
    {
        "image/encoded": tf.FixedLenFeature((), tf.string, default_value=""),
        "image/format": tf.FixedLenFeature((), tf.string, default_value="png"),
        "image/label": tf.FixedLenFeature([], tf.int64),
        "image/ids": tf.VarLenFeature(tf.int64),
        "image/box/xmin": tf.VarLenFeature(tf.float32),
        "image/box/ymin": tf.VarLenFeature(tf.float32),
        "image/box/xmax": tf.VarLenFeature(tf.float32),
        "image/box/ymax": tf.VarLenFeature(tf.float32),
    },
    {
        "image": slim.tfexample_decoder.Image(),
        "label": slim.tfexample_decoder.Tensor("image/label"),
        "ids": tfexample_decoder.Tensor("image/ids", shape=[-1]),
        "boxes": tfexample_decoder.BoundingBox(["ymin", "xmin", "ymax", "xmax"], "image/box/"),
    },
)
records = dataset.Dataset(
    data_sources="train-*.tfrecord",
    reader=tf.TFRecordReader,
    decoder=decoder,
    num_samples=3,
    items_to_descriptions={"image": "An image.", "label": "Its number."},
    num_classes=3,
)
provider = dataset_data_provider.DatasetDataProvider(
    records, shuffle=False, common_queue_capacity=10, common_queue_min=1, num_epochs=1
)
image, label, boxes, ids = provider.get(["image", "label", "boxes", "ids"])
labels, totals = [], []
with tf.Session() as session:
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    with slim.queues.QueueRunners(session):
        for _ in range(3):
            found = session.run([image, label, boxes, tf.reduce_sum(ids)])
            labels.append(int(found[1]))
            totals.append(int(found[3]))
result = {
    "image": found[0],
    "labels": labels,
    "boxes": found[2],
    "totals": totals,
    "items": sorted(provider.list_items()),
    "samples": provider.num_samples(),
    "classes": records.num_classes,
}
