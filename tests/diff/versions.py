"""Made-up files for the laws of the diff: odd line ends, odd bytes, and edits of all sizes."""

from __future__ import annotations

from hypothesis import strategies as st

from assent.diff import Edit

# Few different lines, so that they meet again; each one odd in its own way.
LINES = (
    b"\n",
    b"a\n",
    b"b\n",
    b"    return x\n",
    b"}\n",
    b"crlf\r\n",
    b"\r\n",
    b"bare\rreturn\n",
    b"form\x0cfeed\n",
    b"next\xc2\x85line\n",
    b"line\xe2\x80\xa8separator\n",
    b"latin \xe9\xff\n",
    b"--- a/file\n",
    b"+++ b/file\n",
    b"@@ -1 +1 @@\n",
    b"\\ No newline at end of file\n",
    b"-\n",
    b"+\n",
    b" \t \n",
)
_any_line = st.sampled_from(LINES) | st.binary(max_size=8).map(lambda line: line.translate(None, b"\n\0") + b"\n")
_ends = st.sampled_from((b"", b"", b"x", b"crlf\r", b"\xff"))
files = st.builds(lambda lines, end: b"".join(lines) + end, st.lists(_any_line, max_size=30), _ends)


@st.composite
def edits_of(draw: st.DrawFn, before: bytes, *, most: int = 4) -> list[Edit]:
    """Some edits in order and apart, anywhere, also within lines and at both ends."""
    count = draw(st.integers(0, most))
    places = sorted(draw(st.lists(st.integers(0, len(before)), min_size=2 * count, max_size=2 * count)))
    return [
        Edit(start=start, end=end, replacement=draw(files | st.sampled_from((b"", b"\n", b"x", before[start:end]))))
        for start, end in zip(places[::2], places[1::2], strict=True)
    ]


def edited(before: bytes, edits: list[Edit]) -> bytes:
    """The file with the edits made, the plain way: from the last to the first."""
    for edit in reversed(edits):
        before = before[: edit.start] + edit.replacement + before[edit.end :]
    return before


@st.composite
def before_and_edits(draw: st.DrawFn) -> tuple[bytes, list[Edit]]:
    before = draw(files)
    return before, draw(edits_of(before))
