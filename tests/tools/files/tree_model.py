"""A tree of files as a dictionary, and what a path means in it: what the file tools are compared with."""

from __future__ import annotations

from dataclasses import dataclass, field

MOST_LINKS = 40


@dataclass(frozen=True, slots=True)
class Link:
    """A symbolic link."""

    target: str


@dataclass(slots=True)
class Folder:
    """A folder and all that is in it."""

    entries: dict[str, Folder | bytes | Link] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Found:
    """Where a path leads: an entry of a folder, with the folders that are missing before it."""

    folder: Folder
    name: str
    missing: tuple[str, ...] = ()

    @property
    def node(self) -> Folder | bytes | Link | None:
        return None if self.missing else self.folder.entries.get(self.name)

    @property
    def content(self) -> bytes | None:
        return self.node if isinstance(self.node, bytes) else None

    def put(self, data: bytes) -> None:
        folder = self.folder
        for name in self.missing:
            made = Folder()
            folder.entries[name] = made
            folder = made
        folder.entries[self.name] = data

    def remove(self) -> None:
        del self.folder.entries[self.name]


@dataclass(frozen=True, slots=True)
class Fails:
    """A path that leads to nothing a tool can use, and how it fails."""

    code: str
    at_once: bool = True
    """Whether the path itself is wrong; else only what it leads to is."""


@dataclass(slots=True)
class Tree:
    """A root, and the absolute path by which links may name it."""

    absolute: str
    root: Folder = field(default_factory=Folder)

    def find(self, path: str) -> Found | Folder | Fails:
        """What a path leads to, links followed: the kernel's rules, beneath the root."""
        return _Walk(self, path).end()

    def inside(self, target: str) -> str | None:
        """What of an absolute path lies beneath the root."""
        if target == self.absolute or target.startswith(f"{self.absolute}/"):
            return target[len(self.absolute) + 1 :] or "."
        return None

    def names_a_link(self, path: str) -> bool:
        """Whether the first part of a path that leads to nothing is a link, and not simply missing."""
        names = path.split("/")
        for count in range(len(names) - 1, -1, -1):
            here = self.find("/".join(names[:count]) or ".")
            if isinstance(here, Folder):
                return isinstance(here.entries.get(names[count]), Link)
        return False


class _Walk:
    """The way that a path takes, one name at a time."""

    def __init__(self, tree: Tree, path: str) -> None:
        self._tree = tree
        self._path = path
        self._todo = path.split("/")[::-1]
        self._way = [tree.root]
        self._links = 0

    def end(self) -> Found | Folder | Fails:
        while self._todo:
            end = self._step(self._todo.pop())
            if end is not None:
                return end
        return self._way[-1]

    def _step(self, name: str) -> Found | Fails | None:
        if name == "..":
            self._way.pop()
            return None if self._way else Fails("path_outside_workspace")
        here = self._way[-1]
        node = here if name in ("", ".") else here.entries.get(name)
        match node:
            case Folder():
                self._way += [node] if node is not here else []
                return None
            case bytes():
                return Fails("not_a_directory") if self._todo else Found(here, name)
            case Link(target):
                return self._follow(target)
            case None:
                return self._miss(name)

    def _follow(self, target: str) -> Fails | None:
        self._links += 1
        if self._links > MOST_LINKS:
            return Fails("invalid_path")
        if target.startswith("/"):
            rest = self._tree.inside(target)
            if rest is None:
                return Fails("path_outside_workspace")
            target, self._way = rest, [self._tree.root]
        self._todo += target.split("/")[::-1]
        return None

    def _miss(self, name: str) -> Found | Fails:
        if ".." in self._todo:  # what does not exist has no parent
            return Fails("file_not_found")
        if self._links and self._tree.names_a_link(self._path):
            return Fails("file_not_found", at_once=False)
        *missing, last = [name, *self._todo[::-1]]
        return Found(self._way[-1], last, tuple(missing))
