"""The cause of a difference, read from the updates of programs in lock-step.

In lock-step the difference D of an update is what a fault adds in that step alone. It is fitted,
step by step, by multiples of what is known: the original's update U, what the variable held before
the step S, what the variable of a slot held W, and E, U over the root of the mean square of the
gradients. Where one of them explains it, the factor says by how much:

    weights:   D = (c - 1) U    the learning rate is c times      D = c S    weight decay
               D = -e E         epsilon is greater by e
    slots:     D = (c - 1) U    1 - the rate of decay is c times  D = c S    the rate of decay
               D = c W          a regularizer                     D = (c - 1) (U + (1 - decay) S)
                                                                             the gradient is c times
    averages:  D = (c - 1) U    1 - the decay is c times (0: it never moves)
               D = (c - 1) (U + (1 - decay) S)               what is averaged is c times
    weights:   D = a (M' - M)   M, M' the momentum before and after it: Nesterov's momentum
               D = a M' - b M   the gradient of Nesterov's momentum has another learning rate
               D = a M          the momentum has the learning rates of earlier steps in it

What follows from another difference (weights from their slots, averages from their weights, the
second slot of an optimizer from its first) is left out, and so is what is nothing but rounding. The
list of causes is closed: anything else is another direction.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tfmigrate_runtime.verify.causes import DIRECTION
from tfmigrate_runtime.verify.diagnosis import updated_rows
from tfmigrate_runtime.verify.rounding import updates
from tfmigrate_runtime.verify.rounding.tolerance import Finding, Tolerance
from tfmigrate_runtime.verify.rungs.compare_updates import of_variables
from tfmigrate_runtime.verify.traces.trace import Array, Trace, end_stretches
from tfmigrate_runtime.verify.wording import first_of

_LEFT = 0.05  # of a difference, which a cause may leave unexplained
_SAME = 0.02  # by which the factors of steps may differ to be called one
_SAME_EPSILON = 0.3  # the same for epsilon, next to which the slot may be small
_NOTHING = 1e-3  # a factor below this is 0
_LEAST_ELEMENTS = 4  # for each vector that is fitted
_MOMENTUM = "Momentum"
_AVERAGE = "ExponentialMovingAverage"
_SQUARES = ("Adam_1", "RMSProp")
_FIRSTS = {"/Adam_1": "/Adam", "/v": "/m"}  # the mean of the gradients, by that of their squares
_REPEATED = (
    "the gradients are the same and their squares are not: of what a batch adds to one row several "
    "times, the square is that of each in place of that of the sum, or the reverse"
)
_ROUNDING = (
    0.01  # of an update: where rounding moves it by that much, its cause cannot be determined
)
_MOST_STEPS = 6
_MOST_NAMES = 3


@dataclass(frozen=True)
class _Different:
    """A variable that differs.

    Attributes:
        name: its name.
        kind: "weights", "slot" or "average".
        owner: the trainable variable that it belongs to, "" where it is one.
        rows: the steps at which it differs.
        old: the original's updates in these.
        new: the migrated program's.
        is_rounding: whether rounding alone changes them as much.
    """

    name: str
    kind: str
    owner: str
    rows: Array
    old: Array
    new: Array
    is_rounding: bool


class _Explained(NamedTuple):
    """A cause, as a code of ``causes.CAUSES`` and as the end of a sentence."""

    code: str
    sentence: str


@dataclass(frozen=True)
class Diagnosis:
    """The cause of a difference.

    Attributes:
        code: of ``causes.CAUSES``.
        line: a sentence, with the variables and steps.
    """

    code: str
    line: str


def diagnose(
    original: Trace,
    migrated: Trace,
    tolerance: Tolerance,
    workers: int = 0,
    findings: Mapping[str, Finding] | None = None,
) -> tuple[Diagnosis, ...]:
    """Returns the causes of what differs, the clearest first.

    Args:
        original: the original's trace.
        migrated: the migrated program's, with variables at the same steps.
        tolerance: how close they had to be.
        workers: how many train in a cluster, 0 where one process trains.
        findings: the comparisons of all variables, where these are known.
    """
    if not len(original.variable_step):
        return ()
    if findings is None:
        findings = of_variables(original, migrated, tolerance)[0]
    different = _different(original, migrated, tolerance, findings)
    slots = {each.owner for each in different if each.kind == "slot"}
    weights = {each.name for each in different if each.kind == "weights"}
    names = {each.name for each in different}
    by_cause: dict[tuple[str, _Explained], list[_Different]] = {}  # by what they are, and the cause
    for each in different:
        if each.name in slots or (each.kind == "average" and each.owner in weights):
            continue
        if each.name.endswith("_1") and each.name[:-2] in names:
            continue
        if (explained := _explained(each, original)) is None:
            continue
        if explained == _DIRECTION and _squares_alone(each, original, names):
            explained = _Explained("rows", _REPEATED)
        what = f"slots {each.name.rsplit('/', 1)[-1]}" if each.kind == "slot" else each.kind
        by_cause.setdefault((what, explained), []).append(each)
    _leave_out_small(by_cause)
    replicas = workers or int(migrated.meta.get("replicas") or 1)
    diagnoses = []
    for (what, (code, sentence)), variables in by_cause.items():
        whole = _whole(sentence, variables)
        count = replicas if _may_be_scaled(code, variables) else 1
        line = _line(what, whole, variables, original, count, bool(workers))
        diagnoses.append(Diagnosis(code, line))
    return tuple(sorted(diagnoses, key=lambda diagnosis: diagnosis.code == _DIRECTION.code))


def _leave_out_small(by_cause: dict[tuple[str, _Explained], list[_Different]]) -> None:
    """Leaves out variables too small for a cause of two vectors where larger ones have a cause.

    The slot of a bias of four numbers was said to go in another direction where the gradients of
    all slots were twice as large.
    """
    known = {what for what, cause in by_cause if cause != _DIRECTION}
    for what in known:
        open_ones = by_cause.pop((what, _DIRECTION), [])
        if large := [each for each in open_ones if each.old.shape[1] >= 2 * _LEAST_ELEMENTS]:
            by_cause[what, _DIRECTION] = large


_OTHER = "another direction"
_RATE = "the learning rate, or a factor of the loss"
_DIRECTION = _Explained(DIRECTION, _OTHER)


def _different(
    original: Trace, migrated: Trace, tolerance: Tolerance, findings: Mapping[str, Finding]
) -> list[_Different]:
    rows_of = _differing_rows(original, migrated, findings)
    differing = []
    for name, (compared, rows) in rows_of.items():
        variable_updates = updates.updates_of(name, original, migrated, tolerance.noise)
        if not np.isfinite(variable_updates.new[rows]).all() or name.endswith("_power"):
            continue
        kind, owner = _kind_of(name, original)
        is_rounding = bool((compared.noise[rows] > _ROUNDING * compared.size[rows]).all())
        old, new = variable_updates.old[rows], variable_updates.new[rows]
        differing.append(_Different(name, kind, owner, rows, old, new, is_rounding))
    return [each for each in differing if not each.is_rounding] or differing


def _differing_rows(
    original: Trace, migrated: Trace, findings: Mapping[str, Finding]
) -> dict[str, tuple[Finding, Array]]:
    """Returns, by variable that differs, the comparison and the steps that show the cause.

    After several steps made in one call everything differs that follows from the first of them,
    slots from weights: single steps tell more, where these differ as well.
    """
    differing: dict[str, tuple[Finding, Array]] = {}
    for name, compared in findings.items():
        values = original.variables[name]
        if values.dtype.kind != "f" or not values.size:
            continue
        rows = _rows(compared, updates.is_followed(migrated, name))
        if len(rows):
            differing[name] = compared, rows
    is_near_end = end_stretches(original.variable_step, original, migrated)
    single = {name: (each, rows[~is_near_end[rows]]) for name, (each, rows) in differing.items()}
    single = {name: (each, rows) for name, (each, rows) in single.items() if len(rows)}
    return single or differing


def _rows(finding: Finding, is_followed: bool) -> Array:
    """Returns the steps at which a variable differs; of a free run only the first shows a cause."""
    return finding.beyond if is_followed else finding.beyond[:1]


def _kind_of(name: str, original: Trace) -> tuple[str, str]:
    if name in original.trainable:
        return "weights", ""
    owners = [other for other in original.trainable if updates.is_slot_of(name, other)]
    owner = max(owners, key=len, default="")
    is_average = not owner or name.rsplit("/", 1)[-1].startswith(_AVERAGE)
    return ("average" if is_average else "slot"), owner


def _explained(each: _Different, original: Trace) -> _Explained | None:
    """Returns the cause of one variable's difference; None where it is too small to tell."""
    difference, update = each.new - each.old, each.old
    moves = each.old.any(axis=1), each.new.any(axis=1)
    if moves[0].any() and moves[1].any() and (moves[0] != moves[1]).all():
        return _Explained("updates", "move at other steps than the original's")
    if rows := updated_rows.differing_rows(each.old, each.new, original.initial[each.name].shape):
        return _Explained("rows", rows)
    before = updates.starts_of(original, each.name)[each.rows]
    tries: dict[str, tuple[Array, ...]] = {"U": (update,), "S": (before,)}
    if each.owner and original.initial[each.owner].size == before.shape[1]:
        tries["W"] = (updates.starts_of(original, each.owner)[each.rows],)
    squares = next((n for s in _SQUARES if (n := f"{each.name}/{s}") in original.variables), None)
    if squares is not None:
        root = np.sqrt(np.maximum(updates.flat(original.variables[squares])[each.rows], 1e-30))
        # U (r + e) = U' (r + e'): D is -(e' - e) U / r only where epsilon is small next to the root
        # r; with the new update, only where it was small.
        tries["E"] = (update / root,)
        tries["E2"] = (each.new / root,)
    if (momentum := f"{each.name}/{_MOMENTUM}") in original.variables:
        after = updates.flat(original.variables[momentum])[each.rows]
        tries["M"] = (updates.starts_of(original, momentum)[each.rows], after)
        tries["M0"] = tries["M"][:1]
        tries["N"] = (after - tries["M"][0],)
    if each.kind == "slot":
        tries["US"] = (update, before)
    fits = {name: _fit(difference, vectors) for name, vectors in tries.items()}
    if each.kind == "average":
        # Batch normalization of a few channels shows it in all steps together.
        whole = (difference, update, before)
        together, *vectors = (array.reshape(1, -1) for array in whole)
        fits["US"] = _fit(together, vectors)
        tries["US"] = (update, before)
        if not _is_scaled_value(fits["US"][0]):
            del fits["US"]
    good = [name for name, (factors, left) in fits.items() if len(factors) and left < _LEFT]
    if "U" in good and not _is_multiple(each.new, update, before):
        good.remove("U")
    if not any(len(factors) for factors, _ in fits.values()):
        if update.any():
            return None
        return _Explained("updates", "move where the original's do not")
    if not good:
        return _DIRECTION
    # A single vector before two, which fit more.
    best = min(good, key=lambda name: (len(tries[name]), fits[name][1]))
    factors = fits[best][0]
    if best == "M":
        # The gradient M' - m M has another factor, of all that it is in the update.
        factors = factors[:, 1:] / _fit(update, tries["M"])[0][:, 1:]
    if best[0] == "E" and np.ptp(factors) > _SAME_EPSILON * abs(float(np.median(factors))):
        return _DIRECTION
    if best == "U" and each.name.endswith("/Adagrad"):  # the sum of all squares: it has no decay
        best, factors = "US", np.sqrt(np.maximum(factors + 1, 0)) - 1
    if best == "US" and _is_momentum_of_rmsprop(each.name, original):
        # RMSProp's momentum has the rate in it; of another gradient its squares would differ first.
        return _sentence("U", "weights", factors)
    if best == "US" and each.name.endswith(_SQUARES):
        factors = np.sqrt(np.maximum(factors + 1, 0)) - 1  # the slot has the gradient's square
    return _sentence(best, each.kind, factors, is_variance="var" in each.name.lower())


