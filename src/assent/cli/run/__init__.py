"""`assent run`: an agent works on a prompt, and you decide what it may do."""

from __future__ import annotations

import asyncio
import sys
from argparse import ArgumentParser, Namespace
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from assent.cli._failures import DENIED, FAILED
from assent.cli._parsing import WRONG, config_option, is_plain, json_option, mode_options, plain_option
from assent.cli.run._show import Hushing, Lines, Show
from assent.config import Settings, find_settings_file, load_settings, read_settings

if TYPE_CHECKING:
    from assent.agent import RunResult
    from assent.config import Mode

_DESCRIPTION: Final = """\
An agent works on a prompt in this folder: it reads, writes, edits and searches
files and runs commands, behind the gate. What it says is shown as it comes, and
what asks is asked at this terminal. assent.yaml says what it may do; without
one, it may read this folder, and asks for the rest.

The model is agent.model, and needs a key in ANTHROPIC_API_KEY. Without a key
the embedded offline model answers: it understands simple requests only.

Without a terminal nobody can be asked: what would ask is denied, as with
--strict, and every event is one line of JSON. To be asked in a browser, use
`assent serve`."""
_EPILOG: Final = f"""\
examples:
  assent run 'Create a file called notes.txt with the content "hello"'
  assent run --continue "Now read it"
  assent run --cwd project --model offline "List the files"
  assent run --strict --json "Read README.md"

exit codes:
  0    the model came to its end, or you stopped it
  1    it did not: the message says why
{WRONG.replace("  2  ", "  2    ")}
  3    a call was refused, and there was nobody to ask
  130  interrupted with Ctrl-C; nothing more was approved"""

_UNSEEN: Final = (
    "mode approve-all: what would ask is approved, unseen. For trusted work only; what policy denies stays denied."
)
_UNATTENDED: Final = (
    "there is no terminal to ask at, so what would ask is denied, as with --strict. Start it in a terminal to be asked "
    "there, or use `assent serve` to be asked in a browser; --approve-all approves unseen, for trusted work only."
)
_REFUSED: Final = "a call was refused, and there was no terminal to ask at: the exit code is 3"


def describe(parser: ArgumentParser) -> None:
    """What `assent run` takes."""
    parser.description, parser.epilog = _DESCRIPTION, _EPILOG
    parser.add_argument("prompt", metavar="PROMPT", help="what the agent shall do")
    mode_options(parser)
    going_on = "go on with the latest conversation of this folder"
    parser.add_argument("--continue", dest="go_on", action="store_true", help=going_on)
    parser.add_argument("--model", metavar="NAME", help="this model, not the one in assent.yaml; offline needs no key")
    parser.add_argument("--cwd", metavar="FOLDER", default=".", help="the folder to work in; by default this one")
    plain_option(parser)
    config_option(parser, start="the folder to work in")
    json_option(parser, each="each event as one line of JSON")
    parser.set_defaults(command=run, mode=None)


def run(options: Namespace) -> int:
    """Work on the prompt; the number returned is the exit code."""
    from assent.agent import chosen_model
    from assent.ui import TerminalApprover

    settings = _settings(options)
    mode: Mode = options.mode or settings.approvals.mode
    unattended = mode == "interactive" and not TerminalApprover.is_possible()
    if unattended:
        mode = "strict"
    wanted = replace(settings, approvals=replace(settings.approvals, mode=mode))
    model, banner = chosen_model(options.model, settings)
    lines = options.json or unattended
    _say(banner, _UNSEEN if mode == "approve_all" else "", _UNATTENDED if unattended else "")
    show = Lines() if lines else Show(sys.stdout, plain=is_plain(options))
    result = asyncio.run(_work(options, wanted, model, show))
    _say(_REFUSED if unattended and result.refused else "")
    return _code(result, nobody_asked=mode == "strict")


def _say(*texts: str) -> None:
    for text in filter(None, texts):
        print(f"assent: {text}", file=sys.stderr, flush=True)  # noqa: T201 (a command speaks by printing)


async def _work(options: Namespace, settings: Settings, model: str, show: Lines | Show) -> RunResult:
    from assent.agent import LATEST, AgentConfig, AgentRunner
    from assent.ui import TerminalApprover

    terminal = TerminalApprover(display=settings.display, plain=is_plain(options))
    with AgentRunner(
        AgentConfig(cwd=options.cwd, model=model),
        settings=settings,
        approver=Hushing(terminal, show) if isinstance(show, Show) else terminal,
        conversation=LATEST if options.go_on else None,
    ) as runner:
        return await runner.run(options.prompt, show.event)


def _settings(options: Namespace) -> Settings:
    if options.config:
        return load_settings(Path(options.config))
    file = find_settings_file(Path(options.cwd))
    return Settings() if file is None else read_settings(file)


def _code(result: RunResult, *, nobody_asked: bool) -> int:
    if result.refused and nobody_asked:
        return DENIED
    return 0 if result.status in ("success", "stopped") else FAILED
