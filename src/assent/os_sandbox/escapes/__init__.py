"""Real attempts to get out, run behind the walls to see that they hold."""

from assent.os_sandbox.escapes._trial import Attempt, Outcome, Verdict, attempts, try_to_escape

__all__ = ["Attempt", "Outcome", "Verdict", "attempts", "try_to_escape"]
