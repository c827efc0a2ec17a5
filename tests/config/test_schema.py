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
    "string": str,
    "number": (int, float),
    "null": type(None),
}


def fits(data: object, schema: Mapping[str, Any], top: Mapping[str, Any]) -> bool:
    """The small part of JSON Schema that ours uses."""
    if "$ref" in schema:
        return fits(data, top["$defs"][schema["$ref"].rpartition("/")[2]], top)
    if "anyOf" in schema:
        return any(fits(data, each, top) for each in schema["anyOf"])
    if not isinstance(data, TYPES[schema["type"]]) or isinstance(data, bool):
        return False
    if isinstance(data, dict):
        return set(schema.get("required", ())) <= set(data) and all(member(*each, schema, top) for each in data.items())
    if isinstance(data, str):
        return len(data) >= schema.get("minLength", 0) and data in schema.get("enum", [data])
    return data is None or data > schema["exclusiveMinimum"]


def member(key: str, value: object, schema: Mapping[str, Any], top: Mapping[str, Any]) -> bool:
    if key in schema.get("properties", {}):
        return fits(value, schema["properties"][key], top)
    found = [inner for pattern, inner in schema.get("patternProperties", {}).items() if re.search(pattern, key)]
    assert schema["additionalProperties"] is False
    return bool(found) and all(fits(value, inner, top) for inner in found)


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
        ({"sandbox": {"paths": {"a": {"root": "x", "suffixes": []}}}}, False),
        ({"sandbox": {"paths": {"a/b": {"root": "x"}}}}, False),
        ({"sandbox": {"paths": {"..": {"root": "x"}}}}, False),
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
