"""Core TensorFlow's equivalents of TensorFlow 1.x names, one package per file.

Each file has the name of the package (``MODULE``), the names with an equivalent in core TensorFlow
(``NAMES``), and why the others have none (``MISSING``).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Equivalent:
    """A name of the core, below ``tf.`` (``tensorflow.compat.v1``), that means the same.

    Attributes:
        name: the name ("metrics.accuracy").
        parameters: the old function's, in their order, where the new one orders or names them
            differently; positional arguments become keywords, except those called "", which stay
            positional. () where all arguments can stay as they are.
        renamed: the new name of a parameter, by its old name; None for one without effect, which
            is removed.
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
