"""Tables and made-up points of tf.contrib.learn.datasets."""

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf
from tfmigrate_runtime import datasets
from tfmigrate_runtime.datasets import base
from tfmigrate_runtime.datasets.mnist import DataSet, dense_to_one_hot

tf.disable_v2_behavior()

path = os.path.join(tempfile.mkdtemp(), "table.csv")
with open(path, "w") as file:
    file.write("3,2,setosa,versicolor\n1.5,2,0\n3,4.25,1\n-1,0,1\n")
table = base.load_csv_with_header(path, target_dtype=np.int32, features_dtype=np.float32)
rows = datasets.base.load_csv_without_header(path, str, str, target_column=0)
circles = datasets.make_dataset("circles", n_samples=9, noise=0.1)
images = np.arange(24, dtype=np.uint8).reshape([6, 2, 2, 1])
data = DataSet(images, np.arange(6), dtype=tf.uint8, seed=5)
batches = [data.next_batch(4)[0] for _ in range(4)]
result = {
    "data": table.data,
    "target": table.target,
    "rows": rows.target,
    "points": circles.data,
    "classes": circles.target,
    "batches": batches,
    "one_hot": dense_to_one_hot(np.array([1, 0, 2]), 3),
    "sum": tf.Session().run(tf.reduce_sum(table.data)),
}
