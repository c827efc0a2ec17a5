"""What was seen is what is replaced, moved or removed; a stranger's bytes always stand."""

# ruff: noqa: PTH208 (names relative to open folders, and names that pathlib would tidy up)
# ruff: noqa: SIM117 (what is held, and what happens to it meanwhile, are two things)

from __future__ import annotations

import os
import resource
import stat
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.errors import (
    ChangedSinceApproval,
    FileError,
    FileTooLarge,
    IsDirectory,
    NoSuchFile,
    NotDirectory,
    NotRegularFile,
    PathNotInSandboxError,
    WriteFailed,
)
from assent.tools.files.disk._held import Held, hold
from assent.tools.files.disk._renames import Renames
from assent.tools.files.disk._root import Root, Way
from assent.tools.files.disk._slot import Slot
from tests.tools.files.trees import CANARY, Entry, identity, paths, planted, trees

MOST = 10_000
Act = Callable[[], None]
T = TypeVar("T")


@pytest.fixture(params=["openat2", "walk"])
def way(request: pytest.FixtureRequest) -> Way:
    chosen: Way = request.param
    return chosen


@pytest.fixture
def top(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.txt").write_bytes(b"old")
    return folder


@pytest.fixture
def root(top: Path, way: Way) -> Iterator[Root]:
    with closing(Root(top, way=way)) as opened:
        yield opened


def held(root: Root, path: str = "a.txt", *, create_parents: bool = False) -> Held:
    return hold(root, path, most=MOST, create_parents=create_parents)


def tree(top: Path) -> dict[str, bytes]:
    """Every file and its bytes: temporary ones too."""
    return {str(path.relative_to(top)): path.read_bytes() for path in sorted(top.rglob("*")) if path.is_file()}


def listing(top: Path) -> list[str]:
    """Everything there is, and what it holds or points to."""
    return [
        f"{path.relative_to(top)} {path.readlink() if path.is_symlink() else repr(path.read_bytes() if path.is_file() else b'')}"
        for path in sorted(top.rglob("*"))
    ]


@contextmanager
def nothing_changes(top: Path) -> Generator[None]:
    before = listing(top)
    yield
    assert listing(top) == before


# Looking


def test_a_held_file_says_what_it_is(top: Path, root: Root) -> None:
    (top / "a.txt").chmod(0o640)
    with held(root) as file:
        assert file.data == b"old"
        assert file.mode == 0o640
        assert file.real == "a.txt"
        assert file.identity.directory == identity(top.stat())
        assert file.identity.name == "a.txt"
        assert file.identity.kind == "file"
        assert file.identity.sha256 == sha256(b"old").hexdigest()


def test_an_absent_file_is_held_by_its_place(top: Path, root: Root) -> None:
    with held(root, "sub/new.txt") as file:
        assert file.data is None
        assert file.mode is None
        assert file.real == "sub/new.txt"
        assert file.identity.directory == identity((top / "sub").stat())
        assert (file.identity.name, file.identity.kind, file.identity.sha256) == ("new.txt", "absent", None)


def test_where_folders_are_missing_the_place_counts_from_the_last_one_that_exists(top: Path, root: Root) -> None:
    with nothing_changes(top), held(root, "sub/y/z.txt", create_parents=True) as file:
        assert file.real == "sub/y/z.txt"
        assert file.identity.directory == identity((top / "sub").stat())
        assert file.identity.name == "y/z.txt"


def test_the_same_file_has_the_same_identity_by_whatever_path(top: Path, root: Root) -> None:
    (top / "sub" / "link").symlink_to("../a.txt")
    (top / "folder").symlink_to(top / "sub")
    seen = []
    for path in ("a.txt", "sub/../a.txt", "sub/link", "folder/link"):
        with held(root, path) as file:
            seen.append((file.identity, file.real))
    assert seen == [seen[0]] * 4


def test_other_bytes_are_another_identity(top: Path, root: Root) -> None:
    with held(root) as file:
        before = file.identity
    (top / "a.txt").write_bytes(b"new")
    with held(root) as file:
        assert file.identity != before


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("sub", IsDirectory),
        ("sub/", IsDirectory),
        (".", IsDirectory),
        ("pipe", NotRegularFile),
        ("missing/new.txt", NoSuchFile),
        ("new/", NoSuchFile),
        ("missing/..", NoSuchFile),
        ("a.txt/x", NotDirectory),
        ("../x", PathNotInSandboxError),
        ("out", PathNotInSandboxError),
        ("way/new.txt", PathNotInSandboxError),
        ("dangling", NoSuchFile),
        ("dangling/x", NoSuchFile),
    ],
)
def test_what_cannot_be_held_is_refused(top: Path, root: Root, path: str, kind: type[FileError]) -> None:
    os.mkfifo(top / "pipe")
    (top / "out").symlink_to("../new.txt")
    (top / "way").symlink_to("..")
    (top / "dangling").symlink_to("sub/nothing")
    with nothing_changes(top.parent), pytest.raises(FileError) as caught:
        held(root, path)
    assert type(caught.value) is kind


