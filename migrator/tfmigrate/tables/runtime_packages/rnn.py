"""What tfmigrate_runtime.rnn has of tf.contrib.rnn."""

from __future__ import annotations

from tfmigrate.tables.package import Package

PACKAGE = Package(
    "tensorflow.contrib.rnn",
    "tfmigrate_runtime.rnn",
    {
        "": frozenset(
            {
                "AttentionCellWrapper",
                "BasicLSTMCell",
                "BasicRNNCell",
                "Conv1DLSTMCell",
                "Conv2DLSTMCell",
                "Conv3DLSTMCell",
                "ConvLSTMCell",
                "CoupledInputForgetGateLSTMCell",
                "DeviceWrapper",
                "DropoutWrapper",
                "EmbeddingWrapper",
                "FusedRNNCell",
                "FusedRNNCellAdaptor",
                "GRUBlockCell",
                "GRUBlockCellV2",
                "GRUCell",
                "HighwayWrapper",
                "IndRNNCell",
                "IndyGRUCell",
                "IndyLSTMCell",
                "InputProjectionWrapper",
                "IntersectionRNNCell",
                "LSTMBlockCell",
                "LSTMBlockFusedCell",
                "LSTMCell",
                "LSTMStateTuple",
                "LayerNormBasicLSTMCell",
                "LayerRNNCell",
                "MultiRNNCell",
                "NASCell",
                "OutputProjectionWrapper",
                "RNNCell",
                "ResidualWrapper",
                "SRUCell",
                "TimeReversedFusedRNN",
                "UGRNNCell",
                "_Linear",
                "_linear",
                "stack_bidirectional_dynamic_rnn",
                "stack_bidirectional_rnn",
                "static_bidirectional_rnn",
                "static_rnn",
                "static_state_saving_rnn",
            }
        )
    },
)
