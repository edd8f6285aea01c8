"""How TensorFlow holds the variables of PyTorch's layers.

Kernels of PyTorch are [out, in, *window], those of TensorFlow [*window, in, out]. An LSTM of
PyTorch has a kernel for its input, one for its state and a bias of each, with the gates i, f, g, o;
the cells of TensorFlow 1.x have one kernel and one bias with i, g, f, o, and add 1 to f when they
compute (``forget_bias``).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tfmigrate_runtime.record.layouts import SUM, Layout
from tfmigrate_runtime.record.original import Array
from tfmigrate_runtime.record.pairing import PortVariable

_KERNELS = {1: (2, 1, 0), 2: (2, 3, 1, 0), 3: (2, 3, 4, 1, 0)}
_GATES = (0, 2, 1, 3)  # of i, g, f, o among i, f, g, o
_WORDS = {
    "norm": {
        "weight": "gamma",
        "bias": "beta",
        "running_mean": "moving_mean",
        "running_var": "moving_variance",
    },
    "embedding": {"weight": "embeddings"},
}


def variables_of(
    torch: Any, roots: Mapping[str, Any], values: Mapping[str, Array], trainable: set[str]
) -> list[PortVariable]:
    """Returns the variables of modules, each as TensorFlow would hold it.

    Args:
        torch: the module.
        roots: modules, by the prefix of their variables' names.
        values: of all variables, by name.
        trainable: the names of those that an optimizer updates.
    """
    port_variables: list[PortVariable] = []
    taken: set[str] = set()
    for prefix, root in roots.items():
        for path, module in root.named_modules():
            start = f"{prefix}{path}." if path else prefix
            for variable in _of_module(torch, module, start, values, trainable):
                names = variable.layout.variables if variable.layout else (variable.name,)
                # Weights that several modules share are one variable.
                if not taken & {*names}:
                    port_variables.append(variable)
                taken.update(names)
    port_variables += [
        PortVariable(name, value.shape, name in trainable)
        for name, value in values.items()
        if name not in taken
    ]
    order = {name: number for number, name in enumerate(values)}
    return sorted(
        port_variables, key=lambda v: order[v.layout.variables[0] if v.layout else v.name]
    )


def _of_module(
    torch: Any, module: Any, start: str, values: Mapping[str, Array], trainable: set[str]
) -> list[PortVariable]:
    nn = torch.nn
    if isinstance(module, (nn.LSTM, nn.LSTMCell)):
        return _of_lstm(module, start, values, trainable)
    port_variables = []
    own = [*module.named_parameters(recurse=False), *module.named_buffers(recurse=False)]
    kind = _kind_of(nn, module)
    for name, _ in own:
        if (full := f"{start}{name}") not in values:
            continue
        word = _WORDS.get(kind, {}).get(name, "kernel" if name == "weight" else name)
        layout, shape = _layout(kind, module, full, name, values[full].shape)
        alias = f"{start}{word}".replace(".", "/")
        port_variables.append(PortVariable(full, shape, full in trainable, layout, alias))
    return port_variables


def _kind_of(nn: Any, module: Any) -> str:
    if isinstance(module, (nn.modules.batchnorm._NormBase, nn.LayerNorm, nn.GroupNorm)):
        return "norm"
    if isinstance(module, (nn.Embedding, nn.EmbeddingBag)):
        return "embedding"
    if isinstance(module, nn.Linear):
        return "linear"
    return "convolution" if isinstance(module, nn.modules.conv._ConvNd) else ""


def _layout(
    kind: str, module: Any, full: str, name: str, shape: tuple[int, ...]
) -> tuple[Layout | None, tuple[int, ...]]:
    """Returns the layout of a variable of a layer, and its shape in the original."""
    if not kind:
        return None, shape
    if name != "weight" or kind in ("norm", "embedding"):
        return Layout((full,)), shape
    axes = (1, 0) if kind == "linear" else _KERNELS[len(module.kernel_size)]
    groups = getattr(module, "groups", 1)
    if groups > 1 and groups == module.in_channels and shape[1] == 1:
        # The kernel of a depthwise convolution is [*window, in, multiplier].
        axes = (*axes[: len(shape) - 2], 0, 1)
        moved = (*tuple(shape[axis] for axis in axes[:-2]), groups, shape[0] // groups)
        return Layout((full,), transpose=axes, reshape=True), moved
    return Layout((full,), transpose=axes), tuple(shape[axis] for axis in axes)


def _of_lstm(
    module: Any, start: str, values: Mapping[str, Array], trainable: set[str]
) -> list[PortVariable]:
    names = [name for name, _ in module.named_parameters(recurse=False)]
    port_variables = []
    for name in names:
        if not name.startswith("weight_ih"):
            continue
        end = name.removeprefix("weight_ih")
        scope = f"{start}{end.lstrip('_')}".rstrip(".").replace(".", "/") or "lstm"
        kernels = tuple(f"{start}{each}{end}" for each in ("weight_ih", "weight_hh"))
        size, width = values[kernels[0]].shape[1], values[kernels[1]].shape
        kernel = Layout(kernels, transpose=(1, 0), join=0, blocks=(1, _GATES))
        shape = (size + width[1], width[0])
        port_variables.append(_composite(f"{scope}/kernel", shape, kernel, trainable))
        if f"bias_ih{end}" in names:
            biases = tuple(f"{start}{each}{end}" for each in ("bias_ih", "bias_hh"))
            bias = Layout(biases, join=SUM, blocks=(0, _GATES), add=(0, 2, 4, -1.0))
            port_variables.append(_composite(f"{scope}/bias", (width[0],), bias, trainable))
    return port_variables


def _composite(
    alias: str, shape: Sequence[int], layout: Layout, trainable: set[str]
) -> PortVariable:
    is_trained = layout.variables[0] in trainable
    return PortVariable(layout.variables[0], tuple(shape), is_trained, layout, alias)