def test_a_link_to_nothing_is_not_written_through(root: Root, top: Path) -> None:
    (top / "dangling").symlink_to("sub/nothing")
    (top / "lost").symlink_to("nowhere")
    for path in ("dangling", "lost/new.txt"):
        with pytest.raises(NoSuchFile, match="symbolic link"):
            held(root, path, create_parents=True)


def test_a_file_above_the_limit_is_refused_with_both_numbers(top: Path, root: Root) -> None:
    (top / "a.txt").write_bytes(b"x" * (MOST + 1))
    with pytest.raises(FileTooLarge, match=r"10001 bytes.* 10000 "):
        held(root)
    (top / "a.txt").write_bytes(b"x" * MOST)
    with held(root) as file:
        assert file.data == b"x" * MOST


def test_a_file_whose_size_is_not_told_is_limited_all_the_same(way: Way) -> None:
    with closing(Root(Path("/proc/self"), way=way)) as root, pytest.raises(FileTooLarge):
        hold(root, "status", most=10)


def test_nothing_stays_open(root: Root, top: Path) -> None:
    (top / "dangling").symlink_to("nothing")
    before = os.listdir("/proc/self/fd")
    for path in ("a.txt", "sub/new.txt", "x/y/z"):
        with held(root, path, create_parents=True) as file:
            file.replace(b"1")
    for path in ("sub", "dangling", "a.txt/x", "../x", "missing/x"):
        with pytest.raises(FileError):
            held(root, path)
    with pytest.raises(FileTooLarge):
        hold(root, "a.txt", most=0)
    assert os.listdir("/proc/self/fd") == before


# Replacing


@given(st.binary(max_size=300), st.binary(max_size=300), st.sampled_from(["openat2", "walk"]))
def test_bytes_are_kept_as_they_are(old: bytes, new: bytes, way: Way) -> None:
    with planted([]) as place, closing(place.root(way)) as root:
        (place.real / "f").write_bytes(old)
        with held(root, "f") as file:
            assert file.data == old
            file.replace(new)
        assert tree(place.real) == {"f": new}


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o400, 0o666])
def test_the_mode_stays(top: Path, root: Root, mode: int) -> None:
    (top / "a.txt").chmod(mode)
    with held(root) as file:
        file.replace(b"new")
    assert stat.S_IMODE((top / "a.txt").stat().st_mode) == mode
    assert tree(top) == {"a.txt": b"new"}


def test_new_content_does_not_run_with_the_rights_of_the_old(top: Path, root: Root) -> None:
    (top / "a.txt").chmod(0o6755)
    with held(root) as file:
        file.replace(b"new")
    assert stat.S_IMODE((top / "a.txt").stat().st_mode) == 0o755


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_the_owner_stays(top: Path, root: Root) -> None:
    os.chown(top / "a.txt", 65534, 65533)
    with held(root) as file:
        file.replace(b"new")
    status = (top / "a.txt").stat()
    assert (status.st_uid, status.st_gid) == (65534, 65533)


def test_attributes_stay(top: Path, root: Root) -> None:
    os.setxattr(top / "a.txt", "user.note", b"mine")
    with held(root) as file:
        file.replace(b"new")
    assert os.getxattr(top / "a.txt", "user.note") == b"mine"


def test_a_new_file_has_the_mode_every_new_file_has(top: Path, root: Root) -> None:
    with held(root, "new") as file:
        file.replace(b"new")
    (top / "plain").touch()
    assert (top / "new").stat().st_mode == (top / "plain").stat().st_mode


