"""Observes programs of PyTorch: no line in them is needed.

* A step is a call of an optimizer's ``step``, between PyTorch's own hooks before and after it. Its
  loss is the sum of what ``backward`` was called on since the step before.
* Variables are the parameters and buffers of modules. The original's values are copied to them
  before a module is first called, once an optimizer has been made, and after each step.
* Masks of ``dropout``, and the numbers of ``randn`` and ``rand`` in a module, are the original's.
* The first batch is what the outermost module is called with in the first step.
"""

import functools
import importlib
import weakref
from collections.abc import Iterator, Mapping
from typing import Any

from tfmigrate_runtime.record import torch_layers
from tfmigrate_runtime.record.draws import NORMAL, UNIFORM
from tfmigrate_runtime.record.follower import refuse
from tfmigrate_runtime.record.maps import PairingError
from tfmigrate_runtime.record.run import Run
from tfmigrate_runtime.verify.recorder.program import wrapping

# Roles of what optimizers keep for a parameter, by the names that those of PyTorch give it.
_ROLES = {
    "exp_avg": "m", "exp_avg_sq": "v", "momentum_buffer": "momentum", "square_avg": "rms",
    "sum": "sum", "acc_delta": "delta",
}  # fmt: skip
_SEVERAL = (
    "two optimizers make steps. Call tfmigrate_runtime.record in the loop instead, once for each "
    "step that the original makes"
)


