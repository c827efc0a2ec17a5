"""What tree-sitter reads in shell text: where commands begin, and what it does not understand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from assent.tools.shell._names import names

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

# The only kinds of node an allowed command is made of. `bash -n`, the second reading and the
# rules look at the rest; what is not here asks.
_PLAIN: Final = names(
    """program command command_name word number string string_content raw_string concatenation
    simple_expansion variable_name special_variable_name expansion command_substitution process_substitution
    list pipeline redirected_statement file_redirect file_descriptor herestring_redirect subshell
    compound_statement negated_command if_statement elif_clause else_clause for_statement while_statement
    do_group case_statement case_item extglob_pattern function_definition test_command unary_expression
    binary_expression parenthesized_expression test_operator comment brace_expression arithmetic_expansion
    variable_assignment declaration_command unset_command"""
)
_STARTS: Final = frozenset({"command_name", "declaration_command", "unset_command", "test_command"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function the text defines, and the place of its body."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How tree-sitter understood a text; all places in characters."""

    starts: Mapping[int, int]
    """Where a command's first word stands, and where the command ends."""
    strange: tuple[tuple[str, int, int], ...]
    """The nodes that an allowed command does not have, each with its kind and place."""
    functions: tuple[Function, ...]


@cache
def _parser() -> Parser:
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


def read_tree(text: str) -> Reading:
    """The text as tree-sitter reads it."""
    source = text.encode("utf-8", "surrogatepass")
    place = _places(text, source)
    starts: dict[int, int] = {}
    strange: list[tuple[str, int, int]] = []
    functions: list[Function] = []
    for node in _nodes(_parser().parse(source).root_node):
        kind = node.type
        if kind in _STARTS:
            whole = node.parent if kind == "command_name" and node.parent else node
            starts[place(node.start_byte)] = place(whole.end_byte)
        if kind == "function_definition":
            name = node.child_by_field_name("name")
            title = (name.text or b"").decode("utf-8", "replace") if name else ""
            functions.append(Function(name=title, start=place(node.start_byte), end=place(node.end_byte)))
        if kind not in _PLAIN or node.is_missing or node.is_error:
            strange.append((kind, place(node.start_byte), place(node.end_byte)))
    return Reading(starts=starts, strange=tuple(strange), functions=tuple(functions))


def _nodes(root: Node) -> Iterator[Node]:
    """Every named node, and every node that should have been there; no recursion, however deep."""
    ahead = [root]
    while ahead:
        node = ahead.pop()
        yield node
        if node.has_error:
            ahead += [child for child in node.children if child.is_named or child.is_missing or child.is_error]
        else:
            ahead += node.named_children


def _places(text: str, source: bytes) -> Callable[[int], int]:
    """From an offset in bytes to one in characters."""
    if len(source) == len(text):
        return int
    offsets: list[int] = []
    for index, char in enumerate(text):
        offsets += [index] * len(char.encode("utf-8", "surrogatepass"))
    offsets.append(len(text))
    return offsets.__getitem__