def test_a_link_is_written_through_and_stays_a_link(top: Path, root: Root) -> None:
    (top / "sub" / "link").symlink_to("../a.txt")
    (top / "absolute").symlink_to(top.resolve() / "sub" / "link")
    with held(root, "absolute") as file:
        file.replace(b"new")
    assert (top / "absolute").is_symlink()
    assert (top / "sub" / "link").is_symlink()
    assert not (top / "a.txt").is_symlink()
    assert (top / "a.txt").read_bytes() == b"new"


def test_missing_folders_are_made_when_the_file_is(top: Path, root: Root) -> None:
    with held(root, "x/y/z.txt", create_parents=True) as file:
        assert not (top / "x").exists()
        file.replace(b"new")
    assert tree(top) == {"a.txt": b"old", "x/y/z.txt": b"new"}


def test_a_folder_somebody_else_made_meanwhile_is_used(top: Path, root: Root) -> None:
    with held(root, "x/y/z.txt", create_parents=True) as file:
        (top / "x").mkdir()
        (top / "x" / "theirs").write_bytes(b"theirs")
        file.replace(b"new")
    assert tree(top) == {"a.txt": b"old", "x/theirs": b"theirs", "x/y/z.txt": b"new"}


def test_a_link_somebody_else_put_in_the_place_of_a_folder_is_not_used(top: Path, root: Root) -> None:
    (top.parent / "outside").mkdir()
    with held(root, "x/y/z.txt", create_parents=True) as file:
        (top / "x").symlink_to("../outside")
        with pytest.raises(FileError):
            file.replace(b"new")
    assert os.listdir(top.parent / "outside") == []


def test_a_held_file_is_changed_once(root: Root) -> None:
    with held(root) as file:
        file.replace(b"new")
        with pytest.raises(RuntimeError):
            file.replace(b"newer")
    with pytest.raises(RuntimeError):
        file.remove()


# Strangers


def write_in_place(top: Path) -> None:
    (top / "sub" / "f").write_bytes(b"theirs")


def write_as_long(top: Path) -> None:
    status = (top / "sub" / "f").stat()
    (top / "sub" / "f").write_bytes(b"dlo")
    os.utime(top / "sub" / "f", ns=(status.st_atime_ns, status.st_mtime_ns))


def append(top: Path) -> None:
    with (top / "sub" / "f").open("ab") as file:
        file.write(b"theirs")


def rename_over(top: Path) -> None:
    (top / "new").write_bytes(b"theirs")
    (top / "new").replace(top / "sub" / "f")


def rename_same_bytes_over(top: Path) -> None:
    (top / "new").write_bytes(b"old")
    (top / "new").replace(top / "sub" / "f")


def delete(top: Path) -> None:
    (top / "sub" / "f").unlink()


def make_a_folder(top: Path) -> None:
    (top / "sub" / "f").unlink()
    (top / "sub" / "f").mkdir()


def make_a_link(top: Path) -> None:
    (top / "sub" / "f").rename(top / "sub" / "g")
    (top / "sub" / "f").symlink_to("g")


def make_a_link_out(top: Path) -> None:
    (top / "sub" / "f").unlink()
    (top / "sub" / "f").symlink_to("../../canary")


def change_mode(top: Path) -> None:
    (top / "sub" / "f").chmod(0o600)


def move_the_folder_out(top: Path) -> None:
    (top / "sub").rename(top.parent / "sub")


def move_the_folder(top: Path) -> None:
    (top / "sub").rename(top / "elsewhere")


def replace_the_folder(top: Path) -> None:
    (top / "sub").rename(top / "elsewhere")
    (top / "sub").mkdir()
    (top / "sub" / "f").hardlink_to(top / "elsewhere" / "f")


def take_the_folders_place(top: Path) -> None:
    (top / "sub").rename(top / "elsewhere")
    (top / "sub").mkdir()


def link_the_folder(top: Path) -> None:
    (top / "sub").rename(top / "elsewhere")
    (top / "sub").symlink_to("elsewhere")


def remove_the_folder(top: Path) -> None:
    (top / "sub" / "f").unlink()
    (top / "sub").rmdir()


STRANGERS = [
    write_in_place,
    write_as_long,
    append,
    rename_over,
    rename_same_bytes_over,
    delete,
    make_a_folder,
    make_a_link,
    make_a_link_out,
    change_mode,
    move_the_folder_out,
    move_the_folder,
    replace_the_folder,
    link_the_folder,
    remove_the_folder,
]


def make(change: str, file: Held, free: Held) -> None:
    """One of the changes there are."""
    match change:
        case "remove":
            file.remove()
        case "move":
            file.move_to(free)
        case _:
            file.replace(b"ours")


