from __future__ import annotations

from pathlib import Path

import pytest
from inline_snapshot import snapshot

from assent.config import Settings, read_settings
from assent.errors import ConfigError
from tests.config.conftest import Complain, Write


def test_an_unknown_key_names_the_nearest_one(complain: Complain) -> None:
    assert complain("aprovals: {}") == snapshot(
        "/project/assent.yaml:1:1: unknown key 'aprovals'; did you mean 'approvals'? allowed here: agent, approvals, display, sandbox, search, server, shell, store"
    )


def test_an_unknown_key_that_is_near_nothing_names_what_is_allowed(complain: Complain) -> None:
    assert complain("approvals: {colour: red}") == snapshot(
        "/project/assent.yaml:1:13: unknown key 'colour'; allowed here: mode, park_timeout, timeout"
    )


def test_confining_file_tools_is_true_false_or_as_required(complain: Complain) -> None:
    assert complain("sandbox:\n  confine_file_tools: 1\n") == snapshot(
        "/project/assent.yaml:2:23: sandbox.confine_file_tools is 1; allowed: true or false, or null to do as require_os_sandbox"
    )


def test_the_old_tool_rules_name_what_replaced_them(complain: Complain) -> None:
    assert complain("tool_rules: []") == snapshot(
        "/project/assent.yaml:1:1: tool_rules is gone: approval is part of each tool's own settings (sandbox.paths.<name>.write_approval, shell.rules)"
    )


def test_a_wrong_mode_names_the_modes(complain: Complain) -> None:
    assert complain("approvals:\n  mode: yolo\n") == snapshot(
        "/project/assent.yaml:2:9: approvals.mode is 'yolo'; allowed: 'interactive', 'approve_all' or 'strict'"
    )


@pytest.mark.parametrize("value", ["0", "-1", "'5'", "true", "soon", ".inf", ".nan", "1:30", "1e999", "9" * 400, "[5]"])
def test_a_time_is_a_number_above_zero(complain: Complain, value: str) -> None:
    said = complain(f"approvals:\n  timeout: {value}\n")
    assert said.startswith("/project/assent.yaml:2:12: approvals.timeout is ")
    assert said.partition("; ")[2] == snapshot("allowed: a number of seconds above 0, or null to wait without end")


def test_a_long_value_is_not_repeated_whole(complain: Complain) -> None:
    assert complain(f"approvals: {{timeout: {'x' * 500}}}") == snapshot(
        "/project/assent.yaml:1:22: approvals.timeout is 'xxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxxxxx'; allowed: a number of seconds above 0, or null to wait without end"
    )


def test_a_path_without_a_root_is_no_path(complain: Complain) -> None:
    assert complain("sandbox:\n  paths:\n    work: {mode: rw}\n") == snapshot(
        "/project/assent.yaml:3:5: sandbox.paths.work.root is missing; allowed here: delete_approval, edit_approval, max_file_bytes, mode, read_approval, root, suffixes, write_approval"
    )


@pytest.mark.parametrize("name", ["''", "a/b", "/", ".", "..", "../up"])
def test_a_name_cannot_be_mistaken_for_a_path(complain: Complain, name: str) -> None:
    said = complain(f"sandbox: {{paths: {{{name}: {{root: .}}}}}}")
    where, _, rest = said.partition(" is no name; ")
    assert where == "/project/assent.yaml:1:19: " + repr(name.strip("'"))
    assert rest == snapshot(
        "allowed: a name of visible characters that is not empty, has no / and does not begin with a dot"
    )


@pytest.mark.parametrize("name", ["a\\nb", "a\\u202Eb", "a\\u200b", "\\xA0a"])
@pytest.mark.parametrize("section", ["sandbox: {{paths: {{{}: {{root: .}}}}}}", "server: {{approvers: {{{}: x}}}}"])
def test_a_name_has_nothing_in_it_that_nobody_sees(complain: Complain, section: str, name: str) -> None:
    assert "is no name; allowed: a name of visible characters" in complain(section.format(f'"{name}"'))


def test_a_root_that_no_folder_can_have_is_refused(complain: Complain) -> None:
    text = """\
sandbox:
  paths:
    a: {root: ''}
    b: {root: 5}
    c: {root: ~}
    d: {root: ~no-such-user/x}
    e: {root: "a\\0b"}
    f: {root: [a]}
"""
    assert complain(text) == snapshot("""\
/project/assent.yaml:3:15: sandbox.paths.a.root is ''; allowed: a path, as text; write . for the folder of this file
/project/assent.yaml:4:15: sandbox.paths.b.root is 5; allowed: a path, as text; put it in quotes if it looks like something else
/project/assent.yaml:5:15: sandbox.paths.c.root is null; allowed: a path, as text; put it in quotes if it looks like something else
/project/assent.yaml:6:15: sandbox.paths.d.root is '~no-such-user/x', which names a home folder that does not exist; write './~no-such-user/x' for a folder of that name
/project/assent.yaml:7:15: sandbox.paths.e.root is 'a\\x00b', which holds a NUL character; no path can
/project/assent.yaml:8:15: sandbox.paths.f.root is ['a']; allowed: a path, as text; put it in quotes if it looks like something else\
""")


