"""The options of the engine."""

from __future__ import annotations

from dataclasses import dataclass

from tfmigrate.model.targets import DEFAULT, TARGETS, Target


@dataclass(frozen=True)
class Options:
    """The options of a run.

    Attributes:
        unsafe: apply also what may change how the program trains.
        select: codes or prefixes of the rules to use; empty for all.
        ignore: codes or prefixes of the rules not to use.
        coordinator: let one coordinator run the loop of an asynchronous program.
        py2: turn Python 2 files into Python 3 first, which needs fissix.
        target: what TensorFlow the result is to run on.
    """

    unsafe: bool = False
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    coordinator: bool = False
    py2: bool = False
    target: Target = TARGETS[DEFAULT]

    def selects(self, code: str) -> bool:
        """Says whether a rule is selected."""
        return (not self.select or code.startswith(self.select)) and not (
            self.ignore and code.startswith(self.ignore)
        )
