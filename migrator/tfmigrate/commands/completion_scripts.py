"""Completion scripts of shells, made from the parsers so that they name every option."""

import argparse
import re
from collections.abc import Callable
from dataclasses import dataclass

from tfmigrate.commands import doctor, explain, mcp, migrate_options, rules
from tfmigrate.commands.arguments import COMMANDS
from tfmigrate.report.rule_docs import topics
from tfmigrate.rulekit import registry

_CODE_OPTIONS = ("--select", "--ignore")
_FILE_METAVARS = ("DIR", "FILE", "GLOB", "PATH", "PYTHON")


@dataclass(frozen=True)
class _Option:
    """An option as a shell has to know it.

    Attributes:
        names: Its spellings.
        help: The first sentence of its help.
        takes: "" for no value, "file", "any", or the values separated by spaces.
    """

    names: tuple[str, ...]
    help: str
    takes: str


@dataclass(frozen=True)
class _Command:
    """A command: its options, and what its other arguments are ("file" or values)."""

    options: tuple[_Option, ...]
    arguments: str


def script(shell: str, own: argparse.ArgumentParser) -> str:
    """Returns the completion script of a shell; ``own`` is the parser of the command for that."""
    return _WRITERS[shell](_commands(own))


def _commands(own: argparse.ArgumentParser) -> dict[str, _Command]:
    """Returns every command by its name; "" for the migration itself."""
    codes = " ".join(registry.selectable_codes())
    all_codes = " ".join(topic.code for topic in topics())
    return {
        "": _Command(_options(migrate_options.parser(), codes), "file"),
        # What these take is known where TensorFlow is installed only.
        "verify": _Command((), "file"),
        "checkpoint": _Command((), "file"),
        "doctor": _Command(_options(doctor.parser(), codes), "file"),
        "explain": _Command(_options(explain.parser(), codes), all_codes),
        "rules": _Command(_options(rules.parser(), codes), ""),
        "mcp": _Command(_options(mcp.parser(), codes), ""),
        "completion": _Command(_options(own, codes), " ".join(_WRITERS)),
    }


def _options(parser: argparse.ArgumentParser, codes: str) -> tuple[_Option, ...]:
    return tuple(
        _Option(tuple(action.option_strings), _first_sentence(action.help), _takes(action, codes))
        for action in parser._actions
        if action.option_strings
    )


def _takes(action: argparse.Action, codes: str) -> str:
    if action.nargs == 0:
        return ""
    if action.choices:
        return " ".join(str(choice) for choice in action.choices)
    if any(name in _CODE_OPTIONS for name in action.option_strings):
        return codes
    return "file" if action.metavar in _FILE_METAVARS else "any"


def _first_sentence(text: str | None) -> str:
    return (text or "").partition(". ")[0].rstrip(".")


def _bash(commands: dict[str, _Command]) -> str:
    cases = [_bash_case(name, command) for name, command in commands.items()]
    # "*" is last: the first pattern that matches is used.
    body = "".join([*cases[1:], cases[0]])
    return (
        "# bash completion for tfmigrate: tfmigrate completion bash > "
        "~/.local/share/bash-completion/completions/tfmigrate\n"
        "_tfmigrate() {\n"
        '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"\n'
        '  COMPREPLY=()\n  local command=""\n'
        '  [ "$COMP_CWORD" -gt 1 ] && command="${COMP_WORDS[1]}"\n'
        f'  case "$command" in\n{body}  esac\n}}\n'
        "complete -o filenames -F _tfmigrate tfmigrate\n"
    )


