"""What a value in the file must be, told to pydantic without importing it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol, cast

from assent.config._places import default_store_path, locate

_Schema = dict[str, object]
_Handler = Callable[[object], _Schema]


def _describe(schema: _Schema, kind: type) -> None:
    # Pydantic 2.11 leaves out the docstring of a standard dataclass.
    schema["description"] = kind.__doc__


FILE_RULES: Final = {
    "extra": "forbid",
    "allow_inf_nan": False,
    "use_attribute_docstrings": True,
    "json_schema_extra": _describe,
}
"""For `__pydantic_config__`. Not `strict`: that would refuse mappings; each mark is strict instead."""

NO_NAME: Final = "no_name"
"""The type of the error of a key that is no `Name`."""
_TEXT: Final[_Schema] = {"type": "str", "strict": True, "min_length": 1}


class _Info(Protocol):
    @property
    def context(self) -> str: ...


class Seconds:
    """A number above 0; neither text nor a truth value stands for one."""

    def __init__(self, *, null: str = "wait without end") -> None:
        self._also = f", or null to {null}" if null else ""

    def __get_pydantic_core_schema__(self, source: object, handler: _Handler) -> _Schema:
        return _or_say(f"a number of seconds above 0{self._also}", {**handler(source), "gt": 0, "strict": True})


class Flag:
    """true or false; neither text nor a number stands for one."""

    def __init__(self, *, null: str = "") -> None:
        self._also = f", or null to {null}" if null else ""

    def __get_pydantic_core_schema__(self, source: object, handler: _Handler) -> _Schema:
        return _or_say(f"true or false{self._also}", {**handler(source), "strict": True})


class Bytes:
    """A whole number above 0."""

    def __get_pydantic_core_schema__(self, source: object, handler: _Handler) -> _Schema:
        allowed = "a whole number of bytes above 0, in digits alone, such as 10000000"
        return _or_say(allowed, {**handler(source), "gt": 0, "strict": True})


class Suffix:
    """The end of a file name from a dot on, such as .md or .tar.gz."""

    def __get_pydantic_core_schema__(self, source: object, handler: _Handler) -> _Schema:
        allowed = "the end of a file name from a dot on, as text and without /, such as .md or .tar.gz"
        return _or_say(allowed, {**handler(source), "strict": True, "pattern": r"^\.[^/]+$"})


class Suffixes:
    """A list of at least one: an empty one could be meant as nothing or as everything."""

    def __get_pydantic_core_schema__(self, source: object, handler: _Handler) -> _Schema:
        # Not `min_length`: that counts only the good ones, and would also complain where one of one is bad.
        some = _after(_not_empty, handler(source))
        return _listed("a list of ends of file names, such as [.md, .tar.gz], or null for every file", some)

    def __get_pydantic_json_schema__(self, core: object, handler: _Handler) -> _Schema:
        return {**handler(core), "minItems": 1}


class Name:
    """The first part of a path as the model writes it, so it cannot hold a `/` or be `..`."""

    def __get_pydantic_core_schema__(self, source: object, handler: _Handler) -> _Schema:
        text = {**handler(source), "strict": True, "pattern": "^[^/.][^/]*$"}
        allowed = "a name of visible characters that is not empty, has no / and does not begin with a dot"
        return {**_or_say(allowed, _after(_plain, text)), "custom_error_type": NO_NAME}


class OnlyNames:
    """No key but a `Name`, said in the JSON Schema too."""

    def __get_pydantic_json_schema__(self, core: object, handler: _Handler) -> _Schema:
        return {**handler(core), "additionalProperties": False}


class Text:
    """Text that is not empty."""

    def __get_pydantic_core_schema__(self, source: object, handler: _Handler) -> _Schema:
        return _or_say("text that is not empty", {**handler(source), "strict": True, "min_length": 1})


class Texts:
    """A list of texts."""

    def __get_pydantic_core_schema__(self, source: object, handler: _Handler) -> _Schema:
        return _or_say("a list of texts", {**handler(source), "items_schema": [_TEXT]})


class Words:
    """The words of a command: a list of texts, or text that is split as a shell splits it."""

    def __get_pydantic_core_schema__(self, source: object, handler: _Handler) -> _Schema:
        split = {"type": "no-info", "function": _split}
        words = _or_say(_WORDS, {**handler(source), "items_schema": [_TEXT], "min_length": 1})
        return {"type": "function-before", "function": split, "schema": words}

    def __get_pydantic_json_schema__(self, core: object, handler: _Handler) -> _Schema:
        return {"anyOf": [{"type": "string", "minLength": 1}, handler(core)]}


class PlaceText:
    """A path written as text, relative to the folder of the file."""

    def __get_pydantic_core_schema__(self, _source: object, _handler: _Handler) -> _Schema:
        return _then(_place, _TEXT)


class Listed:
    """A list; a lone item is not a list, and each bad item has its own line."""

    def __init__(self, allowed: str) -> None:
        self._allowed = allowed

    def __get_pydantic_core_schema__(self, source: object, handler: _Handler) -> _Schema:
        return _listed(self._allowed, handler(source))


class Paths:
    """A list of paths; a lone one is not a list, and each bad one has its own line."""

    def __get_pydantic_core_schema__(self, source: object, handler: _Handler) -> _Schema:
        return _listed("a list of paths, each as text, such as [./tools, ~/bin]", handler(source))


class VariableName:
    """The name of a variable that a command may be given: none that changes what its programs run."""

    def __get_pydantic_core_schema__(self, source: object, handler: _Handler) -> _Schema:
        name = _or_say("the name of a variable, such as CI", {**handler(source), "strict": True, "pattern": VARIABLE})
        return _after(_may_pass, name)


class VariableNames:
    """A list of names of variables."""

    def __get_pydantic_core_schema__(self, source: object, handler: _Handler) -> _Schema:
        return _listed("a list of names of variables, such as [CI, NO_COLOR]", handler(source))


class StoreText:
    """A path written as text, or null for the default store."""

    def __get_pydantic_core_schema__(self, _source: object, _handler: _Handler) -> _Schema:
        return _then(_store, {"type": "nullable", "schema": _TEXT})


VARIABLE: Final = r"^[A-Za-z_][A-Za-z0-9_]*$"
# Names, and with a star beginnings of names, of what makes a program run or read something else.
_STEERING: Final = """
    LD_* DYLD_* GCONV_* MALLOC_* GLIBC_TUNABLES LOCPATH NLSPATH GETCONF_DIR TERMINFO* TERMCAP HOSTALIASES
    PATH HOME TERM TMPDIR SHELL SUDO_* XDG_CONFIG_* XDG_DATA_* POSIXLY_CORRECT
    ENV IFS CDPATH FPATH ZDOTDIR SHELLOPTS BASHOPTS BASH_* PROMPT_COMMAND PS4 INPUTRC FCEDIT
    EDITOR VISUAL BROWSER PAGER MANPAGER MANOPT MANROFFOPT MANROFFSEQ GROFF_* LESS LESSOPEN LESSCLOSE LESSKEY*
    VIMINIT EXINIT GVIMINIT VIMRUNTIME SYSTEMD_EDITOR SYSTEMD_PAGER
    GIT_* SSH_ASKPASS* RSYNC_* CVS_RSH
    PYTHON* PYTEST_* PIP_* UV_* PERL* RUBY* GEM_* BUNDLE_* NODE_* NPM_CONFIG_* YARN_* DENO_* BUN_* TS_NODE_* PHPRC
    PHP_INI_SCAN_DIR LUA_* TCLLIBPATH R_PROFILE* R_ENVIRON* JULIA_* GUILE_* ERL_* AWKPATH AWKLIBPATH AWK_PATH M4PATH
    JAVA_TOOL_* JDK_JAVA_* _JAVA_* JAVA_OPTS CLASSPATH MAVEN_* GRADLE_* DOTNET_* CORECLR_* COR_* MONO_*
    MAKEFLAGS MAKEFILES MFLAGS GNUMAKEFLAGS CMAKE_* PKG_CONFIG* CC CXX CPP AR AS LD RUSTC* RUSTFLAGS CARGO_* GOFLAGS
    GOROOT GOTOOLDIR GCC_EXEC_PREFIX COMPILER_PATH LIBRARY_PATH CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH TEXINPUTS
    RIPGREP_CONFIG_PATH GREP_OPTIONS TAR_OPTIONS TAPE GZIP BZIP2 XZ_OPT XZ_DEFAULTS ZIPOPT UNZIP MAGIC WGETRC
    SYSTEM_WGETRC CURL_HOME OPENSSL_CONF OPENSSL_ENGINES OPENSSL_MODULES PSQLRC PSQL_* PGSERVICEFILE PGSYSCONFDIR
    FZF_DEFAULT_* PARALLEL* SCREENRC KUBECONFIG DOCKER_* GNUPGHOME TF_CLI_* ANSIBLE_* AWS_CONFIG_FILE KRB5_CONFIG
    GTK_MODULES GTK_PATH GIO_* QT_PLUGIN_PATH GST_PLUGIN_*
