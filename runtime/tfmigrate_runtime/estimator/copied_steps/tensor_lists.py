"""Lists in loops that were written out: what was stored is used where it was computed."""

from typing import Any

import tensorflow.compat.v1 as tf

from tfmigrate_runtime.estimator.copied_steps.step_nodes import StepNodes, tensor_of, values_of


class _UnknownItemError(Exception):
    """What stores the items of a list is not known."""


class TensorLists:
    """The lists of a step."""

    def __init__(self, nodes: StepNodes) -> None:
        self._nodes = nodes
        self._sums: dict[tuple[str, int], str | None] = {}

    def replace_reads(self) -> None:
        """Lets the nodes of the step that read lists take the items themselves."""
        for node in list(self._nodes.by_name.values()):
            if node.op == "TensorListGetItem":
                self._replace_item(node)
            elif node.op == "TensorListStack":
                self._replace_stack(node)

    def _replace_item(self, node: Any) -> None:
        if (index := self._nodes.value(node.input[1])) is None:
            return
        try:
            item = self._item(node.input[0], int(index))
            item = item or self._zeros(node.input[0], int(index))
        except _UnknownItemError:
            node.input[0] = self._before_other_items(node.input[0], int(index))
            return
        if item is not None:
            self._nodes.instead[node.name] = item

    def _replace_stack(self, node: Any) -> None:
        awaited: list[str] = []
        stored = node.input[0]
        passing = self._nodes.origin(stored)
        while passing is not None and passing.op == "Identity":
            awaited += passing.input[1:]
            stored = passing.input[0]
            passing = self._nodes.origin(stored)
        try:
            length = node.attr["num_elements"].i
            length = length if length >= 0 else self._length(stored)
            items = [self._item(stored, index) for index in range(length)]
        except _UnknownItemError:
            return
        if not items or None in items:
            return  # it gives zeros of the shape of the others
        dtype = node.attr["element_dtype"].type
        node.op = "Pack"
        node.input[:] = [*items, *awaited]
        node.attr.clear()
        node.attr["N"].i = len(items)
        node.attr["T"].type = dtype
        node.attr["axis"].i = 0

    def _length(self, tensor: str) -> int:
        """Returns the number of items of a list."""
        node = self._nodes.origin(tensor)
        while node is not None and node.op == "TensorListSetItem":
            if node.attr["resize_if_index_out_of_bounds"].b:
                raise _UnknownItemError
            node = self._nodes.origin(node.input[0])
        if node is None or node.op != "TensorListReserve":
            raise _UnknownItemError
        if (length := self._nodes.value(node.input[1])) is None:
            raise _UnknownItemError
        return int(length)

    def _item(self, tensor: str, index: int) -> str | None:
        """Returns an item of a list, None where nothing was stored."""
        tensor = self._before_other_items(tensor, index)
        if (node := self._nodes.producer(tensor)) is None:
            raise _UnknownItemError
        if node.op == "TensorListSetItem":
            if self._nodes.value(node.input[1]) is None:
                raise _UnknownItemError
            return self._nodes.source(node.input[2])
        if node.op in ("TensorListReserve", "ZerosLike"):
            return None  # 0 to those who add
        if node.op != "AddN":
            raise _UnknownItemError
        key = (node.name, index)
        if key not in self._sums:
            self._sums[key] = self._sum(node, index)
        return self._sums[key]

    def _zeros(self, tensor: str, index: int) -> str | None:
        """Returns zeros like an item of a list, where a list is like that one, but of zeros."""
        node = self._nodes.producer(self._before_other_items(tensor, index))
        item = self._item(node.input[0], index) if node.op == "ZerosLike" else None
        if item is None:
            return None
        zeros = tf.NodeDef(name=f"{node.name}/item_{index}", op="ZerosLike", device=node.device)
        zeros.input.append(item)
        zeros.attr["T"].type = self._type_of(node.input[0])
        self._nodes.by_name[zeros.name] = zeros
        return str(zeros.name)

    def _before_other_items(self, tensor: str, index: int) -> str:
        """Returns the list as it was before other items were stored in it."""
        while True:
            tensor = self._nodes.source(tensor)
            node = self._nodes.producer(tensor)
            if node is None or node.op != "TensorListSetItem":
                return tensor
            if (other := self._nodes.value(node.input[1])) is None or other == index:
                return tensor
            tensor = node.input[0]

    def _sum(self, node: Any, index: int) -> str | None:
        """Returns the item of a sum of lists, in which an item that is not stored counts as 0."""
        items = [self._item(tensor, index) for tensor in values_of(node)]
        stored = [item for item in items if item is not None]
        if len(stored) < 2:
            return stored[0] if stored else None
        dtype = self._type_of(values_of(node)[-1])
        added = tf.NodeDef(name=f"{node.name}/item_{index}", op="AddN", device=node.device)
        added.input.extend(stored)
        added.attr["N"].i = len(stored)
        added.attr["T"].type = dtype
        self._nodes.by_name[added.name] = added
        return tensor_of(added.name, 0)

    def _type_of(self, tensor: str) -> int:
        """Returns the type of the items of a list."""
        node = self._nodes.origin(tensor)
        while node is not None and node.op in ("AddN", "ZerosLike"):
            node = self._nodes.origin(values_of(node)[-1])
        if node is None or "element_dtype" not in node.attr:
            raise _UnknownItemError
        return int(node.attr["element_dtype"].type)