def _is_momentum_of_rmsprop(name: str, original: Trace) -> bool:
    """Returns whether a slot is RMSProp's last one; a centered one has mean gradients before it."""
    owner, _, number = name.rpartition("/RMSProp_")
    return bool(owner) and f"{owner}/RMSProp_{int(number) + 1}" not in original.variables


def _squares_alone(each: _Different, original: Trace, names: set[str]) -> bool:
    """Returns whether the mean squares of a table differ, and the mean gradients do not.

    Adam and RMSprop of Keras 3 square each gradient of a row that a batch has several times.

    Args:
        each: the variable.
        original: the original's trace.
        names: of all variables that differ.
    """
    firsts = [each.name[: -len(s)] + f for s, f in _FIRSTS.items() if each.name.endswith(s)]
    is_table = original.initial[each.name].ndim == 2
    return is_table and any(f in original.variables and f not in names for f in firsts)


def _is_multiple(new: Array, old: Array, before: Array) -> bool:
    """Returns whether new updates are multiples of the old ones, in half of the steps or more.

    What is small next to the old update leaves little of the difference, whatever its direction:
    plain gradient descent in the place of Adam was called 0.0004 to 0.008 times the learning rate.
    """
    size = np.maximum(np.sum(old * old, axis=1, keepdims=True), 1e-300)
    factors = np.sum(new * old, axis=1, keepdims=True) / size
    left = np.linalg.norm(new - factors * old, axis=1)
    rounding = 2 * float(np.finfo(np.float32).eps) * np.linalg.norm(before, axis=1)
    return bool(np.mean(left <= _LEFT * np.linalg.norm(new, axis=1) + rounding) >= 0.5)


