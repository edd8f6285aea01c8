"""From source files to new texts and findings: parse, ask the rules, decide, rewrite."""

import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from tfmigrate.engine.decide import Decision
from tfmigrate.engine.groups import linked
from tfmigrate.engine.names_still_read import keeping
from tfmigrate.engine.options import Options
from tfmigrate.engine.parsing import parse
from tfmigrate.engine.second_run import Pass, Settled, merged, settled
from tfmigrate.engine.unresolved import unresolved
from tfmigrate.engine.without_runtime import without_runtime
from tfmigrate.families.graphs.plan import becomes_eager
from tfmigrate.families.tf1.graph_mode import unstarted
from tfmigrate.files.source import SourceFile, TextRefused
from tfmigrate.model.edits import Edit
from tfmigrate.model.findings import (
    DECLINED,
    HELD_BACK,
    INTERNAL_ERROR,
    UNPARSABLE_FILE,
    UNWRITTEN_FILE,
    Finding,
    Severity,
)
from tfmigrate.resolve.syntax import Syntax, syntax_of
from tfmigrate.rewrite.deep_stack import ran_out_of_stack, with_deep_stack
from tfmigrate.rulekit.basics import Draft, Module, Program
from tfmigrate.rulekit.registry import rules
from tfmigrate.rulekit.suppressions import Suppressions


