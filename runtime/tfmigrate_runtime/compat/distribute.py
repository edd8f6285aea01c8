"""What strategies are made of."""

# MultiWorkerMirroredStrategy in graphs: its class has no public name.
# A module, as skip_summary in it is replaced: replicas but the first drop their summaries.
from tensorflow.python.distribute import summary_op_util as summary_op_util
from tensorflow.python.distribute.collective_all_reduce_strategy import (
    CollectiveAllReduceExtended as CollectiveAllReduceExtended,
)

# The strategy of a worker with parameter servers, whose devices between_graph chooses itself.
from tensorflow.python.distribute.parameter_server_strategy import (
    ParameterServerStrategyExtended as ParameterServerStrategyExtended,
)
