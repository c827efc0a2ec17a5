"""Shell rules: every command in a command is judged, and the answer says why."""

from assent.tools.shell._environment import environment_for
from assent.tools.shell._examples import check_rules
from assent.tools.shell._grants import generalisations
from assent.tools.shell._judge import judge
from assent.tools.shell._policy import CommandPolicy, Looked, worth_a_line
from assent.tools.shell._presets import PRESETS
from assent.tools.shell._rules import Rule, Rules
from assent.tools.shell._values import Caution, Judgement, Part, Verdict, strictest
from assent.tools.shell._world import Machine, World

__all__ = [
    "PRESETS",
    "Caution",
    "CommandPolicy",
    "Judgement",
    "Looked",
    "Machine",
    "Part",
    "Rule",
    "Rules",
    "Verdict",
    "World",
    "check_rules",
    "environment_for",
    "generalisations",
    "judge",
    "strictest",
    "worth_a_line",
]
