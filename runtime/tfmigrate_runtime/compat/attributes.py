"""Private attributes and methods of TensorFlow's classes that the runtime uses, and for what.

No public function does the same. ``scripts/tables/check_private_names.py`` reads this table: an
attribute is there where its class has it, or sets it on its instances.
"""

_HOOKS = "tensorflow.python.training.basic_session_run_hooks"
_STRATEGIES = "tensorflow.python.distribute"
_KERAS = "tf_keras.src"

CLASSES = {
    "tensorflow.python.client.session:BaseSession": {
        "_call_tf_sessionrun": "where a session calls its C object, with feeds and fetches read",
        "_do_call": "every call that may wait for a task of the cluster uses it",
        "_extend_graph": "the last chance to set the device of an op",
    },
    "tensorflow.python.framework.ops:Graph": {
        "_colocate_with_for_gradient": "called by tf.colocate_with; ops cannot be colocated "
        "with mirrored variables",
        "_distribution_strategy_stack": "moving averages, metrics and optimizers merge what "
        "replicas compute; towers did not",
        "_get_operation_by_tf_operation": "as _get_tensor_by_tf_output, for operations",
        "_get_tensor_by_tf_output": "a session passes the C objects of tensors on",
        "_is_loss_scaled_by_optimizer": "set once an optimizer has divided the loss by the "
        "number of replicas",
        "_unsafe_unfinalize": "hooks that fetch a variable with a step get its new value, which a "
        "read that is added then gives",
        "_last_loss_reduction": "whether optimizers divide the loss by the number of replicas",
        "_variable_creator_stack": "tf.distribute creates and shares all variables of replicas "
        "by order; towers created their own",
    },
    "tensorflow.python.framework.ops:Operation": {
        "_add_control_input": "hooks read the global step before its increment",
        "_add_control_inputs": "a fetched variable is read after what writes it",
        "_set_device": "tf.device applies only when an op is created",
    },
    "tensorflow.python.framework.ops:_DefaultGraphStack": {
        "_global_default_graph": "blocks of it do not keep the default graph from being reset"
    },
    "tensorflow.python.framework.tensor_shape:TensorShape": {
        "_v2_behavior": "dimensions are objects in graphs of TensorFlow 1.x, and numbers elsewhere"
    },
    "tensorflow.python.ops.resource_variable_ops:BaseResourceVariable": {
        "_in_graph_mode": "whether a variable belongs to a graph"
    },
    "tensorflow.python.ops.variable_scope:_VariableScopeStore": {
        "current_scope": "the thread of a replica starts without a variable scope",
        "variable_scopes_count": "scope numbers of a replica continue those of the enclosing code",
    },
    "tensorflow.python.ops.variables:PartitionedVariable": {
        "_get_variable_list": "the parts of a variable of contrib.layers columns"
    },
    "tensorflow.python.ops.variables:Variable": {
        "_save_slice_info": "the moving average of a partition is saved as a partition"
    },
    "tensorflow.python.training.session_manager:SessionManager": {
        "_model_ready": "says which variables a worker waits for",
        "_model_ready_for_local_init": "as _model_ready, before local variables are initialized",
        "_recovery_wait_secs": "a worker that was too early is idle for half a minute",
    },
    "tensorflow.python.training.saver:Saver": {
        "_var_list": "a Saver in a replica names variables after the replica"
    },
    f"{_STRATEGIES}.values:DistributedVariable": {
        "_gather_saveables_for_checkpoint": "a Saver saves a mirrored variable only under its "
        "own name",
        "_initializer_op": "the initializer of a mirrored variable is a new op at each look, which "
        "a finalized graph does not take",
    },
    f"{_STRATEGIES}.distribute_lib:StrategyBase": {
        "_cluster_resolver": "the cluster of a strategy, kept in strategy.extended",
        "_scale_loss_for_estimator_enabled": "only inside it do compat.v1 optimizers divide the "
        "loss by the number of replicas",
    },
    f"{_STRATEGIES}.mirrored_strategy:MirroredExtended": {
        "_allow_variable_partition": "parts of a variable are joined, which towers kept",
        "_collective_ops": "whether a strategy chose its reduction by default",
        "_cross_device_ops": "the reduction of a strategy that was created without one",
    },
    f"{_STRATEGIES}.collective_all_reduce_strategy:CollectiveAllReduceExtended": {
        "_batch_reduce_to": "optimizers sum over the workers, even gradients that are already "
        "their mean",
        "_create_variable": "tf.trainable_variables() contains a worker's copy instead of the "
        "mirrored variable",
    },
    f"{_STRATEGIES}.parameter_server_strategy:ParameterServerStrategyExtended": {
        "_allow_variable_partition": "variables keep the program's partitioner",
        "_batch_reduce_to": "values of one replica stay as they are",
        "_call_for_each_replica": "a process has one replica",
        "_container_strategy": "the strategy of this StrategyExtended",
        "_create_variable": "the program's device function places variables",
        "_default_device": "the program's device function places ops",
        "_initialize_local": "a single process has one replica, and only the GPUs it requested",
        "_initialize_strategy": "sets the devices and the cluster of a strategy",
        "_local_results": "the values that a replica function returned",
        "_parameter_devices": "the devices that variables may be on",
        "_reduce_to": "values of one replica stay as they are",
        "_update": "variables are updated on their own devices",
        "_update_non_slot": "variables are updated on their own devices",
        "_variable_device": "the program's device function places variables",
        "_worker_device": "the device of the one replica",
    },
    "tensorflow.python.training.optimizer:Optimizer": {
        "_create_non_slot_variable": "accumulators of tf.contrib.opt's optimizers",
        "_resource_apply_sparse_duplicate_indices": "the update of tables, in one pass",
        "_distributed_apply": "creates the optimizer's variables for all replicas",
        "_use_locking": "how tf.contrib.opt's optimizers assign",
        "_zeros_slot": "slots of tf.contrib.opt's optimizers",
    },
    "tensorflow.python.training.adam:AdamOptimizer": {
        "_apply_sparse_shared": "whether a subclass updates tables differently",
        "_resource_apply_dense": "whether a subclass updates tables differently",
        "_resource_apply_sparse": "whether a subclass updates tables differently",
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
        "_get_saver": "saves a last checkpoint without the listeners, which may evaluate",
        "_save_path": "the folder and the name of its checkpoints",
        "_listeners": "saving_listeners are added to the program's own hook",
        "_timer": "which steps it does not need to see",
    },
    f"{_HOOKS}:LoggingTensorHook": {
        "_iter_count": "it counts session calls, some of which run several steps",
        "_timer": "which steps it does not need to see",
    },
    f"{_HOOKS}:NanTensorHook": {"_loss_tensor": "whether it watches the loss"},
    f"{_HOOKS}:SecondOrStepTimer": {"_every_steps": "the next step that it triggers for"},
    f"{_HOOKS}:StepCounterHook": {
        "_summary_writer": "examples per second are written next to steps per second",
        "_timer": "which steps it does not need to see",
    },
    f"{_HOOKS}:StopAtStepHook": {
        "_last_step": "the last step of training",
        "_num_steps": "how many steps training makes",
    },
    f"{_HOOKS}:SummarySaverHook": {"_timer": "which steps it does not need to see"},
    f"{_HOOKS}:ProfilerHook": {"_timer": "which steps it does not need to see"},
    f"{_KERAS}.engine.base_layer:Layer": {
        "_init_set_name": "names layers after their class; 1.15 did so differently for names "
        "with a digit",
        "_name": "the name of a cell; 1.15 opened no scope for it",
    },
    "tensorflow.python.trackable.base:Trackable": {
        "_add_variable_with_custom_getter": "checkpoints have the variables of eager metrics"
    },
    f"{_KERAS}.engine.base_layer_v1:Layer": {"_init_set_name": "the same"},
    f"{_KERAS}.engine.training_v1:Model": {
        "_compile_metric_functions": "the metrics without those of add_metric",
        "_compile_weights_loss_and_weighted_metrics": "accepts tensors as sample weights",
        "_get_compile_args": "clone_and_build_model replaces it for good",
        "_is_graph_network": "whether a model is subclassed",
        "_make_test_function": "builds the loss, which Keras does in evaluate",
        "_make_train_function": "builds the updates, which Keras does in fit",
        "_track_trackable": "the step of a checkpoint",
        "total_loss": "the loss of a model in a graph",
    },
    f"{_KERAS}.models.cloning:_in_place_subclassed_model_reset": {
        "_original_attributes_cache": "whether a subclassed model was rebuilt in place"
    },
    f"{_KERAS}.backend:_initialize_variables": {
        "_keras_initialized": "whether Keras has initialized a variable in its session"
    },
    f"{_KERAS}.legacy_tf_layers.normalization:BatchNormalization": {
        "_assign_moving_average": "how often a moving average is updated in a step"
    },
}
