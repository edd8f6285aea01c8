"""What the core of TensorFlow has in the place of names of TensorFlow 1.x, one package a file.

Each file has the name of the package (``MODULE``), what has an equivalent in the core (``NAMES``),
and why the others have none (``MISSING``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Equivalent:
    """A name of the core, below ``tf.`` (``tensorflow.compat.v1``), that means the same.

    Attributes:
        name: the name ("metrics.accuracy").
        parameters: those of the old function, in their order, where they have another order or
            other names in the new one; positional arguments become keywords then, but for those
            called "", which stay positional. () where all arguments can stay as they are.
        renamed: what a parameter is called now, by its old name; None for one that has no effect
            and goes.
        added: arguments that the new one needs to mean the same, as text, by their names; they are
            left out where the call gives them.
        called: whether the old name is what the new one returns when it is called.
    """

    name: str
    parameters: tuple[str, ...] = ()
    renamed: Mapping[str, str | None] = field(default_factory=dict)
    added: Mapping[str, str] = field(default_factory=dict)
    called: bool = False


@dataclass(frozen=True)
class Missing:
    """Why a name, and all below it, has no equivalent.

    Attributes:
        reason: what it was, and why it is gone ("needs TPUs", "is not maintained").
        action: what to do ("use TensorFlow Probability (tfp.distributions)").
    """

    reason: str
    action: str
