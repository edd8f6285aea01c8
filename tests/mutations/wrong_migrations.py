"""Makes wrong migrations of a migrated program: each with one mistake that people make.

Every mutation changes what is computed in one place. ``mutations_of`` finds the places by their
meaning (calls, keywords), not by their text, so that it works on programs it does not know.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import mistakes_of_models as models
import mistakes_of_runs as runs
import mistakes_of_training as training
from source_edits import Found, replaced

# The rungs of the ladder, by what they compare.
START, TRAINABLE, INITIAL, LOSS, VARIABLES, RESULTS, CHECKPOINTS, EXPORTS, WRITTEN = (
    "steps",
    "trainable",
    "initial values",
    "loss",
    "variables and slots",
    "results",
    "checkpoints",
    "exports",
    "files and hooks",
)
# What trains otherwise is told by the loss, or, where a step shows it first, by the variables.
_TRAINING = (LOSS, VARIABLES)
_INPUT = (START, INITIAL, *_TRAINING, RESULTS)


@dataclass(frozen=True)
class Mutation:
    """One wrong migration.

    Attributes:
        kind: the mistake, in a few words.
        line: where it was made.
        text: the whole file.
        rungs: what on the ladder may tell, of the names above.
    """

    kind: str
    line: int
    text: str
    rungs: tuple[str, ...]


_MISTAKES: dict[str, tuple[Callable[[ast.AST, str], Found], tuple[str, ...]]] = {
    "batch per replica": (training.batch_per_replica, (START, INITIAL, *_TRAINING)),
    "SUM and MEAN exchanged": (training.sum_for_mean_of_replicas, (*_TRAINING, RESULTS)),
    "sum instead of mean over towers": (training.sum_for_mean_of_towers, _TRAINING),
    "no loss scale": (training.no_loss_scale, _TRAINING),
    "global_step counted twice": (training.global_step_twice, (START,)),
    "different optimizer setting": (training.setting_of_optimizer, (INITIAL, *_TRAINING)),
    "no clipping": (training.no_clipping, _TRAINING),
    "no regularizer": (training.no_regulariser, _TRAINING),
    "moved boundary of the learning rate schedule": (training.moved_boundary, _TRAINING),
    "momentum lost on restore": (training.lost_momentum, _TRAINING),
    "different optimizer": (training.another_optimizer, (INITIAL, *_TRAINING)),
    "learning rate 2 % too large": (training.learning_rate, _TRAINING),
    "different learning rate schedule": (training.another_schedule, _TRAINING),
    "no gradient multipliers": (training.no_gradient_multipliers, _TRAINING),
    "moving averages updated differently": (training.no_moving_averages, (*_TRAINING, RESULTS)),
    "sum instead of mean in the loss": (training.sum_for_mean, (*_TRAINING, RESULTS)),
    "one step fewer": (runs.one_step_less, (START, RESULTS)),
    "half a batch": (runs.half_a_batch, _INPUT),
    "no shuffle": (runs.no_shuffle, (INITIAL, *_TRAINING)),
    "first example dropped": (runs.first_example_lost, _INPUT),
    "labels of other examples": (runs.labels_of_others, (INITIAL, *_TRAINING, RESULTS)),
    "different activation": (models.another_activation, (*_TRAINING, RESULTS)),
    "different dropout": (models.another_dropout, _TRAINING),
    "training=False while training": (models.not_in_training, (*_TRAINING, RESULTS)),
    "different initial values": (models.another_start, (INITIAL,)),
    "one more unit": (models.more_units, (TRAINABLE, INITIAL)),
    "half the hidden units": (models.half_the_hidden_units, (TRAINABLE, INITIAL)),
    "layer not trained": (models.frozen, (TRAINABLE,)),
    "no bias": (models.no_bias, (TRAINABLE, INITIAL)),
    "renamed variables": (models.another_name, (TRAINABLE, INITIAL)),
    "variables on a different task": (models.another_place, (TRAINABLE,)),
    "feature 5 % too large": (models.scaled_feature, (INITIAL, *_TRAINING)),
    "feature column left out": (models.column_left_out, (TRAINABLE, INITIAL)),
    "different metric": (models.another_metric, (RESULTS,)),
    "one evaluation fewer": (runs.fewer_evaluations, (RESULTS,)),
    "a shorter evaluation": (runs.shorter_evaluation, (START, RESULTS)),
    "checkpoints at other steps": (runs.other_checkpoints, (START, RESULTS)),
    "different end of training": (runs.other_end, (START, RESULTS)),
    "evaluations at other steps": (runs.other_frequency, (START, RESULTS)),
    "no export": (runs.no_export, (RESULTS,)),
    "hooks left out": (runs.no_hook, (START, *_TRAINING, RESULTS)),
    "constant 5 % too large": (models.another_number, (INITIAL, *_TRAINING, RESULTS)),
}
KINDS = tuple(_MISTAKES)
NAMED = KINDS[: KINDS.index("different optimizer")]  # mistakes that people are known for
ONLY_WHERE_RESTORED = "momentum lost on restore"
_LAST = KINDS[-1]  # of all programs, and of their data as much as of the training


def mutations_of(text: str, restores: bool = False) -> list[Mutation]:
    """Returns all wrong forms of a file that are known, in the order of its lines.

    Args:
        text: the file.
        restores: whether its program goes on training from a checkpoint; what is lost on the way
            is lost only there.
    """
    tree = ast.parse(text)
    found: dict[str, Mutation] = {}
    for kind, (finder, rungs) in _MISTAKES.items():
        if kind == ONLY_WHERE_RESTORED and not restores:
            continue
        for node, new in finder(tree, text):
            if ast.dump(ast.parse(f"({new})", mode="eval").body) != ast.dump(node):
                changed = replaced(text, node, new)
                found.setdefault(changed, Mutation(kind, node.lineno, changed, rungs))
    return sorted(found.values(), key=lambda mutation: mutation.line)


def chosen(mutations: Sequence[Mutation], count: int, occurrences: Counter[str]) -> list[Mutation]:
    """Returns so many of a program's mutations, of as many kinds as possible.

    Args:
        mutations: all.
        count: how many.
        occurrences: how many programs have each kind; rare ones are taken first.
    """
    kinds = sorted(_present(mutations), key=lambda kind: _rank(kind, occurrences))
    by_kind = {kind: [m for m in mutations if m.kind == kind] for kind in kinds}
    taken: list[Mutation] = []
    for turn in range(max(map(len, by_kind.values()), default=0)):
        taken += [by_kind[kind][turn] for kind in kinds if turn < len(by_kind[kind])]
    return taken[:count]


def _present(mutations: Iterable[Mutation]) -> set[str]:
    return {mutation.kind for mutation in mutations}


def _rank(kind: str, occurrences: Counter[str]) -> tuple[bool, bool, int, int]:
    return kind == _LAST, kind not in NAMED, occurrences[kind], KINDS.index(kind)
