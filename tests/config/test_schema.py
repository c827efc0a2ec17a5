from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from assent.config import read_settings, settings_schema
from assent.errors import ConfigError
from tests.config.conftest import Write

TYPES: Mapping[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "null": type(None),
}


def fits(data: object, schema: Mapping[str, Any], top: Mapping[str, Any]) -> bool:
    """The small part of JSON Schema that ours uses."""
    if "$ref" in schema:
        return fits(data, top["$defs"][schema["$ref"].rpartition("/")[2]], top)
    if "anyOf" in schema:
        return any(fits(data, each, top) for each in schema["anyOf"])
    if not isinstance(data, TYPES[schema["type"]]) or isinstance(data, bool) != (schema["type"] == "boolean"):
        return False
    return whole(data, schema, top) if isinstance(data, dict | list) else scalar(data, schema)


def whole(data: dict[str, object] | list[object], schema: Mapping[str, Any], top: Mapping[str, Any]) -> bool:
    if isinstance(data, list):
        return len(data) >= schema.get("minItems", 0) and all(fits(each, schema["items"], top) for each in data)
    return set(schema.get("required", ())) <= set(data) and all(member(*each, schema, top) for each in data.items())


def scalar(data: object, schema: Mapping[str, Any]) -> bool:
    if isinstance(data, str):
        enough = len(data) >= schema.get("minLength", 0) and data in schema.get("enum", [data])
        return enough and re.search(schema.get("pattern", ""), data) is not None
    return isinstance(data, bool | None) or bool(data > schema["exclusiveMinimum"])


def member(key: str, value: object, schema: Mapping[str, Any], top: Mapping[str, Any]) -> bool:
    if key in schema.get("properties", {}):
        return fits(value, schema["properties"][key], top)
    found = [inner for pattern, inner in schema.get("patternProperties", {}).items() if re.search(pattern, key)]
    assert schema["additionalProperties"] is False
    return bool(found) and all(fits(value, inner, top) for inner in found)


def a_path(**rules: object) -> dict[str, object]:
    return {"sandbox": {"paths": {"a": {"root": "x", **rules}}}}


def a_rule(**keys: object) -> dict[str, object]:
    return {"shell": {"rules": [keys]}}


@pytest.mark.parametrize(
    ("data", "good"),
    [
        ({}, True),
        ({"approvals": {"mode": "strict", "timeout": 1, "park_timeout": None}}, True),
        ({"store": None}, True),
        ({"store": "x.db", "sandbox": {"paths": {"a": {"root": "x", "mode": "rw"}, "b c": {"root": "y"}}}}, True),
        ({"aprovals": {}}, False),
        ({"file": "x"}, False),
        ({"lines": {}}, False),
        ({"approvals": {"color": 1}}, False),
        ({"approvals": None}, False),
        ({"approvals": {"mode": "yolo"}}, False),
        ({"approvals": {"timeout": 0}}, False),
        ({"approvals": {"timeout": "5"}}, False),
        ({"approvals": {"timeout": True}}, False),
        ({"store": ""}, False),
        ({"sandbox": {"extra": {}}}, False),
        ({"sandbox": {"paths": {"a": {}}}}, False),
        (a_path(suffixes=[".md", ".tar.gz"], max_file_bytes=1, edit_approval=True), True),
        (a_path(suffixes=None, read_approval=True, write_approval=False, edit_approval=None), True),
        (a_path(suffixes=[]), False),
        (a_path(suffixes=".md"), False),
        (a_path(suffixes={".md": ".md"}), False),
        (a_path(suffixes=["md"]), False),
        (a_path(suffixes=["."]), False),
        (a_path(suffixes=[".md", "./x"]), False),
        (a_path(suffixes=[".md", None]), False),
        (a_path(max_file_bytes=0), False),
        (a_path(max_file_bytes=None), False),
        (a_path(max_file_bytes=True), False),
        (a_path(max_file_bytes="10 MB"), False),
        (a_path(max_file_bytes=1.5), False),
        (a_path(read_approval=0), False),
        (a_path(write_approval=None), False),
        (a_path(delete_approval="true"), False),
        (a_path(edit_approval="maybe"), False),
        (a_path(edits_ask=True), False),
        ({"search": {"engine": "python"}}, True),
        ({"search": {"engine": "grep"}}, False),
        ({"search": {"engine": None}}, False),
        ({"sandbox": {"paths": {"a/b": {"root": "x"}}}}, False),
        ({"sandbox": {"paths": {"..": {"root": "x"}}}}, False),
        ({"shell": {"default": {"allowed": True, "approval": False}, "preset": "read-only"}}, True),
        (a_rule(pattern="git status", approval=False), True),
        (a_rule(pattern=["git", "status"], match=["git status"], not_match=[], description="look"), True),
        (a_rule(pattern="rm", allowed=False, sandbox_paths=None), True),
        (a_rule(), False),
        (a_rule(pattern=[]), False),
        (a_rule(pattern=""), False),
        (a_rule(pattern=["git", ""]), False),
        (a_rule(pattern=5), False),
        (a_rule(pattern="x", allowed=1), False),
        (a_rule(pattern="x", approval=None), False),
        (a_rule(pattern="x", match="x"), False),
        (a_rule(pattern="x", description=""), False),
        (a_rule(pattern="x", colour="red"), False),
        ({"shell": {"rules": "git"}}, False),
        ({"shell": {"rules": ["git"]}}, False),
        ({"shell": {"preset": "all"}}, False),
        ({"shell": {"default": True}}, False),
        ({"sandbox": {"require_os_sandbox": True, "os_sandbox_fallback": "refuse_tools", "os_profile": None}}, True),
        ({"sandbox": {"os_profile": {"readable": ["a"], "writable": [], "masked": ["b"], "network": True}}}, True),
        ({"sandbox": {"confine_file_tools": None}}, True),
        ({"sandbox": {"confine_file_tools": 1}}, False),
        ({"sandbox": {"os_profile": {"readable": "a"}}}, False),
        ({"sandbox": {"os_profile": {"readable": [""]}}}, False),
        ({"sandbox": {"os_profile": {"files": []}}}, False),
        ({"sandbox": {"os_profile": "all"}}, False),
        ({"sandbox": {"require_os_sandbox": None}}, False),
        ({"sandbox": {"os_sandbox_fallback": "ignore"}}, False),
        ({"shell": {"network": True, "toolchains": ["x"], "timeout": 5, "env": ["CI"], "max_output_bytes": 1}}, True),
        ({"shell": {"timeout": None}}, False),
        ({"shell": {"timeout": 0}}, False),
        ({"shell": {"env": ["a b"]}}, False),
        ({"shell": {"env": "CI"}}, False),
        ({"shell": {"toolchains": "x"}}, False),
        ({"shell": {"max_output_bytes": 0}}, False),
        ([], False),
    ],
)
def test_the_schema_and_the_reader_agree(write: Write, data: object, *, good: bool) -> None:
    schema = settings_schema()
    assert fits(data, schema, schema) == good
    file = write(json.dumps(data))
    if good:
        assert read_settings(file).file == file
    else:
        with pytest.raises(ConfigError):
            read_settings(file)


def test_every_setting_and_section_is_described() -> None:
    schema: dict[str, Any] = settings_schema()
    for section in (schema, *schema["$defs"].values()):
        assert section["description"]
        assert all(each.get("description") or "$ref" in each for each in section["properties"].values())


def test_the_schema_does_not_depend_on_the_machine(tmp_path: Path) -> None:
    assert str(tmp_path) not in json.dumps(settings_schema())