def test_a_section_is_a_mapping(complain: Complain) -> None:
    assert complain("approvals:\nsandbox:\n  paths: [a]\n") == snapshot("""\
/project/assent.yaml:1:11: approvals is null; allowed: a mapping with the keys mode, park_timeout, timeout
/project/assent.yaml:3:10: sandbox.paths is ['a']; allowed: a mapping of names you choose\
""")


def test_the_file_is_a_mapping(complain: Complain) -> None:
    assert complain("- a\n- b\n") == snapshot(
        "/project/assent.yaml:1:1: the file is ['a', 'b']; allowed: a mapping with the keys agent, approvals, display, sandbox, search, server, shell, store"
    )


def test_a_key_written_twice_names_both_lines(complain: Complain) -> None:
    assert complain("approvals:\n  mode: strict\n\n  mode: approve_all\n") == snapshot(
        "/project/assent.yaml:4:3: the key 'mode' is written twice, on lines 2 and 4; keep one"
    )


def test_anchors_aliases_merge_keys_and_tags_are_refused(complain: Complain) -> None:
    text = """\
approvals: &base {mode: !!str strict}
store: !!python/object:os.system x
sandbox:
  <<: *base
  paths:
    <<: {root: /}
    a: *base
    !x b: {root: .}
    ? [c]
    : {root: .}
    ? *base
    : {root: .}
"""
    assert complain(text) == snapshot("""\
/project/assent.yaml:1:12: anchors (&) and aliases (*) are not allowed; write the value out
/project/assent.yaml:1:25: tags (!) are not allowed; write the value without one
/project/assent.yaml:2:8: tags (!) are not allowed; write the value without one
/project/assent.yaml:4:3: merge keys (<<) are not allowed; write the settings out
/project/assent.yaml:6:5: merge keys (<<) are not allowed; write the settings out
/project/assent.yaml:7:8: anchors (&) and aliases (*) are not allowed; write the value out
/project/assent.yaml:8:5: tags (!) are not allowed; write the value without one
/project/assent.yaml:9:7: a key must be text, not a list or a mapping
/project/assent.yaml:11:7: anchors (&) and aliases (*) are not allowed; write the value out\
""")


def test_everything_wrong_is_said_at_once_in_the_order_of_the_file(complain: Complain) -> None:
    text = """\
store: 5
approvals:
  timeout: -1
  mode: on
  timeout: 5
agents: {}
sandbox:
  path: {}
  paths:
    a/b: {root: '', mode: w}
"""
    assert complain(text) == snapshot("""\
/project/assent.yaml:1:8: store is 5; allowed: a path, as text; put it in quotes if it looks like something else
/project/assent.yaml:3:12: approvals.timeout is -1; allowed: a number of seconds above 0, or null to wait without end
/project/assent.yaml:4:9: approvals.mode is 'on'; allowed: 'interactive', 'approve_all' or 'strict'
/project/assent.yaml:5:3: the key 'timeout' is written twice, on lines 3 and 5; keep one
/project/assent.yaml:6:1: unknown key 'agents'; did you mean 'agent'? allowed here: agent, approvals, display, sandbox, search, server, shell, store
/project/assent.yaml:8:3: unknown key 'path'; did you mean 'paths'? allowed here: confine_file_tools, os_profile, os_sandbox_fallback, paths, require_os_sandbox
/project/assent.yaml:10:5: 'a/b' is no name; allowed: a name of visible characters that is not empty, has no / and does not begin with a dot
/project/assent.yaml:10:17: sandbox.paths.'a/b'.root is ''; allowed: a path, as text; write . for the folder of this file
/project/assent.yaml:10:27: sandbox.paths.'a/b'.mode is 'w'; allowed: 'ro' or 'rw'\
""")


@pytest.mark.parametrize("text", ["a: [", "a: 'b", "a: b: c", "\tx: 1", "a: 1\n b: 2", "%YAML 9.9\n---\n", "}"])
def test_what_is_not_yaml_says_where(complain: Complain, text: str) -> None:
    assert "this is not YAML: " in complain(text)


def test_what_is_not_yaml_says_what_yaml_says(complain: Complain) -> None:
    assert complain("approvals:\n  mode: 'strict\nstore: x\n") == snapshot(
        "/project/assent.yaml:4:1: this is not YAML: while scanning a quoted scalar, found unexpected end of stream; check the quotes, colons and indentation here"
    )


