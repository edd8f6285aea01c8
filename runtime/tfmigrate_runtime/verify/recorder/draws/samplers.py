"""Ops that draw by parameters: classes by their logits, candidates of a sampled loss, indices.

A program without sessions is given what the original's op drew only where its parameters are the
original's too, since other ones would be hidden: actions are drawn by logits, and a sampled softmax
over another number of classes has other candidates.

* ``<replica>/<type>:<n>:<output>`` are the keys of what the n-th op of a type draws,
  ``<replica>/<type>:<n>:<parameter>`` those of the tensors it draws by.
* ``kinds`` has the type and its settings for the former, "" for the latter.
"""

import inspect
import json
from typing import Any, Callable, Dict, List, NamedTuple, Sequence, Tuple

import numpy as np

_NEAR = 1e-3  # logits in lock-step differ by rounding


class Sampler(NamedTuple):
    """A type of op.

    Attributes:
        functions: what makes it, or the op of TensorFlow 2 that takes its place.
        inputs: the parameters that are tensors.
        settings: those that are attributes.
    """

    functions: Tuple[str, ...]
    inputs: Tuple[str, ...] = ()
    settings: Tuple[str, ...] = ()


_CANDIDATES = ("num_true", "num_sampled", "unique", "range_max")
SAMPLERS = {
    "LogUniformCandidateSampler": Sampler(
        ("gen_candidate_sampling_ops.log_uniform_candidate_sampler",), (), _CANDIDATES
    ),
    "UniformCandidateSampler": Sampler(
        ("gen_candidate_sampling_ops.uniform_candidate_sampler",), (), _CANDIDATES
    ),
    "Multinomial": Sampler(
        ("gen_random_ops.multinomial", "gen_stateless_random_ops.stateless_multinomial"),
        ("logits",),
    ),
    "RandomUniformInt": Sampler(
        (
            "gen_random_ops.random_uniform_int",
            "gen_stateless_random_ops_v2.stateless_random_uniform_int_v2",
        ),
        ("minval", "maxval"),
    ),
    "RandomShuffle": Sampler(("gen_random_ops.random_shuffle",), ("value",)),
}
# These have gradients, or draw by what they drew before: a program draws its own numbers.
FREE = (
    "gen_random_ops.parameterized_truncated_normal",
    "gen_random_ops.random_gamma",
    "gen_random_ops.random_poisson_v2",
    "gen_candidate_sampling_ops.fixed_unigram_candidate_sampler",
    "gen_candidate_sampling_ops.learned_unigram_candidate_sampler",
    "gen_stateless_random_ops.stateless_parameterized_truncated_normal",
    "gen_stateless_random_ops.stateless_random_binomial",
    "gen_stateless_random_ops.stateless_random_poisson",
    "gen_stateless_random_ops_v2.stateless_random_gamma_v3",
    "gen_stateless_random_ops_v2.stateless_shuffle",
)


def tensors_of(operation: Any, key: str) -> Dict[str, Tuple[Any, str]]:
    """Returns what an op draws, and by which tensors, with the entries of ``kinds``.

    Args:
        operation: of a graph.
        key: ``<replica>/<type>:<n>``.
    """
    sampler = SAMPLERS[operation.type]
    kind = _kind(operation.type, [operation.get_attr(name) for name in sampler.settings])
    tensors = {
        "%s:%d" % (key, number): (tensor, kind) for number, tensor in enumerate(operation.outputs)
    }
    names = [argument.name for argument in operation.op_def.input_arg]
    for name in sampler.inputs:
        tensors["%s:%s" % (key, name)] = (operation.inputs[names.index(name)], "")
    return tensors


def _kind(name: str, settings: Sequence[Any]) -> str:
    plain = [value if isinstance(value, bool) else int(value) for value in settings]
    return name + json.dumps(plain) if plain else name


class Call:
    """One call of a function that makes such an op."""

    def __init__(
        self, name: str, function: Callable[..., Any], arguments: Any, options: Any
    ) -> None:
        """Takes the type of op, the function, and what it is called with."""
        sampler = SAMPLERS[name]
        bound = inspect.signature(function).bind(*arguments, **options)
        bound.apply_defaults()
        settings = [bound.arguments[setting] for setting in sampler.settings]
        self.kind = _kind(name, settings)
        self.names = sampler.inputs
        self.inputs = [bound.arguments[each] for each in self.names]

    def picked(
        self, key: str, drawn: List[Any], inputs: List[Any], of_step: Callable[[str, str], Any]
    ) -> Any:
        """Returns what the original drew, None where its op is not known or has other parameters.

        Args:
            key: ``<replica>/<type>:<n>``.
            drawn: what this program drew.
            inputs: the values of ``inputs``.
            of_step: returns what the original has in this step by a key and a kind, or None.
        """
        values = [of_step("%s:%d" % (key, number), self.kind) for number in range(len(drawn))]
        if any(
            value is None or (value.shape, value.dtype) != (own.shape, own.dtype)
            for value, own in zip(values, drawn)
        ):
            return None
        for name, own in zip(self.names, inputs):
            value, own = of_step("%s:%s" % (key, name), ""), np.asarray(own)
            if value is None or value.shape != own.shape:
                return None
            size = float(np.abs(value).max()) if value.size else 0.0
            if not np.allclose(own, value, rtol=_NEAR, atol=_NEAR * size):
                return None
        return values
