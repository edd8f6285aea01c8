"""What the legacy runtime takes of strategies: the classes of TensorFlow 1.15, mostly."""

# Devices of a strategy that is given a number of GPUs.
from tensorflow.python.distribute import device_util as device_util

# Runs the tasks of Estimators and Keras models.
from tensorflow.python.distribute import distribute_coordinator as distribute_coordinator

# The task that a worker runs as.
from tensorflow.python.distribute import (
    distribute_coordinator_context as distribute_coordinator_context,
)

# Clusters of Estimators.
from tensorflow.python.distribute import multi_worker_util as multi_worker_util

# MultiWorkerMirroredStrategy in graphs.
from tensorflow.python.distribute.collective_all_reduce_strategy import (
    CollectiveAllReduceExtended as CollectiveAllReduceExtended,
)

# Base class of tf.contrib.distribute.AllReduceCrossDeviceOps.
from tensorflow.python.distribute.cross_device_ops import (
    AllReduceCrossDeviceOps as AllReduceCrossDeviceOps,
)

# tf.contrib.distribute.DistributeConfig.
from tensorflow.python.distribute.distribute_config import DistributeConfig as DistributeConfig

# tf.contrib.distribute.run_standard_tensorflow_server.
from tensorflow.python.distribute.distribute_coordinator import (
    run_standard_tensorflow_server as run_standard_tensorflow_server,
)

# Base class of all strategies, which gets the methods of 1.15.
from tensorflow.python.distribute.distribute_lib import StrategyBase as StrategyBase

# tf.contrib.distribute.require_replica_context.
from tensorflow.python.distribute.distribute_lib import (
    require_replica_context as require_replica_context,
)

# Base class of MirroredStrategy of tf.contrib.
from tensorflow.python.distribute.mirrored_strategy import MirroredExtended as MirroredExtended

# Devices of a MirroredStrategy without arguments.
from tensorflow.python.distribute.mirrored_strategy import all_local_devices as all_local_devices

# Base class of ParameterServerStrategy of tf.contrib.
from tensorflow.python.distribute.parameter_server_strategy import (
    ParameterServerStrategyExtended as ParameterServerStrategyExtended,
)

# tf.contrib.distribute.StandardInputStep, StandardSingleLossStep and Step.
from tensorflow.python.distribute.step_fn import StandardInputStep as StandardInputStep

# As above.
from tensorflow.python.distribute.step_fn import StandardSingleLossStep as StandardSingleLossStep

# As above.
from tensorflow.python.distribute.step_fn import Step as Step

# Iterators of strategies in graphs.
from tensorflow.python.distribute.v1.input_lib import DatasetIterator as DatasetIterator
