"""Makes TFRecords of Pascal VOC's form, with boxes of one colour, and a checkpoint to begin from.

The checkpoint stands for the VGG weights that programs restore; it has none of their variables.

Usage: python voc_records.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import tensorflow.compat.v1 as tf
from png_bytes import png

HEIGHT = 96
WIDTH = 128
IMAGES = 8
CLASSES = 20


def feature(values):
    """Returns a tf.train.Feature of bytes, of floats or of integers."""
    if isinstance(values, bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=[values]))
    if isinstance(values[0], float):
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def example(random, number):
    """Returns a serialized example: an image with one or two boxes."""
    image = random.randint(0, 64, size=(HEIGHT, WIDTH, 3)).astype(np.uint8)
    boxes = []
    labels = []
    for _ in range(random.randint(1, 3)):
        top, left = random.uniform(0.0, 0.4, size=2)
        height, width = random.uniform(0.3, 0.6, size=2)
        boxes.append([top, left, top + height, left + width])
        labels.append(int(random.randint(1, CLASSES + 1)))
        rows = slice(int(top * HEIGHT), int((top + height) * HEIGHT))
        columns = slice(int(left * WIDTH), int((left + width) * WIDTH))
        image[rows, columns] += np.uint8(9 * labels[-1])
    ymin, xmin, ymax, xmax = ([float(box[side]) for box in boxes] for side in range(4))
    values = {
        "image/encoded": png(image),
        "image/format": b"png",
        "image/filename": f"made_up_{number}.png".encode(),
        "image/height": [HEIGHT],
        "image/width": [WIDTH],
        "image/channels": [3],
        "image/shape": [HEIGHT, WIDTH, 3],
        "image/object/bbox/xmin": xmin,
        "image/object/bbox/ymin": ymin,
        "image/object/bbox/xmax": xmax,
        "image/object/bbox/ymax": ymax,
        "image/object/bbox/label": labels,
        "image/object/bbox/difficult": [0] * len(labels),
        "image/object/bbox/truncated": [0] * len(labels),
    }
    features = {name: feature(value) for name, value in values.items()}
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


def main(folder):
    """Writes a file of records, and the checkpoint."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(1)
    with tf.io.TFRecordWriter(str(folder / "train-00000-of-00001")) as writer:
        for number in range(IMAGES):
            writer.write(example(random, number))
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("made_up", initializer=0.0)
        session.run(tf.global_variables_initializer())
        tf.train.Saver().save(session, str(folder / "model.ckpt"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