def _is_scaled_value(factors: Array) -> bool:
    """Whether D = (c - 1) (U + (1 - decay) S), with a decay from 0 to 1."""
    return all(0 < own / of_update < 1 for of_update, own in factors if of_update)


def _sentence(vector: str, kind: str, factors: Array, is_variance: bool = False) -> _Explained:
    if vector == "US" and kind == "average":
        cause = "a variance over n - 1 in place of n, or a scale" if is_variance else "a scale"
        what = f"what is averaged is {_ratio(factors[:, 0])} times: {cause}"
        return _Explained("average-value", what)
    if vector == "US":
        return _Explained("gradient-scale", f"the gradient is {_ratio(factors[:, 0])} times")
    if vector == "M0":
        meaning = "the momentum keeps the learning rates of earlier steps, or loses them"
        return _Explained("momentum-rate", meaning)
    if vector == "M":
        what = f"the gradient is {_ratio(factors[:, 0])} times, not the momentum"
        return _Explained("learning-rate", f"{what}: {_RATE}")
    if vector == "N":
        nesterov = "the momentum is applied in another way: Nesterov's (use_nesterov) is lost or "
        return _Explained("nesterov", f"{nesterov}added")
    if vector[0] == "E":
        return _Explained("epsilon", f"epsilon is greater by about {-np.median(factors):.2g}")
    if vector == "W":
        added = f"the variable is added {_shown(factors[:, 0])} times: a regularizer"
        return _Explained("regularizer", added)
    if vector == "S":
        code, cause = {
            "weights": ("weight-decay", "weight decay or a regularizer"),
            "slot": ("decay-rate", "the rate of decay (momentum, beta)"),
            "average": ("average-decay", "its decay"),
        }[kind]
        return _Explained(code, f"their own value is added {_shown(factors[:, 0])} times: {cause}")
    ratio = _ratio(factors[:, 0])
    code, cause = {
        "weights": ("learning-rate", _RATE),
        "slot": ("decay-rate", "1 - the rate of decay"),
        "average": ("average-decay", "1 - the decay"),
    }[kind]
    if ratio == "0" and kind == "weights":
        lost = "do not move: the learning rate is 0, or their updates are lost"
        return _Explained("lost-updates", lost)
    if ratio == "0":
        return _Explained("lost-updates", "do not move: their updates are lost")
    return _Explained(code, f"the update is {ratio} times: {cause}")