class TorchObserver:
    """Records the training of the program."""

    def __init__(self, torch: Any, run: Run) -> None:
        """Takes the module ``torch`` and where to record."""
        self._torch, self._run = torch, run
        self._modules: list[weakref.ref[Any]] = []
        self._optimizers: list[weakref.ref[Any]] = []
        self._trains: Any = None  # the optimizer that makes the steps
        self._loss: float | None = None
        self._depth = 0  # of calls of modules
        self._batch: dict[str, Any] | None = None
        run.framework = f"torch {torch.__version__}"

    def install(self) -> None:
        """Wraps what is followed; hooks of PyTorch are used where there are some."""
        torch, optim = self._torch, importlib.import_module("torch.optim.optimizer")
        # Weakly: a program that replaces its model frees the old one.
        wrapping.on_creation(torch.nn.Module, lambda m: self._modules.append(weakref.ref(m)))
        made = self._optimizers
        wrapping.on_creation(torch.optim.Optimizer, lambda o: made.append(weakref.ref(o)))
        optim.register_optimizer_step_post_hook(self._step_made)
        hooks = torch.nn.modules.module
        hooks.register_module_forward_pre_hook(self._module_called)
        hooks.register_module_forward_hook(self._module_returned, always_call=True)
        wrapping.before(torch.Tensor, "backward", self._note_loss)
        wrapping.wrap(torch.nn.functional, "dropout", self._dropout)
        for name, kind in (("randn", NORMAL), ("rand", UNIFORM)):
            for each in (name, f"{name}_like"):
                wrapping.wrap(torch, each, functools.partial(self._drawing, kind))

    def _living(self, references: list[weakref.ref[Any]]) -> list[Any]:
        return [each for each in (reference() for reference in references) if each is not None]

    def _trained(self) -> list[Any]:
        """Returns the parameters that the optimizer trains."""
        return [p for group in self._trains.param_groups for p in group["params"]]

    def _roots(self) -> dict[str, Any]:
        """Returns the outermost modules with what the optimizer trains, by the prefix of names."""
        trained = set(map(id, self._trained()))
        modules = self._living(self._modules)
        inner = {id(child) for module in modules for child in module.children()}
        roots = [
            module
            for module in modules
            if id(module) not in inner and any(id(p) in trained for p in module.parameters())
        ]
        if len(roots) == 1:
            return {"": roots[0]}
        return {f"{type(r).__name__.lower()}_{i}.": r for i, r in enumerate(roots)}

    def _tensors(self) -> dict[str, Any]:
        """Returns the parameters and buffers of the program by their names."""
        tensors: dict[str, Any] = {}
        for prefix, module in self._roots().items():
            own = [*module.named_parameters(), *module.named_buffers()]
            tensors.update({f"{prefix}{name}": tensor for name, tensor in own})
        known = {id(tensor) for tensor in tensors.values()}
        alone = [parameter for parameter in self._trained() if id(parameter) not in known]
        tensors.update({f"parameter_{number}": p for number, p in enumerate(alone)})
        return tensors

    def _begin(self) -> None:
        """Pairs the variables, once there is an optimizer, and copies the original's values."""
        optimizers = self._living(self._optimizers)
        if self._run.is_begun or not optimizers:
            return
        self._trains = optimizers[-1]
        tensors = self._tensors()
        values = {name: _numbers(tensor) for name, tensor in tensors.items()}
        trained = set(map(id, self._trained()))
        trainable = {name for name, tensor in tensors.items() if id(tensor) in trained}
        variables = torch_layers.variables_of(self._torch, self._roots(), values, trainable)
        try:
            start = self._run.begin(variables, values)
        except PairingError as error:
            refuse(str(error))
        self._put(tensors, start)

    def _put(self, tensors: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        with self._torch.no_grad():
            for name, value in values.items():
                tensors[name].copy_(self._torch.from_numpy(value).to(tensors[name].dtype))

    def _module_called(self, module: Any, inputs: Any) -> None:
        if not self._depth and self._torch.is_grad_enabled() and module.training:
            self._begin()
            if self._batch is None and any(True for _ in module.parameters()):
                tensors = [each for each in inputs if isinstance(each, self._torch.Tensor)]
                self._batch = {str(i): _numbers(each) for i, each in enumerate(tensors)}
        self._depth += 1

    def _module_returned(self, module: Any, inputs: Any, result: Any) -> None:
        self._depth -= 1

    def _note_loss(self, tensor: Any, *_arguments: Any, **_options: Any) -> None:
        # A tensor of several is not a loss: it was called with the gradient to start from.
        if tensor.numel() == 1:
            # Added up: gradients of several calls are accumulated until the step.
            self._loss = (self._loss or 0.0) + float(tensor.detach().double().cpu())

    def _step_made(self, optimizer: Any, arguments: Any, options: Any) -> None:
        self._begin()
        if optimizer is not self._trains:
            refuse(_SEVERAL)
        tensors = self._tensors()
        values = {name: _numbers(tensor) for name, tensor in tensors.items()}
        held = dict(self._held_slots(optimizer, tensors))
        slots = {role: {n: _numbers(t) for n, t in each.items()} for role, each in held.items()}
        loss = float("nan") if self._loss is None else self._loss
        new, new_slots = self._run.step(loss, values, slots, self._batch)
        self._loss = None
        self._put(tensors, new)
        for role, each in held.items():
            self._put(each, new_slots[role])

    def _held_slots(
        self, optimizer: Any, tensors: Mapping[str, Any]
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yields the tensors of an optimizer's state, by role and parameter."""
        for key, role in _ROLES.items():
            by_parameter = {}
            for name, tensor in tensors.items():
                if (held := optimizer.state.get(tensor, {}).get(key)) is not None:
                    by_parameter[name] = held
            if by_parameter:
                yield role, by_parameter

    def _dropout(
        self,
        original: Any,
        input: Any,
        p: float = 0.5,
        training: bool = True,
        inplace: bool = False,
    ) -> Any:
        drawn = None
        if training and 0 < p < 1 and self._torch.is_grad_enabled():
            drawn = self._run.draws.take(UNIFORM, tuple(input.shape))
        if drawn is None:
            return original(input, p, training, inplace)
        mask = self._torch.from_numpy(drawn >= p).to(input.device)
        # In place, callers may drop the result.
        return input.mul_(mask).div_(1.0 - p) if inplace else input * mask / (1.0 - p)

    def _drawing(self, kind: str, original: Any, *arguments: Any, **options: Any) -> Any:
        # Drawn in any case: the shape is that of the result, and PyTorch's generator moves on.
        own = original(*arguments, **options)
        if not self._depth or not self._torch.is_grad_enabled():
            return own
        if (drawn := self._run.draws.take(kind, tuple(own.shape))) is None:
            return own
        return self._torch.from_numpy(drawn.copy()).to(own)


def _numbers(tensor: Any) -> Any:
    value = tensor.detach().cpu()
    if str(value.dtype) == "torch.bfloat16":  # which NumPy does not have
        value = value.float()
    return value.numpy().copy()