def test_a_number_too_large_for_yaml_itself_is_no_crash(complain: Complain) -> None:
    assert complain(f"%YAML 1.{'9' * 5000}\n---\n") == snapshot(
        "/project/assent.yaml:1:1: this is not YAML: a number in what follows is too large; check the quotes, colons and indentation here"
    )
    assert complain('store: "\\UFFFFFFFF"') == snapshot(
        "/project/assent.yaml:1:1: this is not YAML: a number in what follows is too large; check the quotes, colons and indentation here"
    )


def test_characters_that_are_none_are_refused(complain: Complain) -> None:
    assert complain("store: a\n# \x07\n") == snapshot(
        "/project/assent.yaml:2:3: '\\x07' is not allowed in YAML; remove it"
    )
    assert complain('store: "\\ud800"') == snapshot(
        "/project/assent.yaml:1:8: half a surrogate pair is not a character; write the character itself"
    )


@pytest.mark.parametrize("hidden", ["\x85", "\u2028", "\u2029", "\r"])
@pytest.mark.parametrize(
    "text",
    [
        "approvals:\n  timeout: 60  # quick{}  mode: approve_all\n",
        "approvals:\n  mode: strict{}  timeout: 1\n",
        "approvals:\n  # nothing {} here\n",
        "store:\n  'a{}b'\n",
    ],
)
def test_no_setting_hides_behind_a_line_break_that_editors_do_not_show(
    complain: Complain, text: str, hidden: str
) -> None:
    said = complain(text.format(hidden))
    column = text.split("\n")[1].index("{}") + 1
    assert said.startswith(f"/project/assent.yaml:2:{column}: {repr(hidden)[1:-1]} starts a new line for YAML")
    assert said.count("\n") == 0


def test_a_hidden_line_break_says_what_to_write_instead(complain: Complain) -> None:
    assert complain("# x\u2028approvals: {mode: approve_all}") == snapshot(
        "/project/assent.yaml:1:4: \\u2028 starts a new line for YAML but not in most editors, so a setting could hide behind it; end lines with \\n or \\r\\n, and where the character is meant, write \\u2028 in double quotes"
    )


def test_a_file_of_mistakes_names_the_first_of_them(complain: Complain) -> None:
    """Each takes its time to find and to say: a megabyte of them took half a minute."""
    unknown = "".join(f"key{number}: 1\n" for number in range(25))
    for text in ("store: x\n" * 25, unknown, "shell: {rules: [" + "{pattern: '|'}," * 25 + "]}"):
        *named, last = complain(text).split("\n")
        assert len(named) == 20
        assert last == "/project/assent.yaml: more is wrong than this; mend it, and the rest is named"


def test_twenty_mistakes_are_all_named(complain: Complain) -> None:
    said = complain("store: x\n" * 21).split("\n")
    assert len(said) == 20
    assert said[-1].startswith("/project/assent.yaml:21:1: ")


def test_what_should_be_a_list_says_of_what(complain: Complain) -> None:
    text = """\
shell:
  rules: {git: allow}
server:
  origins: https://example.org
sandbox: {paths: {a: {root: ., suffixes: .md}}}
"""
    assert complain(text) == snapshot("""\
/project/assent.yaml:2:10: shell.rules is {'git': 'allow'}, which is no list; allowed: a list of rules, such as [{pattern: git push}]
/project/assent.yaml:4:12: server.origins is 'https://example.org', which is no list; allowed: a list of addresses, such as [https://assent.example.org]
/project/assent.yaml:5:42: sandbox.paths.a.suffixes is '.md', which is no list; allowed: a list of ends of file names, such as [.md, .tar.gz], or null for every file\
""")


def test_a_second_document_is_refused(complain: Complain) -> None:
    assert complain("approvals: {mode: strict}\n---\napprovals: {mode: approve_all}\n") == snapshot(
        "/project/assent.yaml:2:1: a second document begins here; put all settings into one"
    )


def test_a_file_of_brackets_is_refused_at_once(complain: Complain) -> None:
    assert complain("[" * 500_000) == snapshot(
        "/project/assent.yaml:1:21: this is nested more than 20 levels deep; no setting is"
    )
    assert complain("store: a\nstore: " + "[" * 500_000) == snapshot("""\
/project/assent.yaml:2:1: the key 'store' is written twice, on lines 1 and 2; keep one
/project/assent.yaml:2:27: this is nested more than 20 levels deep; no setting is\
""")


def test_a_file_that_is_not_utf_8_says_where(complain: Complain) -> None:
    assert complain(b"store: a\n# \xc3\xa9 \xff\n") == snapshot(
        "/project/assent.yaml:2:5: this is not UTF-8; save the file as UTF-8"
    )
    assert complain(b"\xef\xbb\xbf# \xff\n") == snapshot(
        "/project/assent.yaml:1:3: this is not UTF-8; save the file as UTF-8"
    )


