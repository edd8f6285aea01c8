"""Which changes are made: each group whole or not at all, and what is reported of them."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tfmigrate.engine.second_run import Where, where
from tfmigrate.engine.unresolved import Decided
from tfmigrate.model.edits import Edit
from tfmigrate.model.findings import HELD_BACK, Finding, Severity, first_of
from tfmigrate.rulekit.basics import Draft, Module
from tfmigrate.rulekit.suppressions import Suppressions

if TYPE_CHECKING:
    from tfmigrate.engine.options import Options

_NAMED = 3  # how many of the findings that hold a change back are named
_AS_BEFORE = "no action needed: it runs as before, but not under tf.distribute"


class Decision:
    """Which drafts are applied: each group whole, or not at all.

    A construct that cannot be converted and runs in compat.v1 as it did is kept: then its own edits
    are not made, while the others of its group are.

    Attributes:
        held_back: the modules of the groups that wait because a file could not be rewritten.
        failed: the drafts that report those files.
    """

    def __init__(
        self, drafts: Sequence[Draft], options: Options, suppressions: Suppressions
    ) -> None:
        self._options, self._suppressions = options, suppressions
        self._drafts: list[Draft] = []
        self._blockers: dict[str, list[Draft]] = defaultdict(list)
        self._keepers: dict[str, list[Draft]] = defaultdict(list)  # of each construct
        # Of each group: why some of its edits are left out, and the rules that would make them.
        self._unselected: dict[str, dict[str, set[str]]] = defaultdict(dict)
        self._left_out: set[int] = set()
        self.held_back: set[Module] = set()
        self.failed: list[Draft] = []
        self.add(drafts)

    def add(self, drafts: Sequence[Draft]) -> None:
        """Takes more drafts into account."""
        options = self._options
        self._drafts += drafts
        for draft in drafts:
            if why_not := _why_not(draft, options, self._suppressions):
                self._left_out.add(id(draft))
                # An ignored hazard does not hold its group back; an ignored edit does.
                if draft.edits and draft.group:
                    self._unselected[draft.group].setdefault(why_not, set()).add(draft.code)
            elif draft.blocks and not (options.unsafe and draft.severity is Severity.UNSAFE):
                if draft.construct:
                    self._keepers[draft.construct].append(draft)
                else:
                    self._blockers[draft.group].append(draft)

    def hold_back(self, failed: Sequence[Draft]) -> None:
        """Holds back every group that has an edit in one of the given files."""
        self.failed += failed
        for failure in failed:
            groups = {d.group for d in self._drafts if d.module is failure.module and d.edits}
            self._drafts.append(failure)
            for group in groups:
                self._blockers[group].append(failure)
            self.held_back |= {d.module for d in self._drafts if d.group in groups and d.edits}

    def said_of(self, module: Module) -> Decided:
        """Returns where drafts of a file are left, and where they would change it."""
        left = [d for d in self._drafts if d.module is module and not self._applies(d)]
        # No edit of a kept construct waits.
        waiting = [d for d in left if not d.construct or d.fallback is self._is_kept(d)]
        values = [v for draft in waiting for edit in draft.edits for v in vars(edit).values()]
        nodes = [value for value in values if isinstance(value, ast.AST)]
        return Decided(
            lines={module.position(draft.node)[0] for draft in left},
            waiting={module.position(node)[0] for node in nodes},
            is_held_back=bool(nodes),
        )

    def edits(self, module: Module) -> list[Edit]:
        """Returns the edits of one file that are to be made."""
        chosen = [d for d in self._drafts if d.module is module and self._applies(d)]
        return [edit for draft in chosen for edit in draft.edits]

    def findings(self, place: Where = where) -> list[Finding]:
        """Returns what to report of every draft."""
        drafts = (draft for draft in self._drafts if id(draft) not in self._left_out)
        own = (self._finding(draft, place) for draft in drafts)
        return list(dict.fromkeys(filter(None, (*own, *self._held_back_files(place)))))

    def _held_back_files(self, place: Where) -> Iterator[Finding]:
        """Yields a finding for each file that waits and has no finding that names the reason."""
        waiting: dict[Module, Draft] = {}
        explained = set()
        for draft in self._drafts:
            if id(draft) in self._left_out or not draft.edits or self._applies(draft):
                continue
            if draft.construct and draft.fallback is not self._is_kept(draft):
                continue  # the other form of the construct is what is made
            if draft.severity is Severity.FIXED and not draft.quiet:
                explained.add(draft.module)  # its action names what holds it back
            holders = {blocker.module for blocker in self._holders(draft)}
            if draft.module not in holders and (holders or self._unselected[draft.group]):
                waiting.setdefault(draft.module, draft)
        for module, draft in waiting.items():
            if module not in explained:
                yield self._finding_of(
                    replace(draft, code=HELD_BACK, message="this file is not changed"),
                    self._held_back_severity(draft.group),
                    self._reason(draft),
                    applied=False,
                    place=place,
                )

    def _holders(self, draft: Draft) -> list[Draft]:
        """Returns what holds a draft back even if its own edits are selected."""
        blockers = self._blockers[draft.group]
        if draft.severity is Severity.UNSAFE:
            return [blocker for blocker in blockers if blocker.severity is not Severity.UNSAFE]
        return blockers

    def _held_back_severity(self, group: str) -> Severity:
        blockers = self._blockers[group]
        unsafe = blockers and all(b.severity is Severity.UNSAFE for b in blockers)
        return Severity.UNSAFE if unsafe and not self._unselected[group] else Severity.MANUAL

    def _applies(self, draft: Draft) -> bool:
        if not draft.edits or id(draft) in self._left_out:
            return False
        if draft.severity is Severity.UNSAFE and not self._options.unsafe:
            return False
        if draft.construct and draft.fallback is not self._is_kept(draft):
            return False
        return not self._blockers[draft.group] and not self._unselected[draft.group]

    def _is_kept(self, draft: Draft) -> bool:
        """Returns whether the construct of a draft is kept."""
        return bool(draft.construct and self._keepers[draft.construct])

    def _runs(self, module: Module) -> bool:
        """Returns whether a file is migrated, except for the constructs that are kept."""
        edited = [d for d in self._drafts if d.module is module and d.edits]
        return not any(
            self._blockers[d.group] or self._unselected[d.group]
            for d in edited
            if not d.construct or d.fallback
        )

    def _finding(self, draft: Draft, place: Where) -> Finding | None:
        severity, action, applied = draft.severity, draft.action, self._applies(draft)
        if draft.fallback and not self._is_kept(draft):
            return None
        if self._is_kept(draft) and not draft.fallback:
            return self._finding_of_kept(draft, place)
        if draft.severity is Severity.FIXED and not applied:
            blockers = self._blockers[draft.group]
            if draft.quiet and (blockers or self._unselected[draft.group]):
                return None
            severity = self._held_back_severity(draft.group)
            action = self._reason(draft)
        elif draft.severity is Severity.UNSAFE:
            if not draft.edits:
                applied = self._options.unsafe and not self._blockers[draft.group]
            if not applied and (self._holders(draft) or self._unselected[draft.group]):
                severity = Severity.MANUAL  # --unsafe does not make the change
                action = "; ".join(filter(None, (action, self._reason(draft))))
        if draft.severity is Severity.FIXED and not applied:
            draft = replace(draft, message=f"not applied: {draft.message}")
        return self._finding_of(draft, severity, action, applied, place)

    def _finding_of_kept(self, draft: Draft, place: Where) -> Finding | None:
        """Returns the finding of a construct that stays, at one of its places.

        In a file that holds the reason, only the reason is reported.
        """
        keepers = self._keepers[draft.construct]
        still_runs = self._runs(draft.module)
        severity = Severity.KEPT if still_runs else Severity.MANUAL
        if draft.severity is Severity.FIXED:
            if any(keeper.module is draft.module for keeper in keepers):
                return None
            draft = replace(draft, message=f"not applied: {draft.message}")
            action = f"to convert it, {_resolve_first(keepers)}"
            return self._finding_of(draft, severity, action, False, place)
        if not still_runs:
            return self._finding_of(draft, severity, draft.action, False, place)
        by_unsafe = all(keeper.severity is Severity.UNSAFE for keeper in keepers)
        action = f"{_AS_BEFORE}; to convert it, {draft.action}"
        kept_finding = self._finding_of(draft, severity, action, False, place)
        return replace(kept_finding, unsafe_converts=by_unsafe)

    def _finding_of(
        self, draft: Draft, severity: Severity, action: str, applied: bool, place: Where
    ) -> Finding:
        """Returns the finding of a draft, at its place."""
        cell, line, column = place(draft.module, *draft.module.position(draft.node))
        end = draft.module.end(draft.node)
        last_cell, *last = place(draft.module, *end) if end else (cell, 0, 0)
        if last_cell != cell or last < [line, column]:  # in a text that another pass changed
            last = [0, 0]
        return Finding(
            path=draft.module.source.display,
            line=line,
            column=column,
            code=draft.code,
            severity=severity,
            message=draft.message,
            action=action,
            applied=applied,
            cell=cell,
            held_back=bool(draft.edits) and severity is Severity.MANUAL,
            end_line=last[0],
            end_column=last[1],
        )

    def _reason(self, draft: Draft) -> str:
        if holders := self._holders(draft):
            return _resolve_first(holders)
        return "; ".join(
            f"needs {', '.join(sorted(codes))} ({why})"
            for why, codes in sorted(self._unselected[draft.group].items())
        )


def _why_not(draft: Draft, options: Options, suppressions: Suppressions) -> str:
    """Returns why a draft is left out; "" where it is not."""
    if not options.selects(draft.code, draft.module.source.path):
        return "not selected"
    if (comment := suppressions.suppresses(draft.module, draft.node, draft.code)) is None:
        return ""
    return f"ignored by the comment at {draft.module.source.place(comment.line)}"


def _resolve_first(blockers: Sequence[Draft]) -> str:
    places = [f"{b.code} at {b.module.source.place(*b.module.position(b.node))}" for b in blockers]
    return f"resolve {first_of(places, _NAMED)} first"
