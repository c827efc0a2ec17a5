"""The arguments as they are shown: the lines that `json` would indent, however they are made."""

import json

from hypothesis import given
from hypothesis import strategies as st

from assent.model import Presentation, ToolCall, arguments_preview, thaw

_text = st.text(st.characters(codec="utf-8"))
_values = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _text


@given(args=st.dictionaries(_text, _values | st.lists(_values, max_size=2), max_size=4))
def test_arguments_are_shown_as_indented_json(args: dict[str, object]) -> None:
    call = ToolCall(run="r", id="1", tool_name="t", args=args)
    shown = arguments_preview(call).presentation
    assert isinstance(shown, Presentation)
    assert shown.content == json.dumps(thaw(call.args), indent=2, ensure_ascii=False)
