"""The embedded model: it looks at what was asked and what became of it, and does the next thing."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final
from uuid import uuid4

from assent.agent._model import (
    Answer,
    Block,
    CallBegun,
    CallDone,
    CallPiece,
    Message,
    ModelRequest,
    Piece,
    TextDone,
    TextPiece,
    WantedCall,
    blocks_of,
)
from assent.agent._usage import Usage
from assent.agent.offline._requests import Step, other_name, other_text, steps

_REJECTED: Final = "User rejected"
_CANNOT: Final = (
    "I am the offline model: I understand a few plain requests, and this is not one of them. I can do, for example:\n"
    '- Create a file called notes.txt with the content "hello"\n'
    "- Read notes.txt\n"
    '- Replace "hello" with "goodbye" in notes.txt\n'
    '- Search for "goodbye"\n'
    "- List the files\n"
    "- Run `ls -la`\n"
    'Several of them may follow each other with "then". '
    "For everything else, set ANTHROPIC_API_KEY and use a real model."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """What the model says next."""

    text: str = ""
    step: Step | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Done:
    """A call of this exchange, and what it was told of it."""

    name: str
    content: str
    is_error: bool


class OfflineModel:
    """Understands simple requests by rule; says so where it does not."""

    name = "offline"

    def __init__(self, cwd: Path) -> None:
        self._cwd = cwd

    async def stream(self, request: ModelRequest, /) -> AsyncGenerator[Piece]:
        """The answer in pieces, as a real model would give it."""
        said = self._next(request.messages)
        content: list[Block] = []
        if said.text:
            for piece in re.findall(r"\s*\S+\s*", said.text):
                yield TextPiece(piece)
                await asyncio.sleep(0)
            yield TextDone(said.text)
            content.append({"type": "text", "text": said.text})
        calls: tuple[WantedCall, ...] = ()
        if said.step is not None:
            call = WantedCall(id=f"toolu_{uuid4().hex[:24]}", name=said.step.tool, args=said.step.args)
            yield CallBegun(id=call.id, name=call.name)
            yield CallPiece(id=call.id, json=json.dumps(dict(call.args)))
            yield CallDone(call)
            calls = (call,)
            content.append({"type": "tool_use", "id": call.id, "name": call.name, "input": dict(call.args)})
        stop = "tool_use" if calls else "end_turn"
        yield Answer(content=content, stop_reason=stop, calls=calls, usage=Usage(requests=1))

    async def close(self) -> None:
        """There is nothing to let go of."""

    def _next(self, messages: Sequence[Message]) -> _Said:
        prompt, done = _exchange(messages)
        wanted, unclear = steps(prompt, self._cwd)
        if not wanted:
            return _Said(text=_CANNOT)
        if not done:
            return _Said(text=f"I will {wanted[0].about}.", step=wanted[0])
        return self._after(done, wanted, unclear)

    def _after(self, done: Sequence[_Done], wanted: Sequence[Step], unclear: Sequence[str]) -> _Said:
        last = done[-1]
        # Each step is one call, but for those a rejection made it try in another way.
        rejected = sum(each.content.startswith(_REJECTED) for each in done[:-1])
        at = min(len(done) - 1 - rejected, len(wanted) - 1)
        if last.content.startswith(_REJECTED):
            return self._otherwise(last.content, wanted[at], tried=rejected > 0)
        if last.is_error:
            return _Said(text=f"That did not work: {last.content}")
        if at + 1 < len(wanted):
            return _Said(text=f"Next, I will {wanted[at + 1].about}.", step=wanted[at + 1])
        return _Said(text=_summary(last) + _rest(unclear))

    def _otherwise(self, words: str, step: Step, *, tried: bool) -> _Said:
        """After a rejection: what the person named instead, once; else nothing."""
        feedback = words.removeprefix(_REJECTED).removeprefix(": ").strip()
        name, text = other_name(feedback), other_text(feedback)
        if step.tool == "Write" and not tried and (name or text):
            args = dict(step.args)
            if name:
                args["file_path"] = str(self._cwd / name)
            elif text is not None:
                args["content"] = text
            return _Said(text="You would rather have it another way. I will try that.", step=replace(step, args=args))
        why = f" You said: {feedback}" if feedback else ""
        return _Said(text=f"You rejected that, so I did not {step.about}.{why}\nTell me what to do instead.")


def _exchange(messages: Sequence[Message]) -> tuple[str, list[_Done]]:
    """The last prompt, and the calls since then with their results."""
    start = max(index for index, each in enumerate(messages) if isinstance(each["content"], str))
    blocks = [block for message in messages[start + 1 :] for block in blocks_of(message)]
    names = {block["id"]: str(block["name"]) for block in blocks if block["type"] == "tool_use"}
    done = [
        _Done(name=names.get(block["tool_use_id"], ""), content=str(block["content"]), is_error=bool(block["is_error"]))
        for block in blocks
        if block["type"] == "tool_result"
    ]
    return str(messages[start]["content"]), done


def _summary(last: _Done) -> str:
    match last.name:
        case "Read":
            return f"This is what it says:\n{last.content}"
        case "Grep" | "Glob":
            return f"This is what I found:\n{last.content}"
        case "Bash":
            return f"It ran. This is what it said:\n{last.content}"
        case _:
            return f"Done. {last.content}"


def _rest(unclear: Sequence[str]) -> str:
    if not unclear:
        return ""
    return f"\nI did not understand this part, and left it out: {'; '.join(unclear)}"
