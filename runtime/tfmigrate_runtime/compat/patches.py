"""Methods of TensorFlow and Keras that the runtime replaces, and for how long.

======================================================  ========================  ==============
method                                                  replaced by, in train/    until
======================================================  ========================  ==============
``Session._extend_graph`` (class ``BaseSession``)       between_graph/            the process
                                                        default_placement         ends
``Session._do_call`` (class ``BaseSession``),           waits                     the process
``SessionManager._model_ready``,                                                  ends
``_model_ready_for_local_init``
``Layer.__call__``, ``Layer._init_set_name``,           estimator/keras_models    the process
``RNN.build``, ``StackedRNNCells.build``,                                         ends
``OptimizerV2.get_gradients``,
``version_utils.swap_class`` of Keras 2
``tf.summary.FileWriter.__init__``                      estimator/event_files     the process
                                                                                  ends
``dataset_ops._ensure_same_dataset_graph``              estimator/                the process
                                                        outer_datasets            ends
``eager.context.default_execution_mode``                coordinator/eager         the process
                                                                                  ends
``tf.train.Saver.save``, ``.restore``,                  graphs/process            the process
``tf.Graph.get_tensor_by_name``,                                                  ends
``DefaultStack.is_cleared``
``initialized_value`` of variables                      compat/variables          the process
                                                                                  ends
``TensorShape._v2_behavior``, operators and             graphs/eager_code         the process
``shape`` of tensors and variables of a graph,                                    ends
``eval``, ``load``, ``assign``, ``value``, ...,
``hash`` of variables
``session_manager.session``                             train/managed_sessions    the process
                                                                                  ends
``tf.train.LooperThread.run``                           coordinator/managed       the process
                                                                                  ends
``tf.train.Saver.build``                                estimator/scaffolds       a graph is built
``tf.train.Optimizer._distributed_apply``               estimator/slots           a graph is built
``tf.train.Optimizer.__init__``, ``apply_gradients``,   estimator/                a graph is built
``_scale_loss``,                                        own_optimizers
``tf.distribute.ReplicaContext.merge_call``
``compat.forward_compatible``                           compat/distribute         a graph is built
``tf.layers.BatchNormalization``'s                      estimator/replicas        a graph is built
``_assign_moving_average``
``tf.__internal__.tf2.enabled`` in Keras 2              estimator/                a model is
                                                        keras_estimators          compiled
======================================================  ========================  ==============

What stays acts on the runtime's own graphs (Keras 2), on sessions of a cluster (``_extend_graph``,
``waits``) and on graphs in an eager program (``graphs/process``) only. The legacy runtime, which
runs in separate processes, replaces more.
"""

import functools
import inspect
from collections.abc import Callable
from typing import Any

_originals: dict[tuple[type, str], Any] = {}


def wrap_once(owner: Any, name: str, by: Callable[..., Any]) -> None:
    """Wraps a method until the process ends, however often it is called.

    Others may wrap the method too, before and after: nothing is concluded from ``__wrapped__``,
    which theirs have as well. If other code restores the original, the method is wrapped again.

    Args:
        owner: the class that defines or inherits the method.
        name: the method's name.
        by: is called instead, with the method and then the arguments of the call.
    """
    method = inspect.getattr_static(owner, name)
    if _originals.get((owner, name), method) is method:
        _originals[owner, name] = method

        @functools.wraps(method)
        def call(*arguments: Any, **options: Any) -> Any:
            return by(method, *arguments, **options)

        setattr(owner, name, call)
