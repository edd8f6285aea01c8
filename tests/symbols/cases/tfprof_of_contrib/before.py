"""The parameters and the operations of a model, counted by tf.contrib.tfprof."""

import tensorflow as tf
from tensorflow.contrib import tfprof

x = tf.ones([4, 3])
weights = tf.get_variable("weights", initializer=tf.ones([3, 2]))
tf.get_variable("bias", initializer=[1.0, 2.0])
tf.get_variable("fixed", initializer=[1.0], trainable=False)
y = tf.matmul(x, weights)

options = dict(tf.contrib.tfprof.model_analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS)
options["output"] = "none"
parameters = tf.contrib.tfprof.model_analyzer.print_model_analysis(
    tf.get_default_graph(), tfprof_options=options
)
operations = tfprof.model_analyzer.print_model_analysis(
    tf.get_default_graph(),
    tfprof_cmd="op",
    tfprof_options=dict(tfprof.model_analyzer.FLOAT_OPS_OPTIONS, output="none"),
)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    tfprof.tfprof_logger.write_op_log(tf.get_default_graph(), ".")
    result = {
        "parameters": parameters.total_parameters,
        "names": sorted(child.name for child in parameters.children),
        "operations": operations.total_float_ops,
        "y": session.run(y),
        "written": len(tf.gfile.Glob("tfprof_log")),
    }
