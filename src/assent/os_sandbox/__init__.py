"""The walls: what confined processes may do, and the ways to hold them to it."""

from assent.errors import CannotConfine
from assent.os_sandbox._backend import Backend, Launch, Missing
from assent.os_sandbox._bubblewrap import Bubblewrap
from assent.os_sandbox._choose import Fallback, Refusal, ToolKind, backends, choose_backend
from assent.os_sandbox._derive import (
    NamedRoot,
    SandboxConfig,
    ShellConfig,
    derive_os_sandbox_profile,
    obeyed_links,
    what_explicit_cuts,
)
from assent.os_sandbox._landlock import Landlock
from assent.os_sandbox._places import git_obeys, home_folders, new_repositories, places_obeyed, repositories
from assent.os_sandbox._profile import OSProfile
from assent.os_sandbox._programs import find_program, safe_path
from assent.os_sandbox._scan import Scanner
from assent.os_sandbox._seatbelt import Seatbelt, seatbelt_profile
from assent.os_sandbox._start import Confined, Ended, start
from assent.os_sandbox._threads import ConfinedThreads
from assent.os_sandbox._try import run_once

__all__ = [
    "Backend",
    "Bubblewrap",
    "CannotConfine",
    "Confined",
    "ConfinedThreads",
    "Ended",
    "Fallback",
    "Landlock",
    "Launch",
    "Missing",
    "NamedRoot",
    "OSProfile",
    "Refusal",
    "SandboxConfig",
    "Scanner",
    "Seatbelt",
    "ShellConfig",
    "ToolKind",
    "backends",
    "choose_backend",
    "derive_os_sandbox_profile",
    "find_program",
    "git_obeys",
    "home_folders",
    "new_repositories",
    "obeyed_links",
    "places_obeyed",
    "repositories",
    "run_once",
    "safe_path",
    "seatbelt_profile",
    "start",
    "what_explicit_cuts",
]
