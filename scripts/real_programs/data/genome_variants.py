"""Makes ten gzipped files of examples: the variants of made-up people, and their population.

The folder for them is the one argument.
"""

import sys
from pathlib import Path

import numpy as np
import tensorflow as tf

SHARDS = 10
PEOPLE = 12  # in each shard


def numbers(values):
    """Returns a feature of integers."""
    values = [int(value) for value in values]
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def text(value):
    """Returns a feature of one string."""
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value.encode()]))


def example(generator, name):
    """Returns a tf.train.Example of one person."""
    population = generator.randint(0, 3)
    features = {"population": numbers([population]), "population_string": text(str(population))}
    features["sample_name"] = text(name)
    for chromosome in (1, 2):
        count = generator.randint(1, 5)
        values = 3 * generator.randint(0, 30, count) + population
        features[f"variants_{chromosome}"] = numbers(values)
    return tf.train.Example(features=tf.train.Features(feature=features))


def main(folder):
    """Writes all files."""
    folder.mkdir(parents=True, exist_ok=True)
    generator = np.random.RandomState(4)
    for shard in range(SHARDS):
        path = folder / f"examples-{shard:05d}-of-{SHARDS:05d}"
        options = tf.io.TFRecordOptions(compression_type="GZIP")
        with tf.io.TFRecordWriter(str(path), options) as writer:
            for person in range(PEOPLE):
                writer.write(example(generator, f"s{shard}-{person}").SerializeToString())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