@pytest.fixture
def watched(top: Path) -> Path:
    (top / "sub" / "f").write_bytes(b"old")
    (top / "sub" / "f").chmod(0o644)
    (top.parent / "canary").write_bytes(CANARY)
    return top


@pytest.mark.parametrize("stranger", STRANGERS)
@pytest.mark.parametrize("change", ["replace", "remove", "move"])
def test_what_a_stranger_did_meanwhile_stands(
    watched: Path, root: Root, stranger: Callable[[Path], None], change: str
) -> None:
    with held(root, "sub/f") as file, held(root, "free") as free:
        stranger(watched)
        with nothing_changes(watched.parent), pytest.raises(ChangedSinceApproval, match="Read it again"):
            make(change, file, free)


@pytest.mark.parametrize("change", ["replace", "move"])
def test_a_file_that_appeared_meanwhile_stands(watched: Path, root: Root, change: str) -> None:
    with held(root, "free") as free, held(root, "a.txt") as file:
        (watched / "free").write_bytes(b"theirs")
        with nothing_changes(watched.parent), pytest.raises(ChangedSinceApproval, match="appeared"):
            free.replace(b"ours") if change == "replace" else file.move_to(free)


@pytest.mark.parametrize("stranger", [move_the_folder_out, move_the_folder, replace_the_folder, remove_the_folder])
def test_nothing_is_added_to_a_folder_that_went_away(
    watched: Path, root: Root, stranger: Callable[[Path], None]
) -> None:
    with held(root, "sub/new") as new, held(root, "sub/x/y", create_parents=True) as deep:
        stranger(watched)
        for absent in (new, deep):
            with nothing_changes(watched.parent), pytest.raises(ChangedSinceApproval):
                absent.replace(b"ours")


# In the middle of a change: the moves by themselves, with a stranger between them


@pytest.fixture
def slot(watched: Path, root: Root) -> Iterator[Slot]:
    fd = os.open(watched / "sub", os.O_RDONLY)
    yield Slot(root, fd, "sub", b"f")
    os.close(fd)


class Interrupted(Renames):
    """The real moves, with a stranger just before the next one, and another just after it."""

    def __init__(self, real: Renames, before: Act, after: Act = lambda: None) -> None:
        super().__init__(portable=real.portable)
        self._acts = [before, after]

    def _interrupted(self, move: Callable[[], T]) -> T:
        before, after = self._acts
        self._acts = [lambda: None, lambda: None]
        before()
        result = move()
        after()
        return result

    def place(self, here: int, name: bytes, there: int, free: bytes) -> None:
        self._interrupted(lambda: super(Interrupted, self).place(here, name, there, free))

    def move(self, here: int, name: bytes, there: int, free: bytes) -> bool:
        return self._interrupted(lambda: super(Interrupted, self).move(here, name, there, free))

    def swap(self, folder: int, ours: bytes, theirs: bytes) -> bool:
        return self._interrupted(lambda: super(Interrupted, self).swap(folder, ours, theirs))

    def appear(self, unnamed: int, folder: int, free: bytes) -> None:
        appear = super().appear
        if free.startswith(b".assent-"):
            appear(unnamed, folder, free)
        else:
            self._interrupted(lambda: appear(unnamed, folder, free))

    def take(self, folder: int, name: bytes) -> bytes:
        return self._interrupted(lambda: super(Interrupted, self).take(folder, name))


@pytest.mark.parametrize("stranger", [each for each in STRANGERS if each is not remove_the_folder])
@pytest.mark.parametrize("change", ["replace", "remove", "move"])
def test_what_a_stranger_does_in_the_last_moment_stands(
    watched: Path, root: Root, stranger: Callable[[Path], None], change: str
) -> None:
    after: list[list[str]] = []

    def meddle() -> None:
        stranger(watched)
        after.append([each for each in listing(watched.parent) if ".assent-" not in each])

    root.renames = Interrupted(root.renames, meddle)
    with held(root, "sub/f") as file, held(root, "free") as free:
        with pytest.raises(ChangedSinceApproval):
            make(change, file, free)
    assert after == [listing(watched.parent)]


