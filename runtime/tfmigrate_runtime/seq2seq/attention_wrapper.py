"""The cell of tf.contrib.seq2seq that attends to a memory.

The source of the meaning is contrib/seq2seq/python/ops/attention_wrapper.py of TensorFlow 1.15.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable
from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.rnn.base import Cell, as_cell
from tfmigrate_runtime.seq2seq.mechanism import AttentionMechanism, dense, zeros

_ADVICE = (
    "Non-matching batch sizes between the memory (encoder output) and {}. Are you using the "
    "BeamSearchDecoder? Then tile the memory and the states with tile_batch(..., beam_width), and "
    "give batch_size * beam_width to zero_state."
)


class AttentionWrapperState(
    collections.namedtuple(
        "AttentionWrapperState",
        ("cell_state", "attention", "time", "alignments", "alignment_history", "attention_state"),
    )
):
    """The state of an AttentionWrapper."""

    def clone(self, **kwargs: Any) -> AttentionWrapperState:
        """Returns the state with other parts.

        Raises:
            ValueError: a part has another shape.
        """

        def same_shape(old: Any, new: Any) -> Any:
            if tf.is_tensor(old) and tf.is_tensor(new):
                old.shape.assert_is_compatible_with(new.shape)
            return new

        cloned: AttentionWrapperState = tf.nest.map_structure(
            same_shape, self, self._replace(**kwargs)
        )
        return cloned


class AttentionWrapper(Cell):
    """A cell that gets the attention of the step before with its inputs."""

    def __init__(
        self,
        cell: Any,
        attention_mechanism: Any,
        attention_layer_size: Any = None,
        alignment_history: bool = False,
        cell_input_fn: Callable[[Any, Any], Any] | None = None,
        output_attention: bool = True,
        initial_cell_state: Any = None,
        name: str | None = None,
        attention_layer: Any = None,
        attention_fn: Callable[..., Any] | None = None,
        dtype: Any = None,
    ) -> None:
        """Makes the cell.

        Args:
            cell: the cell inside.
            attention_mechanism: what it asks, one or several.
            attention_layer_size: the size of a linear layer on output and context, one for each
                mechanism; without one the context is the attention.
            alignment_history: whether all alignments are kept, in a TensorArray.
            cell_input_fn: joins inputs and attention; concatenates them by default.
            output_attention: whether the output is the attention, not the cell's output.
            initial_cell_state: the state that zero_state has for the cell inside.
            name: of the cell.
            attention_layer: layers instead of attention_layer_size.
            attention_fn: computes (attention, alignments, state) of (mechanism, output, state,
                layer).
            dtype: of the cell.
        """
        super().__init__(name=name, dtype=dtype)
        self._cell = as_cell(cell)
        self._is_multi = isinstance(attention_mechanism, (list, tuple))
        self._mechanisms = tuple(attention_mechanism) if self._is_multi else (attention_mechanism,)
        for mechanism in self._mechanisms:
            if not isinstance(mechanism, AttentionMechanism):
                raise TypeError(
                    "attention_mechanism must be an AttentionMechanism or list of multiple "
                    f"AttentionMechanism instances, saw type: {type(mechanism).__name__}"
                )
        if cell_input_fn is not None and not callable(cell_input_fn):
            raise TypeError(
                f"cell_input_fn must be callable, saw type: {type(cell_input_fn).__name__}"
            )
        self._cell_input_fn = cell_input_fn or _concatenated
        self._make_layers(attention_layer_size, attention_layer)
        self._attention_fn = attention_fn or _compute_attention
        self._output_attention, self._keeps = output_attention, alignment_history
        with tf.name_scope(name, "AttentionWrapperInit"):
            self._initial_cell_state = initial_cell_state
            if initial_cell_state is not None:
                last = tf.nest.flatten(initial_cell_state)[-1]
                self._initial_cell_state = self._checked(
                    initial_cell_state, tf.shape(last)[0], "initial_cell_state"
                )

    def _make_layers(self, sizes: Any, layers: Any) -> None:
        if sizes is not None and layers is not None:
            raise ValueError("Only one of attention_layer_size and attention_layer should be set")
        count, widths = (
            len(self._mechanisms),
            [m.values.shape.as_list()[-1] for m in self._mechanisms],
        )
        self._layers: tuple[Any, ...] | None = None
        if sizes is not None:
            widths = list(sizes) if isinstance(sizes, (list, tuple)) else [sizes]
            self._layers = tuple(
                dense(size, "attention_layer", mechanism.dtype)
                for size, mechanism in zip(widths, self._mechanisms, strict=False)
            )
        elif layers is not None:
            self._layers = tuple(layers) if isinstance(layers, (list, tuple)) else (layers,)
            inputs = [self._cell.output_size + width for width in widths]
            shapes = [
                tf.TensorShape(layer.compute_output_shape([None, size])).as_list()
                for layer, size in zip(self._layers, inputs, strict=False)
            ]
            widths = [shape[-1] for shape in shapes]
        if len(widths) != count or (self._layers and len(self._layers) != count):
            raise ValueError(
                "If provided, attention_layer_size and attention_layer must have exactly one item "
                f"per attention_mechanism, saw: {len(widths)} vs {count}"
            )
        self._attention_size = sum(widths)

    def _checked(self, tensors: Any, batch_size: Any, what: str) -> Any:
        """Returns tensors that are only there if the memories have the same batch size."""
        message = f"When using AttentionWrapper {self.name}: {_ADVICE.format(what)}"
        checks = [
            tf.assert_equal(batch_size, mechanism.batch_size, message=message)
            for mechanism in self._mechanisms
        ]
        with tf.control_dependencies(checks):
            return tf.nest.map_structure(tf.identity, tensors)

    def _one_or_all(self, items: Iterable[Any]) -> Any:
        all_items = tuple(items)
        return all_items if self._is_multi else all_items[0]

    @property
    def output_size(self) -> Any:
        """The size of the attention, or of the cell's output."""
        return self._attention_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self) -> Any:
        """The sizes of the parts of the state."""
        sizes = [mechanism.alignments_size for mechanism in self._mechanisms]
        return AttentionWrapperState(
            cell_state=self._cell.state_size,
            time=tf.TensorShape([]),
            attention=self._attention_size,
            alignments=self._one_or_all(sizes),
            attention_state=self._one_or_all(m.state_size for m in self._mechanisms),
            alignment_history=self._one_or_all(size if self._keeps else () for size in sizes),
        )

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        """Returns the first state: 0, and the initial_cell_state where there is one."""
        with tf.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            if (inner := self._initial_cell_state) is None:
                inner = self._cell.zero_state(batch_size, dtype)
            first = [m.initial_alignments(batch_size, dtype) for m in self._mechanisms]
            histories = [
                tf.TensorArray(dtype, size=0, dynamic_size=True, element_shape=alignments.shape)
                if self._keeps
                else ()
                for alignments in first
            ]
            return AttentionWrapperState(
                cell_state=self._checked(inner, batch_size, "the requested batch size"),
                time=tf.zeros([], tf.int32),
                attention=zeros(self._attention_size, batch_size, dtype),
                alignments=self._one_or_all(first),
                attention_state=self._one_or_all(
                    m.initial_state(batch_size, dtype) for m in self._mechanisms
                ),
                alignment_history=self._one_or_all(histories),
            )

    def call(self, inputs: Any, state: Any) -> Any:
        """Returns the output, [batch_size, output_size], and the state.

        Raises:
            TypeError: the state is not an AttentionWrapperState.
        """
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(
                "Expected state to be instance of AttentionWrapperState. "
                f"Received type {type(state)} instead."
            )
        output, inner = self._cell(self._cell_input_fn(inputs, state.attention), state.cell_state)
        output = self._checked(output, tf.shape(output)[0], "the query (decoder output)")
        before = state.attention_state if self._is_multi else (state.attention_state,)
        history = state.alignment_history if self._is_multi else (state.alignment_history,)
        layers = self._layers or (None,) * len(self._mechanisms)
        parts = [
            self._attention_fn(mechanism, output, old, layer)
            for mechanism, old, layer in zip(self._mechanisms, before, layers, strict=True)
        ]
        attention = tf.concat([part[0] for part in parts], 1)
        new = AttentionWrapperState(
            time=state.time + 1,
            cell_state=inner,
            attention=attention,
            attention_state=self._one_or_all(part[2] for part in parts),
            alignments=self._one_or_all(part[1] for part in parts),
            alignment_history=self._one_or_all(
                array.write(state.time, part[1]) if self._keeps else ()
                for array, part in zip(history, parts, strict=True)
            ),
        )
        return (attention if self._output_attention else output), new


def _concatenated(inputs: Any, attention: Any) -> Any:
    return tf.concat([inputs, attention], -1)


def _compute_attention(
    attention_mechanism: Any, cell_output: Any, attention_state: Any, attention_layer: Any
) -> tuple[Any, Any, Any]:
    """Returns the attention, the alignments and the mechanism's state.

    It was never public, but subclasses of ``AttentionWrapper`` call it.
    """
    alignments, state = attention_mechanism(cell_output, state=attention_state)
    context = tf.matmul(tf.expand_dims(alignments, 1), attention_mechanism.values)
    context = tf.squeeze(context, [1])
    if attention_layer is not None:
        context = attention_layer(tf.concat([cell_output, context], 1))
    return context, alignments, state
