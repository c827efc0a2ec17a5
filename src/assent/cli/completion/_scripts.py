"""The scripts: each a table of what may follow which words, in the language of its shell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from assent.cli.completion._tree import Node, Option

_BASH: Final = """\
# bash completion of assent, made by `assent completion bash`
_assent_add() {{
    local line
    while IFS= read -r line; do COMPREPLY+=("$line"); done
}}
_assent() {{
    local at here=assent before word=${{COMP_WORDS[COMP_CWORD]}}
    before=${{COMP_WORDS[COMP_CWORD-1]}}
    COMPREPLY=()
    # bash cuts --option=value into three words
    [[ $word == = ]] && word=
    [[ $before == = ]] && before=${{COMP_WORDS[COMP_CWORD-2]}}
    for ((at = 1; at < COMP_CWORD; at++)); do
        [[ ${{COMP_WORDS[at]}} == -- ]] && return
        case "$here ${{COMP_WORDS[at]}}" in
            {paths}) here="$here ${{COMP_WORDS[at]}}" ;;
        esac
    done
    case "$here $before" in
{values}
    esac
    case "$here" in
{words}
    esac
}}
complete -F _assent assent
"""
_ZSH: Final = """\
#compdef assent
# zsh completion of assent, made by `assent completion zsh`
_assent() {{
    local here=assent word
    local -a offered flags
    for word in "${{(@)words[2,CURRENT-1]}}"; do
        [[ $word == -- ]] && return
        case "$here $word" in
            ({paths}) here="$here $word" ;;
        esac
    done
    case "$here ${{words[CURRENT-1]}}" in
{values}
    esac
    case "$here" in
{words}
    esac
    (( $#offered )) && _describe command offered
    (( $#flags )) && _describe -o option flags
}}
if [[ $funcstack[1] == _assent ]]; then
    _assent "$@"
else
    compdef _assent assent
fi
"""
_FISH: Final = """\
# fish completion of assent, made by `assent completion fish`
complete -c assent -f
"""
_BASH_PATHS: Final = {"file": "compgen -f", "folder": "compgen -d"}
_ZSH_PATHS: Final = {"file": "_files", "folder": "_files -/"}
_FISH_PATHS: Final = {"file": "-r -F", "folder": "-x -a '(__fish_complete_directories)'", "text": "-x"}


def bash(nodes: Sequence[Node]) -> str:
    """For bash 3.2 and later."""
    values = [f"        {patterns}) {action} ;;" for action, patterns in _valued(nodes, _bash_value)]
    words = [
        f'        "{" ".join(node.path)}")\n'
        f'            _assent_add < <(compgen -W "{" ".join([*node.words, *node.flags])}" -- "$word")'
        f"{_bash_files(node)} ;;"
        for node in nodes
    ]
    return _BASH.format(paths=_paths(nodes), values="\n".join(values), words="\n".join(words))


def _bash_value(option: Option) -> str:
    if option.value in _BASH_PATHS:
        return f'compopt -o filenames 2> /dev/null; _assent_add < <({_BASH_PATHS[option.value]} -- "$word"); return'
    words = " ".join(option.words)
    return f'_assent_add < <(compgen -W "{words}" -- "$word"); return' if words else "return"


def _bash_files(node: Node) -> str:
    if node.value not in _BASH_PATHS:
        return ""
    return (
        "\n            compopt -o filenames 2> /dev/null\n"
        f'            _assent_add < <({_BASH_PATHS[node.value]} -- "$word")'
    )


def zsh(nodes: Sequence[Node]) -> str:
    """For zsh 5."""
    values = [f"        ({patterns}) {action}; return ;;" for action, patterns in _valued(nodes, _zsh_value)]
    words = [f'        ("{" ".join(node.path)}")\n{"".join(_zsh_words(node))}            ;;' for node in nodes]
    return _ZSH.format(paths=_paths(nodes), values="\n".join(values), words="\n".join(words))


def _zsh_value(option: Option) -> str:
    return _ZSH_PATHS.get(option.value) or (
        f"compadd -- {' '.join(option.words)}" if option.words else "_message value"
    )


def _zsh_words(node: Node) -> Iterator[str]:
    offered = {**dict.fromkeys(node.words, ""), **node.commands}
    if offered:
        yield f"            offered=({_described(offered)})\n"
    yield f"            flags=({_described({flag: each.about for each in node.options for flag in each.flags})})\n"
    if node.value in _ZSH_PATHS:
        yield f"            {_ZSH_PATHS[node.value]}\n"


def _described(words: Mapping[str, str]) -> str:
    return " ".join("'" + f"{word}:{about}".rstrip(":").replace("'", "'\\''") + "'" for word, about in words.items())


def fish(nodes: Sequence[Node]) -> str:
    """For fish 3."""
    return _FISH + "".join(f"{line}\n" for node in nodes for line in _fish_lines(node))


def _fish_lines(node: Node) -> Iterator[str]:
    _, *words = node.path
    seen = [f"__fish_seen_subcommand_from {word}" for word in words] or ["__fish_use_subcommand"]
    below = [*seen, *([f"not __fish_seen_subcommand_from {' '.join(node.words)}"] if words and node.words else [])]
    for word, about in {**dict.fromkeys(node.words, ""), **node.commands}.items():
        yield f"complete -c assent -n '{'; and '.join(below)}' -a {word} -d {_fish(about)}"
    for option in filter(lambda each: each.flags, node.options):
        flags = " ".join(f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in option.flags)
        value = f"-x -a '{' '.join(option.words)}'" if option.words else _FISH_PATHS.get(option.value, "")
        yield " ".join(
            f"complete -c assent -n '{'; and '.join(seen)}' {flags} {value} -d {_fish(option.about)}".split()
        )
    if node.value in _FISH_PATHS and node.value != "text":
        yield f"complete -c assent -n '{'; and '.join(seen)}' {_FISH_PATHS[node.value].removeprefix('-r ')}"


def _fish(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _paths(nodes: Sequence[Node]) -> str:
    return "|".join(f'"{" ".join(node.path)}"' for node in nodes if len(node.path) > 1)


def _valued(nodes: Sequence[Node], action: Callable[[Option], str]) -> Iterator[tuple[str, str]]:
    """What is done behind options that take a value, and behind which options."""
    found: dict[str, list[str]] = {}
    for node in nodes:
        for option in node.options:
            if option.value != "none":
                places = (f'"{" ".join(node.path)} {flag}"' for flag in option.flags)
                found.setdefault(action(option), []).extend(places)
    return ((each, "|".join(places)) for each, places in found.items() if places)


SCRIPTS: Final[Mapping[str, Callable[[Sequence[Node]], str]]] = {"bash": bash, "zsh": zsh, "fish": fish}