@pytest.mark.parametrize("stranger", [move_the_folder_out, move_the_folder, take_the_folders_place, link_the_folder])
@pytest.mark.parametrize("change", ["replace", "remove", "move", "add", "move in"])
def test_a_folder_that_goes_away_right_after_the_change_gets_its_file_back(
    watched: Path, root: Root, stranger: Callable[[Path], None], change: str
) -> None:
    root.renames = Interrupted(root.renames, lambda: None, lambda: stranger(watched))
    with held(root, "sub/f") as file, held(root, "sub/new") as new, held(root, "free") as free, held(root) as other:
        with pytest.raises(ChangedSinceApproval):
            make("move", other, new) if change == "move in" else make(change, new if change == "add" else file, free)
    assert set(tree(watched.parent).values()) <= {b"old", CANARY}
    assert (watched / "a.txt").exists()
    assert not (watched / "free").exists()
    assert list(watched.parent.rglob("new")) == []
    assert list(watched.parent.rglob(".assent-*")) == []
    assert [path.read_bytes() for path in watched.parent.rglob("f")] == [b"old"]


def traded(watched: Path, slot: Slot) -> tuple[bytes, tuple[int, int]]:
    """As after a swap that brought out what a stranger had just put there."""
    (watched / "sub" / "f").write_bytes(b"first stranger")
    (watched / "sub" / "spare").write_bytes(b"ours")
    ours = identity((watched / "sub" / "spare").stat())
    assert slot.renames.swap(slot.fd, b"spare", b"f")
    assert tree(watched / "sub") == {"f": b"ours", "spare": b"first stranger"}
    return b"spare", ours


def test_two_names_of_one_file_trade_places_and_leave_no_third(watched: Path, slot: Slot) -> None:
    (watched / "sub" / "spare").hardlink_to(watched / "sub" / "f")
    assert slot.renames.swap(slot.fd, b"spare", b"f")
    assert tree(watched / "sub") == {"f": b"old", "spare": b"old"}


def test_a_swap_is_undone(watched: Path, slot: Slot) -> None:
    spare, ours = traded(watched, slot)
    assert slot.give_back(spare, lambda found: identity(found) == ours) == ""
    assert tree(watched / "sub") == {"f": b"first stranger"}


def test_a_second_stranger_keeps_the_place_and_the_first_is_kept_beside(watched: Path, slot: Slot) -> None:
    spare, ours = traded(watched, slot)
    (watched / "new").write_bytes(b"second stranger")
    (watched / "new").replace(watched / "sub" / "f")
    kept = slot.give_back(spare, lambda found: identity(found) == ours)
    assert tree(watched / "sub") == {"f": b"second stranger", Path(kept).name: b"first stranger"}
    assert kept.startswith("sub/.assent-")
    assert kept.endswith(".kept")


def test_what_was_taken_comes_back_also_if_a_stranger_deletes_ours(watched: Path, slot: Slot) -> None:
    spare, ours = traded(watched, slot)
    (watched / "sub" / "f").unlink()
    assert slot.give_back(spare, lambda found: identity(found) == ours) == ""
    assert tree(watched / "sub") == {"f": b"first stranger"}


def test_what_a_stranger_adds_to_our_file_is_not_thrown_away(watched: Path, slot: Slot) -> None:
    spare, _ = traded(watched, slot)
    kept = slot.give_back(spare, lambda _: False)
    assert tree(watched / "sub") == {"f": b"ours", Path(kept).name: b"first stranger"}


def test_what_was_taken_does_not_overwrite_who_came_after(watched: Path, slot: Slot) -> None:
    spare = slot.take()
    (watched / "sub" / "f").write_bytes(b"second stranger")
    kept = slot.put_back(spare)
    assert tree(watched / "sub") == {"f": b"second stranger", Path(kept).name: b"old"}


def test_only_our_own_file_is_withdrawn(watched: Path, slot: Slot) -> None:
    assert slot.withdraw(lambda _: False) == ""
    assert tree(watched / "sub") == {"f": b"old"}
    assert slot.withdraw(lambda _: True) == ""
    assert tree(watched / "sub") == {}
    assert slot.withdraw(lambda _: True) == ""


# The disk


@contextmanager
def files_of_at_most(size: int) -> Generator[None]:
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))


@pytest.mark.parametrize("path", ["a.txt", "new.txt", "x/y/new.txt"])
def test_what_the_disk_does_not_take_leaves_everything_as_it_was(top: Path, root: Root, path: str) -> None:
    with held(root, path, create_parents=True) as file, nothing_changes(top):
        with files_of_at_most(100), pytest.raises(WriteFailed, match="File too large"):
            file.replace(b"x" * 101)