def test_a_file_of_a_mebibyte_is_read_and_a_larger_one_refused(complain: Complain, project: Path) -> None:
    most = b"#" * 1024 * 1024
    (project / "most.yaml").write_bytes(most)
    assert read_settings(project / "most.yaml").file == project / "most.yaml"
    assert complain(most + b"#") == snapshot(
        "/project/assent.yaml:1:1: the file is larger than 1 MiB; at most that is allowed, so keep data elsewhere"
    )


def test_a_file_that_cannot_be_read_says_why(project: Path) -> None:
    for path, why in [
        (project / "none.yaml", "the file cannot be read: No such file or directory; name a readable YAML file"),
        (project, "it is a folder, not a file; if it is empty, remove it"),
        (Path("a\0b"), "the file cannot be read: embedded null byte; name a readable YAML file"),
    ]:
        with pytest.raises(ConfigError) as caught:
            read_settings(path)
        assert str(caught.value) == f"{path}:1:1: {why}"


def test_a_store_in_a_writable_root_is_refused(complain: Complain) -> None:
    text = """\
store: work/deep/record.db
sandbox:
  paths:
    work: {root: work, mode: rw}
    deep: {root: work/deep, mode: rw}
    docs: {root: ., mode: ro}
"""
    assert complain(text) == snapshot("""\
/project/assent.yaml:1:8: the store '/project/work/deep/record.db' lies in '/project', the root of 'docs' in sandbox.paths, where a command could answer an agent's questions at the socket of `assent serve`; set `store` to a file outside every root
/project/assent.yaml:1:8: the store '/project/work/deep/record.db' lies in '/project/work', the writable root of 'work' in sandbox.paths, where an agent could rewrite its own approvals; set `store` to a file outside every root
/project/assent.yaml:1:8: the store '/project/work/deep/record.db' lies in '/project/work/deep', the writable root of 'deep' in sandbox.paths, where an agent could rewrite its own approvals; set `store` to a file outside every root\
""")


def test_a_store_that_a_command_could_see_is_refused(complain: Complain) -> None:
    """A socket is spoken to where it can be seen: the server's lies beside the store."""
    assert complain("sandbox:\n  paths:\n    all: {root: ../state, mode: ro}\n") == snapshot(
        "/project/assent.yaml:3:17: the store '/state/assent/assent.db' lies in '/state', the root of 'all' in sandbox.paths, where a command could answer an agent's questions at the socket of `assent serve`; set `store` to a file outside every root"
    )
    assert complain("shell:\n  toolchains: [/usr/local/go, ../state]\n") == snapshot(
        "/project/assent.yaml:2:31: the store '/state/assent/assent.db' lies in '/state', one of shell.toolchains, where a command could answer an agent's questions at the socket of `assent serve`; set `store` to a file outside every root, or name only the folders with programs"
    )


@pytest.mark.parametrize("store", ["x" * 256, "x" * 256 + "/record.db", "a/" * 2500 + "record.db"])
def test_a_store_whose_path_is_too_long_is_refused(complain: Complain, store: str) -> None:
    said = complain(f"\nstore: {store}\n")
    assert said.startswith("/project/assent.yaml:2:8: store: ")
    assert "cannot be looked up: File name too long; name a place that can be" in said
    with pytest.raises(ConfigError, match="cannot be looked up"):
        Settings(store=Path(store))


def test_a_store_behind_a_loop_of_links_is_no_crash(write: Write, project: Path) -> None:
    (project / "one").symlink_to("two")
    (project / "two").symlink_to("one")
    assert read_settings(write("store: one/record.db")).store == project / "one/record.db"


def test_the_default_store_in_a_writable_root_is_refused_at_that_root(complain: Complain) -> None:
    assert complain("sandbox:\n  paths:\n    all: {root: ../state, mode: rw}\n") == snapshot(
        "/project/assent.yaml:3:17: the store '/state/assent/assent.db' lies in '/state', the writable root of 'all' in sandbox.paths, where an agent could rewrite its own approvals; set `store` to a file outside every root"
    )


def test_a_link_in_a_writable_root_does_not_lead_to_the_store(complain: Complain, project: Path) -> None:
    (project / "work").mkdir()
    (project / "outside").mkdir()
    (project / "work/link").symlink_to("../outside")
    (project / "front").symlink_to("work/link")
    for spelling in ("work/link/record.db", "front/record.db", "WORK/record.db"):
        said = complain(f"store: {spelling}\nsandbox: {{paths: {{work: {{root: work, mode: rw}}}}}}")
        assert " lies in '/project/work', the writable root of 'work' in sandbox.paths" in said
