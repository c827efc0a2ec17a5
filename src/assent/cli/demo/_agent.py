"""The demo's agent: a script that listens to what the gate answers."""

from __future__ import annotations

from assent.cli.demo._story import Reply, Story

_DAY = {"old_string": "on Thursday", "new_string": "on Friday"}
# Somebody's line is missing here: the diff shows it, and the agent does not say it.
_TODO = "release on Friday\ntell Ana\n"
_NEWS = """\
The release moves to Friday.

We take one more day, so that the upgrade guide is right.
Nothing else changes: the freeze stays on Tuesday.
"""
_SHORT = "The release moves to Friday.\n"
_MAIL = {"to": "ana@example.org", "subject": "The release"}


async def work(story: Story) -> None:
    """Put the notes right, reach too far three times, tell Ana; and take no for an answer.

    Raises:
        Stopped: the person ended the run.
    """
    await _look(story)
    has_walls = await _count(story)
    await _correct(story)
    await _announce(story)
    if has_walls:
        await _reach_out(story)
    await _tell(story)


async def _look(story: Story) -> None:
    await story.step("First I see which files there are.", "list_files")
    await story.step("I read what was decided.", "read_file", path="notes/meeting.md")
    await story.step("Which of them still say Thursday?", "search_files", pattern="Thursday")


async def _count(story: Story) -> bool:
    """Run a command, and say whether there are walls to run it behind."""
    count = await story.step("How long are they? A command tells.", "run_command", command="wc -w plan.md todo.md")
    if count.answer.refused:
        story.say("Note", "A command runs behind the OS sandbox or not at all. The files do not need one.")
    return not count.answer.refused


async def _correct(story: Story) -> None:
    path = "notes/plan.md"
    plan = await story.step("I change the day in the plan, and nothing else.", "edit_file", path=path, **_DAY)
    if plan.error == "changed_since_approval":
        story.say("Note", "The plan changed after you looked: your approval does not cover it.")
        plan = await story.again("I propose it anew, for the plan as it is now.", "edit_file", path=path, **_DAY)
    _unless(plan, story, "Then the plan keeps its day.")
    path = "notes/todo.md"
    todo = await story.step("The list I write anew, with the new day.", "write_file", path=path, content=_TODO)
    _unless(todo, story, "Then the list stays as it is.")
    path = "handbook/dates.md"
    book = await story.step("The handbook says Thursday too. I change it.", "edit_file", path=path, **_DAY)
    _unless(book, story, "The handbook is not mine to change. I go on.")


async def _announce(story: Story) -> None:
    path = "notes/news.md"
    news = await story.step("I draft the news, in a new file.", "write_file", path=path, content=_NEWS)
    if news.answer.kind == "rejected":
        news = await story.again("I listen: one line instead of four.", "write_file", path=path, content=_SHORT)
    _unless(news, story, "No news then.")
    book = await story.step("Who else should know?", "read_file", path="notes/../private/addresses.md")
    _unless(book, story, "That is out of my reach.")


async def _reach_out(story: Story) -> None:
    """What the rules for commands do not know, the walls do."""
    command = "cat ../private/addresses.md"
    tried = await story.again("By a command, perhaps?", "run_command", command=command)
    if tried.exit_code == 1:
        story.note_blocked("The rules let `cat` run, and the OS blocked it: that folder is not there for a command.")


async def _tell(story: Story) -> None:
    body = "Hello Ana, the release moves to Friday. Could you announce it?"
    first = await story.step("I write to Ana alone. Not a file this time: an e-mail.", "send_email", **_MAIL, body=body)
    if not first.done:
        story.say("Agent", "No e-mail then, so I need not send the second one either.")
        return
    body = "Hello Ana, one more thing: Ben checks the upgrade guide."
    second = await story.again("I forgot something: once more to Ana, another text.", "send_email", **_MAIL, body=body)
    if second.answer.kind == "granted":
        story.say("Note", "You approved this for the session, so you were not asked twice.")


def _unless(reply: Reply, story: Story, words: str) -> None:
    """What the agent says if it may not, or cannot."""
    if not reply.done:
        story.say("Agent", words)