@pytest.mark.parametrize("change", ["replace", "remove", "move"])
def test_a_folder_without_the_right_to_write_says_so(top: Path, root: Root, change: str) -> None:
    with held(root) as file, held(root, "sub/new") as other, nothing_changes(top):
        top.chmod(0o555)
        (top / "sub").chmod(0o555)
        is_root = os.geteuid() == 0
        if is_root:
            os.seteuid(65534)
        try:
            with pytest.raises(WriteFailed, match="denied"):
                make(change, file, other)
        finally:
            if is_root:
                os.seteuid(0)
            top.chmod(0o755)


# Removing and moving


def test_a_removed_file_is_gone(top: Path, root: Root) -> None:
    with held(root) as file:
        file.remove()
    assert tree(top) == {}


def test_a_link_leads_to_what_is_removed_and_stays(top: Path, root: Root) -> None:
    (top / "link").symlink_to("a.txt")
    with held(root, "link") as file:
        file.remove()
    assert (top / "link").is_symlink()
    assert tree(top) == {}


def test_what_does_not_exist_is_neither_removed_nor_moved(top: Path, root: Root) -> None:
    with held(root, "new") as absent, held(root, "newer") as other, nothing_changes(top):
        with pytest.raises(NoSuchFile):
            absent.remove()
        with pytest.raises(NoSuchFile):
            absent.move_to(other)


@pytest.mark.parametrize("path", ["b.txt", "sub/b.txt", "x/y/b.txt"])
def test_a_moved_file_keeps_its_bytes_and_mode(top: Path, root: Root, path: str) -> None:
    (top / "a.txt").chmod(0o750)
    with held(root) as file, held(root, path, create_parents=True) as place:
        file.move_to(place)
    assert tree(top) == {path: b"old"}
    assert stat.S_IMODE((top / path).stat().st_mode) == 0o750


def test_a_move_replaces_nothing(top: Path, root: Root) -> None:
    (top / "b.txt").write_bytes(b"b")
    with held(root) as file, held(root, "b.txt") as other, nothing_changes(top):
        with pytest.raises(WriteFailed, match="exists already"):
            file.move_to(other)


def other_disk() -> Path:
    return Path("/dev/shm")  # noqa: S108 (another disk, not a place for secrets)


@pytest.fixture
def far(tmp_path: Path) -> Iterator[Path]:
    if not other_disk().is_dir() or other_disk().stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is only one disk here")
    with TemporaryDirectory(dir=other_disk()) as folder:
        yield Path(folder)


def test_a_file_moves_to_another_disk(top: Path, root: Root, way: Way, far: Path) -> None:
    (top / "a.txt").chmod(0o750)
    with closing(Root(far, way=way)) as there, held(root) as file, held(there, "x/b", create_parents=True) as place:
        file.move_to(place)
    assert tree(top) == {}
    assert tree(far) == {"x/b": b"old"}
    assert stat.S_IMODE((far / "x" / "b").stat().st_mode) == 0o750


def test_a_file_that_changed_does_not_move_to_another_disk(top: Path, root: Root, way: Way, far: Path) -> None:
    with closing(Root(far, way=way)) as there, held(root) as file, held(there, "x/b", create_parents=True) as place:
        (top / "a.txt").write_bytes(b"new")
        with nothing_changes(top), nothing_changes(far), pytest.raises(ChangedSinceApproval):
            file.move_to(place)


# Laws


@given(trees, paths, st.sampled_from(["openat2", "walk"]), st.sampled_from(["replace", "remove"]))
def test_no_change_ever_lands_outside(entries: list[Entry], path: str, way: Way, change: str) -> None:
    with planted(entries) as place, closing(place.root(way)) as root:
        around = {path: data for path, data in tree(place.outside).items() if not path.startswith("root/")}
        before = place.inodes()
        try:
            with held(root, path, create_parents=True) as file:
                real, seen = place.real / file.real, file.data
                file.replace(b"ours") if change == "replace" else file.remove()
        except FileError:
            assert place.inodes() == before
        else:
            assert real.resolve() == real
            assert seen in {None, b"inside"}
            assert real.read_bytes() == b"ours" if change == "replace" else not real.exists()
        after = {path: data for path, data in tree(place.outside).items() if not path.startswith("root/")}
        assert after == around
