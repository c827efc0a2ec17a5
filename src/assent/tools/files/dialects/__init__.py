"""The same tools in several dialects: names, arguments and answers that a client knows."""

from assent.tools.files.dialects._file_tools import Dialect, file_tools

__all__ = ["Dialect", "file_tools"]