def _bash_case(name: str, command: _Command) -> str:
    """Returns how bash completes one command."""
    valued = [
        f"      {'|'.join(option.names)}) {_bash_values(option.takes)}; return ;;\n"
        for option in command.options
        if option.takes
    ]
    names = " ".join(n for option in command.options for n in option.names)
    fallback = _bash_values(command.arguments) if command.arguments else "COMPREPLY=()"
    if not name:
        words = f'COMPREPLY+=($(compgen -W "{" ".join(COMMANDS)}" -- "$word"))'
        # Before the files: those set IFS.
        fallback = f'local words=(); [ "$COMP_CWORD" = 1 ] && {words}; words=("${{COMPREPLY[@]}}")'
        fallback += f'\n    {_bash_values("file")}; COMPREPLY+=("${{words[@]}}")'
    return (
        f'  {name or "*"})\n    case "$before" in\n{"".join(valued)}    esac\n'
        f'    case "$word" in\n'
        f'      -*) COMPREPLY=($(compgen -W "{names}" -- "$word")); return ;;\n'
        f"    esac\n    {fallback}\n    ;;\n"
    )


def _bash_values(takes: str) -> str:
    if takes == "file":
        return "local IFS=$'\\n'; COMPREPLY=($(compgen -f -- \"$word\"))"
    if takes == "any":
        return "COMPREPLY=()"
    return f'COMPREPLY=($(compgen -W "{takes}" -- "$word"))'


def _zsh(commands: dict[str, _Command]) -> str:
    cases = []
    for name, command in commands.items():
        specs = [_zsh_option(option, n) for option in command.options for n in option.names]
        if command.arguments == "file":
            specs.append("'*:path:_files'")
        elif command.arguments:
            specs.append(f"'*:value:({command.arguments})'")
        lines = " \\\n      ".join(["_arguments -s", *specs])
        cases.append(f"    {name or '*'})\n      {lines}\n      ;;\n")
    body = "".join([*cases[1:], cases[0]])
    return (
        "#compdef tfmigrate\n"
        '# zsh completion for tfmigrate: tfmigrate completion zsh > "${fpath[1]}/_tfmigrate"\n'
        "_tfmigrate() {\n"
        f"  (( CURRENT == 2 )) && compadd -- {' '.join(COMMANDS)}\n"
        f'  local command=""\n  (( CURRENT > 2 )) && command="${{words[2]}}"\n'
        f'  case "$command" in\n{body}  esac\n}}\n'
        '[ "$funcstack[1]" = _tfmigrate ] && _tfmigrate "$@" || compdef _tfmigrate tfmigrate\n'
    )


def _zsh_option(option: _Option, name: str) -> str:
    takes = {"": "", "file": ":file:_files", "any": ":value:"}.get(
        option.takes, f":value:({option.takes})"
    )
    # Brackets and colons are _arguments' own; a quote ends the string of the shell.
    said = re.sub(r"([\[\]:\\])", r"\\\1", option.help).replace("'", r"'\''")
    return f"'*{name}[{said}]{takes}'"


def _fish(commands: dict[str, _Command]) -> str:
    lines = [
        "# fish completion for tfmigrate: tfmigrate completion fish > "
        "~/.config/fish/completions/tfmigrate.fish"
    ]
    names = " ".join(COMMANDS)
    lines += [f"complete -c tfmigrate -n __fish_is_first_token -a {word}" for word in COMMANDS]
    for name, command in commands.items():
        seen = f"__fish_seen_subcommand_from {name or names}"
        condition = f"-n '{seen if name else 'not ' + seen}'"
        for option in command.options:
            spelled = " ".join(
                f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in option.names
            )
            takes = {"": "", "file": " -rF", "any": " -x"}.get(
                option.takes, f" -xa '{option.takes}'"
            )
            said = option.help.replace("\\", "\\\\").replace("'", "\\'")
            lines.append(f"complete -c tfmigrate {condition} {spelled}{takes} -d '{said}'")
        if command.arguments != "file":
            values = f" -a '{command.arguments}'" if command.arguments else ""
            lines.append(f"complete -c tfmigrate {condition} -f{values}")
    return "\n".join(lines) + "\n"


_WRITERS: dict[str, Callable[[dict[str, _Command]], str]] = {
    "bash": _bash,
    "zsh": _zsh,
    "fish": _fish,
}
