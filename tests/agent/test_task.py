"""Sub-agents: the same gate, the same record, and no file handed over unseen."""

from __future__ import annotations

from pathlib import Path

from assent.agent import Text, ToolUse
from assent.config import Agent, Sandbox, SandboxPath, Settings
from assent.model import Approve, Reject
from assent.testing import Answers, Call, ErrorEvent, Say, Turn
from tests.agent.kit import an_agent, settings_at

YES = Approve(by="ana")


def task(**more: object) -> Turn:
    return Turn(Call("Task", {"description": "look", "prompt": "Look at it.", **more}, id="toolu_task"))


def asking(folder: Path) -> Settings:
    work = SandboxPath(root=folder / "work", mode="rw", read_approval=True)
    return Settings(store=folder / "state" / "assent.db", sandbox=Sandbox(paths={"work": work}), agent=Agent())


async def test_a_sub_agent_works_on_the_same_gate_and_answers_with_its_last_words(tmp_path: Path) -> None:
    file = tmp_path / "work" / "a.txt"
    script = (
        task(),
        Turn(Call("Write", {"file_path": str(file), "content": "x"})),
        Turn(Say("I wrote it.")),
        Turn(Say("All done.")),
    )
    approver = Answers(YES)
    with an_agent(tmp_path, *script, approver=approver) as desk:
        result = await desk.run("Go.")
    assert (result.status, result.text) == ("success", "All done.")
    assert file.read_text() == "x"
    assert approver.asked[0].call.agents == ("Task",)
    assert approver.asked[0].call.run == desk.runner.conversation.id
    assert desk.answers(3)[0]["content"] == "I wrote it."
    assert [each.agents for each in desk.events if isinstance(each, ToolUse)] == [(), ("Task",)]
    assert [each.text for each in desk.events if isinstance(each, Text) and each.agents] == ["I wrote it."]
    assert result.usage.requests == 4
    assert desk.sent(1) == [{"role": "user", "content": "Look at it."}]


async def test_a_sub_agent_cannot_start_another(tmp_path: Path) -> None:
    with an_agent(tmp_path, task(), Turn(Say("ok")), Turn(Say("."))) as desk:
        await desk.run()
    tools = desk.server.requests[1].body["tools"]
    assert isinstance(tools, list)
    assert "Task" not in [each["name"] for each in tools]


async def test_an_attachment_passes_its_own_read_approval(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    file = tmp_path / "work" / "a.txt"
    file.write_text("the content\n")
    approver = Answers(YES)
    script = task(attachments=[str(file)]), Turn(Say("Seen.")), Turn(Say("."))
    with an_agent(tmp_path, *script, approver=approver, settings=asking(tmp_path)) as desk:
        await desk.run()
    (question,) = approver.asked
    assert question.request.description.endswith("to hand it to a sub-agent")
    assert question.call.agents == ("Task",)
    assert "the content" in desk.sent(1)[0]["content"]


async def test_an_attachment_that_is_refused_starts_no_sub_agent(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    file = tmp_path / "work" / "a.txt"
    file.write_text("the content\n")
    approver = Answers(Reject(note="private", by="ana"))
    with an_agent(
        tmp_path, task(attachments=[str(file)]), Turn(Say(".")), approver=approver, settings=asking(tmp_path)
    ) as desk:
        await desk.run()
    assert len(desk.server.requests) == 2
    assert desk.results[0].is_error
    assert "private" in desk.results[0].content
    assert "the content" not in str(desk.server.requests[1].body)


async def test_an_attachment_outside_the_roots_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("top secret")
    script = task(attachments=[str(tmp_path / "secret")]), Turn(Say("."))
    with an_agent(tmp_path, *script, approver=Answers(YES)) as desk:
        await desk.run()
    assert desk.results[0].is_error
    assert "top secret" not in str(desk.server.requests[1].body)


async def test_a_sub_agent_that_fails_is_an_error_of_its_call(tmp_path: Path) -> None:
    settings = settings_at(tmp_path, attempts=1)
    with an_agent(tmp_path, task(), Turn(ErrorEvent()), Turn(Say("Too bad.")), settings=settings) as desk:
        result = await desk.run()
    assert result.status == "success"
    assert desk.results[0].is_error
    assert "did not finish" in desk.results[0].content


async def test_a_person_who_stops_a_sub_agent_stops_the_run(tmp_path: Path) -> None:
    file = tmp_path / "work" / "a.txt"
    script = task(), Turn(Call("Write", {"file_path": str(file), "content": "x"}))
    with an_agent(tmp_path, *script, approver=Answers(Reject(stop=True, by="ana"))) as desk:
        result = await desk.run()
        assert result.status == "stopped"
        assert not file.exists()
        desk.server.add(Turn(Say("Back.")))
        assert (await desk.run()).status == "success"
        # The sub-agent had begun: what it did before it was stopped, this conversation did not see.
        assert "may have taken effect" in desk.sent(2)[2]["content"][0]["content"]
