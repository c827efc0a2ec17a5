"""The sandbox: named roots, their rules, what is asked about a file, and what was shown of it."""

from assent.tools.files.sandbox._place import Place
from assent.tools.files.sandbox._rules import Answer, Home, Operation, Rules
from assent.tools.files.sandbox._sandbox import FileSandbox
from assent.tools.files.sandbox._spot import Spot

__all__ = ["Answer", "FileSandbox", "Home", "Operation", "Place", "Rules", "Spot"]
