"""The settings of `assent.yaml`; yaml and pydantic are loaded only when a file is read."""

from assent.config._agent import Agent, Prices
from assent.config._display import Display
from assent.config._os_profile import ExplicitProfile
from assent.config._places import SETTINGS_FILE, default_store_path, find_settings_file
from assent.config._read import load_settings, read_settings, settings_schema
from assent.config._server import ServerSettings
from assent.config._settings import (
    MOST_FILE_BYTES,
    Approvals,
    Mode,
    OSSandboxFallback,
    PathMode,
    Sandbox,
    SandboxPath,
    Search,
    SearchEngine,
    Settings,
)
from assent.config._shell import Shell, ShellDefault, ShellPreset, ShellRule
from assent.config._show import show

__all__ = [
    "MOST_FILE_BYTES",
    "SETTINGS_FILE",
    "Agent",
    "Approvals",
    "Display",
    "ExplicitProfile",
    "Mode",
    "OSSandboxFallback",
    "PathMode",
    "Prices",
    "Sandbox",
    "SandboxPath",
    "Search",
    "SearchEngine",
    "ServerSettings",
    "Settings",
    "Shell",
    "ShellDefault",
    "ShellPreset",
    "ShellRule",
    "default_store_path",
    "find_settings_file",
    "load_settings",
    "read_settings",
    "settings_schema",
    "show",
]
