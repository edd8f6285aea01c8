"""Private attributes and methods of TensorFlow's classes that the runtime uses, and for what.

No public function does the same. ``scripts/tables/check_private_names.py`` reads this table: an
attribute is there where its class has it, or sets it on its instances.
"""

from __future__ import annotations

_HOOKS = "tensorflow.python.training.basic_session_run_hooks"
_STRATEGIES = "tensorflow.python.distribute"
_KERAS = "tf_keras.src"

CLASSES = {
    "tensorflow.python.client.session:BaseSession": {
        "_extend_graph": "the last moment at which an op can be placed",
    },
    "tensorflow.python.framework.ops:Graph": {
        "_colocate_with_for_gradient": "what tf.colocate_with calls: an op cannot be where a "
        "mirrored variable is",
        "_is_loss_scaled_by_optimizer": "whether an optimizer divided the loss by the replicas",
        "_last_loss_reduction": "whether an optimizer divides the loss by the replicas",
        "_variable_creator_stack": "in replicas tf.distribute makes all variables and shares them "
        "by their order; towers made their own",
    },
    "tensorflow.python.framework.ops:Operation": {
        "_add_control_input": "the step that hooks read is that before the increment",
        "_set_device": "tf.device places ops when they are made, only",
    },
    "tensorflow.python.ops.variable_scope:_VariableScopeStore": {
        "current_scope": "a replica's thread begins with no variable scope",
        "variable_scopes_count": "scopes of a replica are numbered as after the code around it",
    },
    "tensorflow.python.ops.variables:PartitionedVariable": {
        "_get_variable_list": "the parts of a variable of contrib.layers columns",
    },
    "tensorflow.python.ops.variables:Variable": {
        "_save_slice_info": "a moving average of a part is saved as a part",
    },
    "tensorflow.python.training.saver:Saver": {
        "_var_list": "a Saver in a replica names variables after the replica",
    },
    f"{_STRATEGIES}.values:DistributedVariable": {
        "_gather_saveables_for_checkpoint": "a Saver saves a variable on all replicas by its own "
        "name only",
    },
    f"{_STRATEGIES}.distribute_lib:StrategyBase": {
        "_cluster_resolver": "the cluster of a strategy, which its extended part has",
        "_scale_loss_for_estimator_enabled": "optimizers of compat.v1 divide the loss by the "
        "replicas only within it",
    },
    f"{_STRATEGIES}.mirrored_strategy:MirroredExtended": {
        "_collective_ops": "whether a strategy chose its reduction itself",
        "_cross_device_ops": "the reduction of a strategy that was made without one",
    },
    f"{_STRATEGIES}.collective_all_reduce_strategy:CollectiveAllReduceExtended": {
        "_batch_reduce_to": "optimizers sum over the workers even what is already their mean",
        "_create_variable": "tf.trainable_variables() has a worker's copy in place of the "
        "mirrored variable",
    },
    f"{_STRATEGIES}.parameter_server_strategy:ParameterServerStrategyExtended": {
        "_allow_variable_partition": "variables are partitioned as the program says",
        "_batch_reduce_to": "values of one replica stay as they are",
        "_call_for_each_replica": "a process has one replica",
        "_container_strategy": "the strategy that this is the extended part of",
        "_create_variable": "the program's device function places variables",
        "_default_device": "the program's device function places ops",
        "_initialize_local": "a single process has one replica, and only the GPUs it requested",
        "_initialize_strategy": "the devices and the cluster of a strategy are decided there",
        "_local_results": "what a replica function returned",
        "_parameter_devices": "where variables may be",
        "_reduce_to": "values of one replica stay as they are",
        "_update": "variables are updated where they are",
        "_update_non_slot": "variables are updated where they are",
        "_variable_device": "the program's device function places variables",
        "_worker_device": "the device of the one replica",
    },
    "tensorflow.python.training.optimizer:Optimizer": {
        "_create_non_slot_variable": "accumulators of tf.contrib.opt's optimizers",
        "_distributed_apply": "where an optimizer makes its variables for all replicas",
        "_use_locking": "how tf.contrib.opt's optimizers assign",
        "_zeros_slot": "slots of tf.contrib.opt's optimizers",
    },
    "tensorflow.python.training.adam:AdamOptimizer": {
        "_beta1": "the update of LazyAdamOptimizer and AdaMaxOptimizer",
        "_beta1_t": "the update of LazyAdamOptimizer and AdaMaxOptimizer",
        "_beta2_t": "the update of LazyAdamOptimizer and AdaMaxOptimizer",
        "_epsilon_t": "the update of LazyAdamOptimizer and AdaMaxOptimizer",
        "_get_beta_accumulators": "the update of LazyAdamOptimizer and AdaMaxOptimizer",
        "_lr_t": "the update of LazyAdamOptimizer and AdaMaxOptimizer",
    },
    "tensorflow.python.training.momentum:MomentumOptimizer": {
        "_learning_rate": "the update of LARSOptimizer",
        "_momentum": "the update of LARSOptimizer",
        "_use_nesterov": "the update of LARSOptimizer",
    },
    f"{_HOOKS}:CheckpointSaverHook": {
        "_listeners": "listeners of training join those of a hook that the program made",
        "_timer": "which steps may be made without it",
    },
    f"{_HOOKS}:LoggingTensorHook": {
        "_iter_count": "it counts session calls, of which some make several steps",
        "_timer": "which steps may be made without it",
    },
    f"{_HOOKS}:NanTensorHook": {"_loss_tensor": "whether it watches the loss"},
    f"{_HOOKS}:SecondOrStepTimer": {"_every_steps": "the next step that it triggers for"},
    f"{_HOOKS}:StepCounterHook": {
        "_summary_writer": "examples a second are written beside steps a second",
        "_timer": "which steps may be made without it",
    },
    f"{_HOOKS}:StopAtStepHook": {"_last_step": "the step that training ends at"},
    f"{_HOOKS}:SummarySaverHook": {"_timer": "which steps may be made without it"},
    f"{_HOOKS}:ProfilerHook": {"_timer": "which steps may be made without it"},
    f"{_KERAS}.engine.base_layer:Layer": {
        "_init_set_name": "it names layers after their class, as 1.15 did not where that has a "
        "digit",
        "_name": "the name of a cell, whose scope 1.15 did not open",
    },
    f"{_KERAS}.engine.base_layer_v1:Layer": {"_init_set_name": "the same"},
    f"{_KERAS}.engine.training_v1:Model": {
        "_compile_metric_functions": "the metrics without those of add_metric",
        "_compile_weights_loss_and_weighted_metrics": "it takes tensors as sample weights",
        "_is_graph_network": "whether a model is subclassed",
        "_make_test_function": "it builds the loss, which Keras makes in evaluate",
        "_make_train_function": "it builds the updates, which Keras makes in fit",
        "_track_trackable": "the step of a checkpoint",
        "total_loss": "the loss of a model in a graph",
    },
    f"{_KERAS}.models.cloning:_in_place_subclassed_model_reset": {
        "_original_attributes_cache": "a subclassed model was built again in place",
    },
    f"{_KERAS}.backend:_initialize_variables": {
        "_keras_initialized": "whether Keras' session has given a variable its value",
    },
    f"{_KERAS}.legacy_tf_layers.normalization:BatchNormalization": {
        "_assign_moving_average": "how often a moving average is updated in a step",
    },
}
