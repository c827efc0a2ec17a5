"""The environment a judged command must be started with."""

from __future__ import annotations

from collections.abc import Mapping

from assent.tools.shell._git import ENVIRONMENT
from assent.tools.shell._unwrap import base_name
from assent.tools.shell._values import Judgement


def environment_for(judgement: Judgement) -> Mapping[str, str]:
    """What must be set so that an allowed command runs nothing that was not judged.

    Only for what no person has looked at: with a person's approval, a repository's hooks run.
    """
    names = {base_name(part.words[0]) for part in judgement.parts if part.words and part.words[0]}
    return ENVIRONMENT if judgement.verdict == "allow" and "git" in names else {}
