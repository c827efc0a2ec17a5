"""The dialects: the same tools under the names, arguments and answers that a client knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Final, Literal, cast, get_args

from assent.errors import ConfigError
from assent.tools.files import _arguments as takes
from assent.tools.files._delete import DeleteTool
from assent.tools.files._edit import EditTool
from assent.tools.files._list import ListTool
from assent.tools.files._move import MoveTool
from assent.tools.files._patch import PatchTool
from assent.tools.files._planning import Terms
from assent.tools.files._read import ReadTool
from assent.tools.files._search import SearchTool
from assent.tools.files._tool import FileTool, Wording
from assent.tools.files._write import WriteTool
from assent.tools.files.dialects._about import ABOUT, Kind
from assent.tools.files.sandbox._place import Addressing

if TYPE_CHECKING:
    from assent.tools.files.sandbox._sandbox import FileSandbox

Dialect = Literal["assent", "dotted", "underscored", "claude"]
"""read_file …, file.read …, file_read … (where a model's names hold no dots), Read …"""

_TAKES: Final[Mapping[Kind, type]] = {
    ReadTool: takes.ReadFile,
    WriteTool: takes.WriteFile,
    EditTool: takes.EditFile,
    PatchTool: takes.PatchFile,
    DeleteTool: takes.DeleteFile,
    MoveTool: takes.MoveFile,
    ListTool: takes.ListFiles,
    SearchTool: takes.SearchFiles,
}
_VERBS: Final[Mapping[Kind, str]] = {
    ReadTool: "read",
    WriteTool: "write",
    EditTool: "edit",
    PatchTool: "patch",
    DeleteTool: "delete",
    MoveTool: "move",
    ListTool: "list",
    SearchTool: "search",
}
_PATHS: Final[Mapping[Addressing, str]] = {
    "named": "Paths are name/relative/path, where name is one of: {names}.",
    "rooted": "Paths are relative to the workspace root.",
    "absolute": "Paths are absolute, in one of: {roots}.",
}


def file_tools(sandbox: FileSandbox, dialect: Dialect = "assent") -> list[FileTool[Any, Any]]:
    """The sandbox's tools as a model of that dialect knows them.

    Raises:
        ConfigError: there is no such dialect, or it has one root and the sandbox has several.
    """
    match dialect:
        case "assent":
            return _tools(sandbox, _named, "named" if not sandbox.is_single else "rooted")
        case "dotted":
            return _tools(sandbox.single(), lambda verb: f"file.{verb}", "rooted")
        case "underscored":
            return _tools(sandbox.single(), lambda verb: f"file_{verb}", "rooted")
        case "claude":
            from assent.tools.files.dialects._claude import WORDINGS

            return [kind(sandbox, _with_paths(sandbox, wording)) for kind, wording in WORDINGS.items()]
        case _:
            raise ConfigError(f"{dialect!r} is no dialect; there are: {', '.join(get_args(Dialect))}")


def _tools(sandbox: FileSandbox, name: Callable[[str], str], addressing: Addressing) -> list[FileTool[Any, Any]]:
    write_file = name(_VERBS[WriteTool])
    wordings = {kind: _wording(kind, name(_VERBS[kind]), addressing, write_file) for kind in _TAKES}
    return [kind(sandbox, _with_paths(sandbox, wording)) for kind, wording in wordings.items()]


def _named(verb: str) -> str:
    return f"{verb}_files" if verb in ("list", "search") else f"{verb}_file"


def _wording(kind: Kind, name: str, addressing: Addressing, write_file: str) -> Wording[Any, Any]:
    return Wording(
        name=name,
        description=ABOUT[kind],
        takes=_TAKES[kind],
        native=_as_it_is,
        told=_as_json,
        addressing=addressing,
        terms=_terms(kind, write_file),
    )


def _terms(kind: Kind, write_file: str) -> Terms:
    if kind is EditTool:
        return Terms(find="old_string", replace="new_string", write_file=write_file)
    return Terms(write_file=write_file)


def _with_paths(sandbox: FileSandbox, wording: Wording[Any, Any]) -> Wording[Any, Any]:
    """The description, and how paths are written here."""
    homes = sandbox.homes.values()
    how = _PATHS[wording.addressing].format(
        names=", ".join(map(str, homes)), roots=", ".join(f"{home.root.path} ({home.rule.mode})" for home in homes)
    )
    return replace(wording, description=f"{wording.description} {how}")


def _as_it_is(filled: object) -> object:
    return filled


def _as_json(_wanted: object, result: object) -> dict[str, object]:
    return _json(result)


def _json(result: Any) -> dict[str, object]:  # noqa: ANN401 — one of the result dataclasses
    """The result as JSON data; what has nothing to say is left out."""
    values: dict[str, object] = {each.name: getattr(result, each.name) for each in fields(result)}
    return {
        name: [_json(each) for each in cast("tuple[object, ...]", value)] if isinstance(value, tuple) else value
        for name, value in values.items()
        if value is not None
    }