def _whole(sentence: str, differing: Sequence[_Different]) -> str:
    """Returns a sentence with what is known of all variables together."""
    if sentence != _OTHER:
        return sentence
    cosines = []
    for each in differing:
        lengths = np.linalg.norm(each.new, axis=1) * np.linalg.norm(each.old, axis=1)
        moved = lengths > 0
        if moved.any():
            cosine = np.sum(each.new * each.old, axis=1)[moved] / lengths[moved]
            cosines.append(float(np.median(cosine)))
    if not cosines:
        return f"{_OTHER}: one of both does not move"
    ends = sorted({f"{min(cosines):.3f}", f"{max(cosines):.3f}"}, key=float)
    return f"{_OTHER} (cosine {' to '.join(ends)}): the batch, the gradient or the optimizer"


def _fit(difference: Array, vectors: Sequence[Array]) -> tuple[Array, float]:
    """Returns the factors of each step, and the share of the difference that they leave."""
    factors, left = [], []
    for row in range(len(difference)):
        matrix = np.stack([vector[row] for vector in vectors], axis=1)
        size = float(np.linalg.norm(difference[row]))
        enough = difference.shape[1] >= _LEAST_ELEMENTS * len(vectors)
        if not enough or not size or not np.abs(matrix).max():
            continue
        scale = np.maximum(np.abs(matrix).max(axis=0), 1e-30)
        solution = np.linalg.lstsq(matrix / scale, difference[row], rcond=None)[0]
        factors.append(solution / scale)
        left.append(float(np.linalg.norm(difference[row] - matrix / scale @ solution)) / size)
    if not left:
        return np.zeros((0, len(vectors))), 1.0
    return np.asarray(factors), float(np.median(left))


