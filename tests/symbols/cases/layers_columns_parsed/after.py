"""Examples parsed as columns say."""

import tensorflow.compat.v1 as tf
from tfmigrate_runtime import layers
from tfmigrate_runtime import layers as columns_of_layers

tf.disable_v2_behavior()


def example(**values):
    features = {}
    for name, value in values.items():
        if isinstance(value[0], bytes):
            feature = tf.train.Feature(bytes_list=tf.train.BytesList(value=value))
        else:
            feature = tf.train.Feature(float_list=tf.train.FloatList(value=value))
        features[name] = feature
    message = tf.train.Example(features=tf.train.Features(feature=features))
    return message.SerializeToString()


age = columns_of_layers.real_valued_column("age", default_value=7.0)
kind = columns_of_layers.sparse_column_with_keys("kind", ["bag", "pen"])
ages = layers.bucketized_column(age, [5.0, 10.0])
columns = {age, ages, layers.one_hot_column(kind)}
specification = layers.create_feature_spec_for_parsing(columns)
serialized = [example(age=[3.0], kind=[b"pen"]), example(kind=[b"bag", b"pen"])]
parsed = tf.parse_example(serialized, specification)
tensors = layers.parse_feature_columns_from_examples(serialized, columns)
inputs = layers.input_from_feature_columns(tensors, columns)
placeholders = layers.make_place_holder_tensors_for_base_features(columns)
inferred = layers.infer_real_valued_columns({"pixels": tf.zeros([5, 2, 3])})
with tf.Session() as session:
    session.run(tf.tables_initializer())
    result = {
        "features": sorted(specification),
        "age": session.run(parsed["age"]),
        "ages": session.run(tensors[ages]),
        "inputs": session.run(inputs),
        "placeholders": sorted(placeholders),
        "dimension": inferred[0].dimension,
        "key": inferred[0].name,
    }
