"""Predictions of exported models (tf.contrib.predictor)."""

import tensorflow.compat.v1 as tf
from tfmigrate_runtime import predictor

tf.disable_v2_behavior()

with tf.Graph().as_default(), tf.Session() as session:
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    scale = tf.placeholder_with_default(2.0, [], name="scale")
    weights = tf.get_variable("weights", initializer=[[1.0], [10.0]])
    y = tf.identity(tf.matmul(x, weights) * scale, name="y")
    session.run(tf.global_variables_initializer())
    builder = tf.saved_model.builder.SavedModelBuilder("exported")
    signature = tf.saved_model.signature_def_utils.predict_signature_def(
        {"x": x, "scale": scale}, {"y": y}
    )
    builder.add_meta_graph_and_variables(
        session, ["serve"], signature_def_map={"serving_default": signature, "other": signature}
    )
    builder.save()

predict = predictor.from_saved_model("exported")
other = predictor.from_saved_model(export_dir="exported", signature_def_key="other")
named = predictor.from_saved_model(
    "exported", input_names={"input": "x:0"}, output_names={"output": "y:0"}
)
result = {
    "default": predict({"x": [[1.0, 2.0], [3.0, 4.0]]})["y"],
    "scaled": other({"x": [[1.0, 2.0]], "scale": 3.0})["y"],
    "named": named({"input": [[0.0, 1.0]]})["output"],
    "inputs": sorted(predict.feed_tensors),
    "outputs": sorted(predict.fetch_tensors),
}
