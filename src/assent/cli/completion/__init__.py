"""`assent completion`: a script that completes commands and options in a shell."""
# ruff: noqa: T201 (a command speaks by printing)

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Final

from assent.cli._parsing import WRONG

__all__ = ["describe"]

_DESCRIPTION: Final = """\
Prints a script that completes commands, options, files and folders. It is made
from the commands of this version: make it anew after an update.

bash, for this shell only:     source <(assent completion bash)
bash, from the next one on:
  mkdir -p ~/.local/share/bash-completion/completions
  assent completion bash > ~/.local/share/bash-completion/completions/assent
zsh, into a folder of $fpath, before compinit is called in ~/.zshrc:
  assent completion zsh > ~/.zfunc/_assent
fish:
  assent completion fish > ~/.config/fish/completions/assent.fish"""
_EPILOG: Final = f"""\
examples:
  source <(assent completion bash)
  assent completion fish > ~/.config/fish/completions/assent.fish

exit codes:
  0  printed
{WRONG}"""


def describe(parser: ArgumentParser) -> None:
    """What `assent completion` takes."""
    parser.description, parser.epilog = _DESCRIPTION, _EPILOG
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell to complete in")
    parser.set_defaults(command=_run)


def _run(options: Namespace) -> int:
    from assent.cli.completion._scripts import SCRIPTS
    from assent.cli.completion._tree import tree

    print(SCRIPTS[options.shell](list(tree())), end="")
    return 0
