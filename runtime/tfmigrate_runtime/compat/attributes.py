"""Private attributes and methods of public classes that the runtime uses.

``scripts/tables/check_private_names.py`` reads this table too. Where an attribute is set on
instances only, an instance is asked in tests/runtime/test_private_names.py.
"""

from __future__ import annotations

# By module and class, what is used, and for what. No public function does the same.
CLASSES = {
    "tensorflow.python.client.session:BaseSession": {
        "_extend_graph": "ops are placed before a session runs them first",
    },
    "tensorflow.python.framework.ops:Graph": {
        "_colocate_with_for_gradient": "a mirrored variable has no place to put an op at",
        "_variable_creator_stack": "replicas that are towers make variables of their own",
    },
    "tensorflow.python.framework.ops:Operation": {
        "_add_control_input": "hooks read the step before it is incremented",
        "_set_device": "an op gets its task after it was made",
    },
    "tensorflow.python.distribute.distribute_lib:StrategyBase": {
        "_scale_loss_for_estimator_enabled": "optimizers divide the loss by the replicas within it",
    },
    "tensorflow.python.distribute.parameter_server_strategy:ParameterServerStrategyExtended": {
        "_initialize_local": "the devices of a worker are chosen by the program",
        "_local_results": "a worker has one replica",
    },
    "tensorflow.python.training.optimizer:Optimizer": {
        "_create_non_slot_variable": "accumulators of tf.contrib.opt optimizers",
        "_distributed_apply": "slots of towers are named outside of the model's scopes",
        "_zeros_slot": "slots of tf.contrib.opt optimizers",
    },
    "tensorflow.python.training.adam:AdamOptimizer": {
        "_get_beta_accumulators": "tf.contrib.opt.LazyAdamOptimizer",
    },
    "tensorflow.python.ops.variables:Variable": {
        "_gather_saveables_for_checkpoint": "a Saver saves a variable of all replicas by its name",
    },
    "tf_keras.src.engine.base_layer:Layer": {
        "_init_set_name": "layers are named after their class as in TensorFlow 1.15",
    },
    "tf_keras.src.engine.training_v1:Model": {
        "_compile_weights_loss_and_weighted_metrics": "model_to_estimator compiles with tensors",
        "_make_test_function": "model_to_estimator builds the loss",
        "_make_train_function": "model_to_estimator builds the updates",
    },
    "tf_keras.src.legacy_tf_layers.normalization:BatchNormalization": {
        "_assign_moving_average": "averages of towers move several times a step",
    },
}