def _ratio(factors: Array) -> str:
    """Returns how many times the original's something is, given by how much more of it."""
    if np.abs(factors + 1).max() < _NOTHING:
        return "0"
    # "1 times" tells nothing of a rate that is greater by 0.03 %.
    more = max(float(np.abs(factors).max()), 1e-12)
    return _shown(factors + 1, max(0, -int(np.floor(np.log10(more))) - 2))


def _shown(factors: Array, digits: int = 0) -> str:
    """Returns the factor of all steps, or the least and the greatest, with further digits."""
    # A factor of a warm-up that starts at 0 is 2e-16 by the division.
    factors = np.where(np.abs(factors) < _NOTHING * np.abs(factors).max(), 0.0, factors)
    middle = float(np.median(factors))
    if np.ptp(factors) < _SAME * max(abs(middle), 1e-30):
        return f"{middle:.{4 + digits}g}"
    return f"{factors.min():.{3 + digits}g} to {factors.max():.{3 + digits}g}"


def _line(
    what: str,
    sentence: str,
    differing: Sequence[_Different],
    original: Trace,
    replicas: int,
    is_cluster: bool,
) -> str:
    rows = sorted({int(row) for each in differing for row in each.rows})
    steps = [str(int(original.variable_step[row])) for row in rows]
    where = ""
    if len(steps) < len(original.variable_step):
        unit = "step" if len(steps) == 1 else "steps"
        where = f", at {unit} {first_of(steps, _MOST_STEPS)}"
    names = first_of([each.name for each in differing], _MOST_NAMES)
    return f"{what}: {sentence} ({names}{where}).{_hint(sentence, replicas, is_cluster)}"


def _may_be_scaled(code: str, differing: Sequence[_Different]) -> bool:
    """Whether replicas may cause it: a slot's first update shows the gradient, not its decay."""
    is_first = all((each.rows == 0).all() for each in differing)
    return code in ("learning-rate", "gradient-scale") or (code == "decay-rate" and is_first)


def _hint(sentence: str, replicas: int, is_cluster: bool) -> str:
    """Returns what to check where a factor is the number of replicas or workers, or its inverse."""
    for factor in (replicas, 1 / replicas):
        if replicas > 1 and f" is {factor:.4g} times" in sentence:
            if is_cluster:
                return f" With {replicas} workers, see tfmigrate explain TFM303."
            return (
                f" With {replicas} replicas, check loss_reduction and global_batch (tfmigrate "
                "explain TFM201), and sums over towers in place of means (TFM401)."
            )
    return ""