@dataclass
class Migration:
    """The result of migrating a set of files.

    Attributes:
        texts: the new text of each file that changes.
        findings: what was done and what is left, in the order of path and line.
        tracebacks: those of internal errors.
        unstarted: the files that change, need graph mode, and that no known file starts in it.
        syntax: that of the new texts, for who parses them next.
    """

    texts: dict[Path, str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    tracebacks: list[str] = field(default_factory=list)
    unstarted: list[str] = field(default_factory=list)
    syntax: list[Syntax] = field(default_factory=list, repr=False)


def migrate(
    files: Sequence[SourceFile],
    options: Options,
    roots: Sequence[Path] = (),
    keras_2: bool = False,
    unwritable: Mapping[Path, str] | None = None,
) -> Migration:
    """Migrates files together, as one program.

    Args:
        files: the files, decoded.
        roots: where the search for imported files ends upwards.
        keras_2: whether a file that is not among them asks for Keras 2.
        unwritable: the files that have to stay as they are, with the reason; so does what belongs
            together with their changes.

    Returns:
        The new texts and the findings. A file that does not parse is a finding, not an error.
    """
    fixed = unwritable or {}
    return with_deep_stack(lambda: _migrated(files, options, roots, keras_2, fixed))


def _migrated(
    files: Sequence[SourceFile],
    options: Options,
    roots: Sequence[Path],
    keras_2: bool,
    unwritable: Mapping[Path, str],
) -> Migration:
    result = Migration()
    modules, result.findings = parsed(files, options)
    if not modules:
        return result
    converted = _converted(modules, files)
    program = Program(modules, roots, options.coordinator, keras_2, options.target)
    suppressions = Suppressions(modules)
    decision = Decision(_drafts(program, options), options, suppressions)
    fixed = [module for module in modules if module.source.path in unwritable]
    failed = [_unwritten(module, unwritable[module.source.path]) for module in fixed]
    _take_back(failed, converted, result)
    decision.hold_back(failed)
    while True:
        failed = _rewrite(program, decision, result)
        final = Settled(converted | result.texts)
        if not failed and final.texts:
            again = partial(
                _again,
                options=options,
                roots=roots,
                keras_2=keras_2,
                first=decision,
                known={module.source.path: module for module in modules},
            )
            final = settled(modules, final.texts, again, decision.held_back)
            failed = [_kept(module, reason) for module, reason in final.unstable]
            _take_back(failed, converted, result)
        if not failed:
            break
        decision.hold_back(failed)
    result.texts = final.texts
    decided_findings = decision.findings()
    result.findings += merged(decided_findings, final.findings)
    for rule in rules():
        if rule.missing is None or not rule.runs_for(options.target):
            continue
        said = {module: decision.said_of(module) for module in modules}
        decision.add(list(unresolved(program, result.texts, said, rule.missing, final.modules)))
        known = set(decided_findings)
        result.findings += [f for f in decision.findings() if f not in known]
    result.findings += suppressions.findings([rule.code for rule in rules()], options.selects)
    result.findings.sort()
    if result.texts:
        shown = [m.source for m in unstarted(program) if m.source.path in result.texts]
        result.unstarted = sorted(source.display for source in shown)
    return result


def parsed(
    files: Sequence[SourceFile],
    options: Options | None = None,
    known: Mapping[Path, Module] | None = None,
) -> tuple[list[Module], list[Finding]]:
    """Returns the files that parse, converted from Python 2 if requested, and the findings.

    Args:
        known: modules that are taken again where their file is the same.
    """
    options = options or Options()
    modules: list[Module] = []
    findings: list[Finding] = []
    for file in files:
        same = known.get(file.path) if known else None
        if same is not None and same.source is file:
            modules.append(same)
            continue
        outcome = parse(file, py2=options.py2, unsafe=options.unsafe)
        findings += outcome.findings
        if outcome.module is not None:
            modules.append(outcome.module)
    return modules, findings


def _converted(modules: Sequence[Module], files: Sequence[SourceFile]) -> dict[Path, str]:
    """Returns the text of each file that was converted to Python 3."""
    old_texts = {file.path: file.text for file in files}
    new_texts = {module.source.path: module.source.text for module in modules}
    return {path: text for path, text in new_texts.items() if text != old_texts[path]}


def _again(
    files: Sequence[SourceFile],
    options: Options,
    roots: Sequence[Path],
    keras_2: bool,
    first: Decision,
    known: Mapping[Path, Module],
) -> Pass:
    """Runs another pass over files, which holds back what failed in the first one."""
    result = Migration()
    modules, _ = parsed(files, options, known)
    converted = _converted(modules, files)
    program = Program(modules, roots, options.coordinator, keras_2, options.target)
    decision = Decision(_drafts(program, options), options, Suppressions(modules))
    paths = {failure.module.source.path: failure.message for failure in first.failed}
    held = [_unwritten(m, paths[m.source.path]) for m in modules if m.source.path in paths]
    decision.hold_back(held)
    while failed := _rewrite(program, decision, result):
        decision.hold_back(failed)
    return Pass(converted | result.texts, decision.findings, modules)


def _drafts(program: Program, options: Options) -> list[Draft]:
    """Returns the drafts for a program of the rules whose results run on the target."""
    known = [rule for rule in rules() if rule.runs_for(options.target)]
    if program.once(becomes_eager):
        # The runners of an eager program start its clusters, whose code stays as it is.
        known = [rule for rule in known if not rule.of_clusters]
    whole = [draft for rule in known if rule.whole for draft in rule.check(program)]
    if whole and (options.unsafe or all(draft.severity is Severity.FIXED for draft in whole)):
        return whole
    drafts = [draft for rule in known if not rule.whole for draft in rule.check(program)]
    return linked(program, without_runtime(drafts) if options.target.estimator else drafts)


def _rewrite(program: Program, decision: Decision, result: Migration) -> list[Draft]:
    """Rewrites what is decided; returns new drafts where that failed."""
    result.texts.clear()
    result.syntax.clear()
    edits = {module: decision.edits(module) for module in program.modules}
    failed = _write(program, edits, result)
    if result.texts and not failed:
        from tfmigrate.rewrite.dropped_imports import without_lost_names  # they load libcst

        # Again, since only the new texts show which removed names other files still read.
        failed = _write(program, keeping(program, edits, result.texts), result)
        result.texts |= without_lost_names(program, result.texts)
    result.syntax = [syntax_of(path, text) for path, text in result.texts.items()]
    return failed


def _write(
    program: Program, edits_by_module: Mapping[Module, Sequence[Edit]], result: Migration
) -> list[Draft]:
    """Writes the new texts of files; returns new drafts where that failed."""
    failed = []
    for module, edits in edits_by_module.items():
        if not edits:
            continue
        from tfmigrate.rewrite.dropped_imports import without_dropped_imports  # only for edits:
        from tfmigrate.rewrite.locate import RewriteError  # they load libcst
        from tfmigrate.rewrite.transformer import rewrite

        try:
            text = rewrite(module, edits)
            text = without_dropped_imports(program, module, text)
            module.source.fit(text)
        except (RewriteError, TextRefused) as error:
            failed.append(_kept(module, str(error)))
            continue
        except Exception as error:
            if ran_out_of_stack(error):
                raise
            result.tracebacks.append("".join(traceback.format_exception(error)))
            failed.append(_broken(module, error))
            continue
        if text != module.source.text:
            result.texts[module.source.path] = text
    return failed


def _take_back(failed: Sequence[Draft], converted: dict[Path, str], result: Migration) -> None:
    """Leaves files in Python 2 if a second run would change their conversion."""
    for failure in failed:
        source = failure.module.source
        if converted.pop(source.path, None) is not None:
            result.findings = [
                replace(finding, applied=False) if finding.path == source.display else finding
                for finding in result.findings
            ]


def _unwritten(module: Module, reason: str) -> Draft:
    """Returns the draft that holds back every change of a file that is not to be written."""
    if reason == DECLINED:
        message = "this file is not changed"
        return Draft(HELD_BACK, module, module.tree, Severity.MANUAL, message, reason, blocks=True)
    return Draft(UNWRITTEN_FILE, module, module.tree, Severity.ERROR, reason, blocks=True)


def _kept(module: Module, reason: str) -> Draft:
    """Returns the draft that holds back every change of a file that cannot be rewritten."""
    node = module.tree
    message = f"this file cannot be rewritten: {reason}"
    action = "report this as a bug, with the file"
    return Draft(UNPARSABLE_FILE, module, node, Severity.MANUAL, message, action, blocks=True)


def _broken(module: Module, error: Exception) -> Draft:
    """Returns the draft that holds back every change of a file on which tfmigrate fails."""
    what = " ".join(f"{type(error).__name__}: {error}".split())
    message = f"internal error: {what}; this file is not changed"
    action = "report this as a bug, with the traceback that --verbose prints"
    return Draft(INTERNAL_ERROR, module, module.tree, Severity.ERROR, message, action, blocks=True)
