"""The new configuration as text: each key below a line that says what it means."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from assent.cli.init._wanted import Wanted

_HEAD: Final = """\
# What an agent may do here, and when a person is asked. Written by `assent init`.
# `assent config show` prints what is in force, `assent config schema` helps an editor.
#
{masked}
#
# Remembered answers (grants) and the journal are not kept here but in the record:
#   {record}
# `assent grants` lists and revokes them, `assent log` shows the journal.
"""
_INSIDE: Final = """\
# This file lies in a folder that the agent may write. So it is masked: every tool refuses to
# touch it, and the OS sandbox shows it to commands read-only."""
_OUTSIDE: Final = "# This file lies outside every folder that the agent may write; keep it so."
_APPROVALS: Final = """
# Who is asked, and for how long.
approvals:
  # interactive asks a person; approve_all approves what would ask; strict denies it.
  mode: interactive
  # Seconds a question waits while the agent waits; then the call is refused. null waits on.
  timeout: 300
"""
_STORE: Final = """
# The record, one SQLite file; it must lie where the agent cannot write. {null}
store: {store}
"""
_SANDBOX: Final = """
# The only places that the tools reach.
sandbox:
  # true refuses to run without the full OS sandbox; `assent doctor` says what holds here.
  require_os_sandbox: false
  # Folders by name; the model writes {name}/relative/path.
  paths:
    # One folder, and what asks in it.
    {name}:
      # Where it is; relative to this file, ~ is the home folder.
      root: {root}
      # rw may be read and written, ro only read.
      mode: rw
      # Whether reading, listing and searching ask first.
      read_approval: false
      # Whether writing a whole file asks first.
      write_approval: true
      # Whether changing a part of a file asks first.
      edit_approval: true
      # Whether deleting a file or moving it away asks first.
      delete_approval: true
      # To let the tools touch only some files, by the end of their names:
      # suffixes: [{suffixes}]
"""
_SHELL: Final = """
# Commands; `assent check -- COMMAND` explains what becomes of one.
shell:
  # read-only lets commands that neither write nor run anything start at once; none lets none.
  preset: {preset}
  # What becomes of a command that no rule names.
  default:
    # Whether it may run at all; false denies it, whatever a person would say.
    allowed: {allowed}
    # Whether it asks first.
    approval: true
  # Whether commands may use the network.
  network: false
"""
_TOOLCHAINS: Final = """\
  # Programs of the languages found here, which commands may read.
  toolchains: [{toolchains}]
"""
_RULES: Final = """\
  # Rules for commands by their first words; deny wins over ask, ask over allow.
  rules:
    # It asks anyway; the rule says why to the person who is asked.
    - pattern: git push
      # Shown with the question.
      description: others see it
      # Tried whenever this file is read: the rule must match these.
      match: [git push origin main]
"""
# Words that any reader of YAML takes as text, and that no shell of ours would expand.
_PLAIN: Final = re.compile(r"(?:\.|(?:\./|/|~/)[\w./-]*)")


def rendered(wanted: Wanted) -> str:
    """The whole file."""
    return "".join(_parts(wanted))


def _parts(wanted: Wanted) -> Iterator[str]:
    inside = wanted.target.parent.resolve().is_relative_to(wanted.root)
    yield _HEAD.format(masked=_INSIDE if inside else _OUTSIDE, record=_from_home(wanted.record))
    yield _APPROVALS
    null = "null: in your state directory." if wanted.store is None else "null would be your state directory."
    yield _STORE.format(null=null, store="null" if wanted.store is None else spelled(wanted.store))
    yield _SANDBOX.format(name=wanted.name, root=spelled(_short(wanted.folder)), suffixes=", ".join(wanted.suffixes))
    yield _SHELL.format(
        preset="read-only" if wanted.commands == "read-only" else "none",
        allowed="false" if wanted.commands == "no" else "true",
    )
    if wanted.commands != "no":
        if wanted.toolchains:
            yield _TOOLCHAINS.format(toolchains=", ".join(map(spelled, wanted.toolchains)))
        if wanted.is_git:
            yield _RULES


def spelled(text: str) -> str:
    """A path as YAML; what could be read as anything else is quoted."""
    return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def _short(folder: str) -> str:
    """A relative path that shows it is one."""
    return folder if folder.startswith((".", "/", "~")) else f"./{folder}"


def _from_home(path: Path) -> str:
    home = os.path.expanduser("~")  # noqa: PTH111 (`Path.home` raises where there is none)
    return f"~/{path.relative_to(home)}" if home != "/" and path.is_relative_to(home) else str(path)
