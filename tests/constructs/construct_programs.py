"""All constructs by name, and what is special about some of them."""

from __future__ import annotations

import construct_inputs
import construct_layers
import construct_models
import construct_optimizers

CONSTRUCTS = {
    **construct_models.CONSTRUCTS,
    **construct_optimizers.CONSTRUCTS,
    **construct_inputs.CONSTRUCTS,
    **construct_layers.CONSTRUCTS,
}
INPUTS = {"input_" + name: function for name, function in construct_inputs.INPUTS.items()}

# An optimizer is nothing that an evaluation has.
EVALUATED = [name for name in CONSTRUCTS if name not in construct_optimizers.CONSTRUCTS]

# Where two towers of TensorFlow 1.15 are no measure for two replicas, one device is.
ONE_TOWER_IS_THE_MEASURE = {
    "raw_variables": "each tower made a copy of its own (semantics.md, 1.15)",
    "averaged_loss": "the second tower failed: the average of a tensor is a variable that "
    "TensorFlow 1.15 does not find again",
}