"""
_STEERS: Final = re.compile("|".join(_STEERING.split()).replace("*", ".*"), re.IGNORECASE)
_SECRET: Final = re.compile(r"TOKEN|SECRET|PASSW|CREDENTIAL|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|_KEY$", re.IGNORECASE)
# What a shell takes as it is: no `$` in double quotes, also not after a backslash, which our words would keep; nor
# a line that goes on after a backslash.
_IN_QUOTES: Final = re.compile(r"'[^']*'|\"(?:[^\"\\$`]|\\[^$`])*\"|\\[^\n$`]", re.DOTALL)
# Brackets where a shell expands them: `[` alone is a program, and `stash@{0}` stays as it is.
_NO_WORD: Final = re.compile(
    r"[|&;<>()$`*?\n]|\[(?=[^\s\[]+\])|\{(?=[^{}]*\})(?=[^{}]*?(?:,|\.\.))|^\{(?!\S)|(?<!\S)#|^!"
    r"|^[A-Za-z_][A-Za-z0-9_]*\+?=\S*"
)
_WORDS: Final = "the words of a command, as a list of texts or as one text such as git status"


def _split(given: object) -> object:
    """Text as its words.

    Raises:
        ValueError: it cannot be split, or holds what a shell would not take for a word.
    """
    # Such a rule would load, match nothing, and be relied on.
    _refuse_invisible(given)
    if not isinstance(given, str):
        return given
    if odd := _NO_WORD.search(_IN_QUOTES.sub("_", given.strip())):
        raise ValueError(
            f"holds {odd.group()!r}; a pattern is the first words of one command, and matches whatever follows them: "
            "leave it out, write a rule for each command, or, to mean the character itself, quote it for the shell "
            "too: \"git '*'\""
        )
    try:
        return shlex.split(given)
    except ValueError as error:
        raise ValueError(f"cannot be split into words: {error}; close the quotes, or write a list") from None


def _refuse_invisible(given: object) -> None:
    """Raises `ValueError` for what looks like a word and is another one."""
    texts = cast("list[object]", given) if isinstance(given, list) else [given]
    for text in texts:
        odd = next((each for each in str(text) if not each.isprintable() and each not in "\n\t"), None)
        if odd is not None:
            raise ValueError(f"holds {odd!r}, which nobody sees in a command; leave it out, or write a plain space")


def _or_say(allowed: str, schema: _Schema) -> _Schema:
    """The same rule; whichever part of it a value breaks, the error says what is allowed."""
    error = {"custom_error_type": "not_allowed", "custom_error_message": f"allowed: {allowed}"}
    return {"type": "custom-error", "schema": schema, **error}


def _listed(allowed: str, schema: _Schema) -> _Schema:
    """The same list; what is no list is told what is allowed, and a bad item keeps its own words."""

    def check(given: object) -> object:
        if not isinstance(given, (list, tuple)):
            raise ValueError(f"is no list; allowed: {allowed}")  # noqa: TRY004 (pydantic reads ValueError)
        return given  # pyright: ignore[reportUnknownVariableType] — the schema looks at the items

    return {"type": "function-before", "function": {"type": "no-info", "function": check}, "schema": schema}


def why_not_passed(name: str) -> str:
    """Why a command must not get this variable; empty if it may."""
    if _STEERS.fullmatch(name):
        return "decides what programs load or run, and nobody would have judged that; leave it out"
    return "names a secret, and every command could read it; leave it out" if _SECRET.search(name) else ""


def _may_pass(name: str) -> str:
    if why := why_not_passed(name):
        raise ValueError(why)
    return name


def _plain(name: str) -> str:
    # A name is shown to people and to the model: one that breaks or turns a line could pass for another.
    if not name.isprintable():
        raise ValueError
    return name


def _not_empty(items: tuple[str, ...]) -> tuple[str, ...]:
    if not items:
        raise ValueError("leaves no file to use; name at least one, or write null for every file")
    return items


def _after(function: object, schema: _Schema) -> _Schema:
    return {"type": "function-after", "function": {"type": "no-info", "function": function}, "schema": schema}


def _then(function: object, schema: _Schema) -> _Schema:
    return {"type": "function-after", "function": {"type": "with-info", "function": function}, "schema": schema}


def _place(text: str, info: _Info) -> Path:
    return locate(text, info.context)


def _store(text: str | None, info: _Info) -> Path:
    return default_store_path() if text is None else locate(text, info.context)
