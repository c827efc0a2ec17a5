"""The demo's agent: a script that listens to what the gate answers."""

from __future__ import annotations

from assent.cli.demo._story import Story

_SUMMARY = """\
# This week

- The release moved to Friday.
- Tests are green.
- Ana writes the announcement, Ben checks the upgrade guide.
"""
_SHORT = "Release on Friday; Ana announces it, Ben checks the guide.\n"
_MAIL = {"to": "ana@example.org", "subject": "This week's notes"}


async def work(story: Story) -> None:
    """List, write, delete, send twice; and take no for an answer.

    Raises:
        Stopped: the person ended the run.
    """
    await story.step("First I look at which notes there are.", "list_notes")
    await _write(story)
    denied = await story.step("The archive looks unused. I delete it.", "delete_folder", name="archive")
    if denied.refused:
        story.say("Agent", "Then the archive stays. I go on without it.")
    await _send(story)


async def _write(story: Story) -> None:
    first = await story.step("I write a summary of both.", "write_note", name="summary.md", text=_SUMMARY)
    if first.kind == "rejected":
        story.say("Agent", "I listen: a shorter one then, in a file of its own.")
        first = await story.step("One line instead of four.", "write_note", name="short.md", text=_SHORT)
    if first.refused:
        story.say("Agent", "No note then. I keep the summary to myself.")


async def _send(story: Story) -> None:
    body = "Hello Ana, the release moved to Friday. Could you announce it?"
    first = await story.step("Ana should know. I send her an e-mail.", "send_email", **_MAIL, body=body)
    if first.refused:
        story.say("Agent", "No e-mail then, so I need not send the second one either.")
        return
    body = "Hello Ana, one more thing: Ben checks the upgrade guide."
    second = await story.step("I forgot something: once more to Ana, another text.", "send_email", **_MAIL, body=body)
    if second.kind == "granted":
        story.say("Note", "You approved this for the session, so you were not asked twice.")
