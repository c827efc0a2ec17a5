"""No path gets out of a root, by either way of resolving; what stays inside works."""

# ruff: noqa: PTH116, PTH208 (names relative to open folders, and names that pathlib would tidy up)
# ruff: noqa: FBT003 (an example is a row)

from __future__ import annotations

import errno
import os
import socket
import stat
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assent.errors import (
    ConfigError,
    FileError,
    InvalidPath,
    IsDirectory,
    NoSuchFile,
    NotDirectory,
    NotRegularFile,
    PathNotInSandboxError,
    WriteFailed,
)
from assent.tools.files.disk._making import make_folders
from assent.tools.files.disk._openat2 import openat2
from assent.tools.files.disk._root import Root, Way, check_spelling
from assent.tools.files.disk._walk import _Position, walk
from tests.tools.files.trees import CANARY, Entry, identity, paths, planted, trees

WAYS: list[Way] = ["openat2", "walk"]


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> Way:
    chosen: Way = request.param
    return chosen


@pytest.fixture
def top(tmp_path: Path) -> Path:
    folder = tmp_path / "outside" / "house"
    (folder / "sub" / "deep").mkdir(parents=True)
    (folder / "a.txt").write_bytes(b"a")
    (folder / "sub" / "b.txt").write_bytes(b"b")
    (folder / "sub" / "deep" / "c.txt").write_bytes(b"c")
    (tmp_path / "outside" / "secret.txt").write_bytes(CANARY)
    (tmp_path / "outside" / "private").mkdir()
    (tmp_path / "outside" / "private" / "b.txt").write_bytes(CANARY)
    return folder


@pytest.fixture
def root(top: Path, way: Way) -> Iterator[Root]:
    with closing(Root(top, way=way)) as opened:
        yield opened


def content(root: Root, path: str) -> bytes:
    with os.fdopen(root.regular(path), "rb") as file:
        return file.read()


def test_this_machine_tries_both_ways() -> None:
    assert openat2() is not None


def test_the_kernels_way_is_taken_where_there_is_one(top: Path) -> None:
    with closing(Root(top)) as root:
        assert root.way == "openat2"


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a.txt", b"a"),
        ("sub/b.txt", b"b"),
        ("sub/../a.txt", b"a"),
        ("./sub/./deep/../b.txt", b"b"),
        ("sub//deep///c.txt", b"c"),
        ("sub/deep/../../sub/b.txt", b"b"),
    ],
)
def test_a_path_that_stays_inside_is_opened(root: Root, path: str, found: bytes) -> None:
    assert content(root, path) == found


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("..", PathNotInSandboxError.code),
        ("../secret.txt", PathNotInSandboxError.code),
        ("sub/../../secret.txt", PathNotInSandboxError.code),
        ("../house/a.txt", PathNotInSandboxError.code),
        ("sub/deep/../../../house/a.txt", PathNotInSandboxError.code),
        ("missing.txt", NoSuchFile.code),
        ("missing/../a.txt", NoSuchFile.code),
        ("missing/../../secret.txt", NoSuchFile.code),
        ("a.txt/b", NotDirectory.code),
        ("a.txt/", NotDirectory.code),
        ("a.txt/.", NotDirectory.code),
        ("a.txt/..", NotDirectory.code),
        ("a.txt/../../secret.txt", NotDirectory.code),
        ("sub", IsDirectory.code),
        ("sub/", IsDirectory.code),
        (".", IsDirectory.code),
        ("sub/..", IsDirectory.code),
    ],
)
def test_a_path_that_leads_elsewhere_is_refused_by_name(root: Root, path: str, code: str) -> None:
    with pytest.raises(FileError) as caught:
        root.regular(path)
    assert caught.value.code == code
    assert repr(path) in str(caught.value)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/etc/passwd",
        "/",
        "//a.txt",
        "a\0.txt",
        "\0",
        "a.txt\0/../../secret.txt",
        "x" * 256,
        "é" * 128,
        "sub/" + "x" * 256 + "/..",
        "x/" * 2048,
        "\ud800.txt",
        "a\udfff",
    ],
)
def test_what_no_file_can_be_called_is_refused_before_the_disk_is_touched(tmp_path: Path, way: Way, path: str) -> None:
    root = Root(tmp_path, way=way)
    root.close()  # whoever asks the disk now hears that the root is not open
    for call in (root.open, root.regular, root.folder, check_spelling):
        with pytest.raises(InvalidPath):
            call(path)


@pytest.mark.parametrize("path", ["~", "~/a.txt", "~root/.ssh/id"])
def test_a_home_folder_is_no_path(path: str) -> None:
    with pytest.raises(InvalidPath, match="~"):
        check_spelling(path)


@pytest.mark.parametrize("path", ["a.txt", "sub/~", "x" * 255, "é" * 127, "a/" * 2047, "$HOME/%41", "..", "a\nb", " "])
def test_what_can_be_a_path_is_left_to_the_disk(path: str) -> None:
    check_spelling(path)


def test_a_closed_root_opens_nothing_even_if_its_number_is_anothers(top: Path, way: Way) -> None:
    root = Root(top, way=way)
    number = root.fd
    root.close()
    other = os.open(top, os.O_RDONLY)
    try:
        assert other == number
        with pytest.raises(FileError):
            root.open("a.txt")
    finally:
        os.close(other)


@pytest.mark.parametrize(
    "name",
    [
        "line\nbreak",
        "e\u0301.txt",
        "\u00e9.txt",
        "~",
        "$HOME",
        "%2e%2e",
        "a\\b",
        "\u202etxt.exe",
        "-rf",
        "latin-\udce9",
        "gone (deleted)",
        "x" * 255,
    ],
)
def test_a_name_means_its_bytes_and_nothing_else(top: Path, root: Root, name: str) -> None:
    (top / name).write_bytes(b"named")
    fd = root.regular(name)
    try:
        assert os.read(fd, 9) == b"named"
        assert root.where(fd) == name
    finally:
        os.close(fd)
    assert [each for each in os.listdir(top) if each not in {"sub", "a.txt"}] == [name]


def test_two_unicode_forms_of_a_name_are_two_files(top: Path, root: Root) -> None:
    (top / "e\u0301").write_bytes(b"decomposed")
    with pytest.raises(NoSuchFile):
        root.open("\u00e9")


def test_a_thousand_folders_deep_is_not_too_deep(tmp_path: Path, way: Way, request: pytest.FixtureRequest) -> None:
    depth = 1000
    here = os.open(tmp_path, os.O_RDONLY)
    request.addfinalizer(lambda: subprocess.run(["rm", "-rf", tmp_path / "d"], check=True))  # deeper than Python dives
    for _ in range(depth):
        os.mkdir("d", dir_fd=here)
        deeper = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(os.open("f", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)
    with closing(Root(tmp_path, way=way)) as root:
        os.close(root.regular("d/" * depth + "f"))
        os.close(root.regular("d/" * depth + "../" * 5 + "d/" * 5 + "f"))
        with pytest.raises(PathNotInSandboxError):
            root.open("d/" * 800 + "../" * 801)


# Links


@pytest.mark.parametrize(
    ("link", "target", "path", "found"),
    [
        ("link", "a.txt", "link", b"a"),
        ("sub/link", "../a.txt", "sub/link", b"a"),
        ("link", "sub", "link/b.txt", b"b"),
        ("link", "sub/deep", "link/../b.txt", b"b"),
        ("link", "sub/", "link/b.txt", b"b"),
        ("link", "./sub/../sub//deep/c.txt", "link", b"c"),
        ("link", "{real}/sub/b.txt", "link", b"b"),
        ("link", "{real}", "link/a.txt", b"a"),
        ("link", "{real}/sub", "link/../a.txt", b"a"),
        ("sub/deep/link", "{real}/./sub//", "sub/deep/link/b.txt", b"b"),
    ],
)
def test_a_link_that_stays_inside_is_followed(
    top: Path, root: Root, link: str, target: str, path: str, found: bytes
) -> None:
    (top / link).symlink_to(target.format(real=top.resolve()))
    assert content(root, path) == found


@pytest.mark.parametrize(
    ("link", "target", "path"),
    [
        ("link", "../secret.txt", "link"),
        ("link", "..", "link/secret.txt"),
        ("link", "../private", "link/b.txt"),
        ("link", "..", "link/house/a.txt"),
        ("link", "../house/a.txt", "link"),
        ("sub/link", "../../secret.txt", "sub/link"),
        ("link", "/etc/passwd", "link"),
        ("link", "/", "link/etc/passwd"),
        ("link", "/dev/null", "link"),
        ("link", "/proc/self/cwd/secret.txt", "link"),
        ("link", "{outside}/secret.txt", "link"),
        ("link", "{real}/../secret.txt", "link"),
        ("link", "{real}/../house/a.txt", "link"),
        ("link", "{real}x/../house/a.txt", "link"),
        ("link", "{real}/sub", "link/../../secret.txt"),
        ("link", "../nowhere", "link"),
    ],
)
def test_a_link_that_leaves_is_refused_even_if_it_comes_back(
    top: Path, root: Root, link: str, target: str, path: str
) -> None:
    (top / link).symlink_to(target.format(real=top.resolve(), outside=top.parent.resolve()))
    for call in (root.open, root.regular, root.folder):
        with pytest.raises(PathNotInSandboxError):
            call(path)
    with pytest.raises(PathNotInSandboxError):
        root.folder(f"{path}/new", create=True)


def test_a_chain_of_forty_links_is_followed_and_not_one_more(top: Path, root: Root) -> None:
    (top / "link0").symlink_to("a.txt")
    for number in range(1, 41):
        (top / f"link{number}").symlink_to(f"link{number - 1}")
    assert content(root, "link39") == b"a"
    with pytest.raises(InvalidPath):
        root.open("link40")


@pytest.mark.parametrize("target", ["link", "./sub/../link", "{real}/link", "link/x"])
def test_links_in_a_circle_are_refused(top: Path, root: Root, target: str) -> None:
    (top / "link").symlink_to(target.format(real=top.resolve()))
    with pytest.raises(InvalidPath):
        root.open("link")


def test_a_link_to_nothing_leads_to_nothing(top: Path, root: Root) -> None:
    (top / "link").symlink_to("sub/missing")
    with pytest.raises(NoSuchFile):
        root.open("link")
    with pytest.raises(NoSuchFile, match="symbolic link"):
        root.folder("link/new", create=True)
    assert not (top / "sub" / "missing").exists()


@pytest.mark.parametrize(("link", "path"), [("link", "link"), ("sub/link", "sub/link"), ("way", "way/b.txt")])
def test_where_links_are_not_wanted_none_is_followed(top: Path, root: Root, link: str, path: str) -> None:
    (top / link).symlink_to(top / "sub" if link == "way" else top / "a.txt")
    os.close(root.open(path))
    with pytest.raises(InvalidPath):
        root.open(path, links=False)
    os.close(root.open("sub/../a.txt", links=False))


def test_a_hard_link_counts_as_the_file_it_is(top: Path, root: Root) -> None:
    (top / "hard").hardlink_to(top / "a.txt")
    assert content(root, "hard") == b"a"


# Special files


def special(top: Path, kind: str) -> None:
    path = top / "special"
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "socket":
            with closing(socket.socket(socket.AF_UNIX)) as server:
                home = os.open(top, os.O_RDONLY)
                try:
                    server.bind(f"/proc/self/fd/{home}/special")
                finally:
                    os.close(home)
        case _:
            try:
                os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
            except PermissionError:
                pytest.skip("only root makes devices")


@pytest.mark.parametrize("kind", ["pipe", "socket", "device"])
def test_what_is_no_regular_file_is_refused_and_never_waited_for(top: Path, root: Root, kind: str) -> None:
    special(top, kind)
    (top / "link").symlink_to("special")
    for path in ("special", "link", "sub/../special"):
        with pytest.raises(NotRegularFile):
            root.regular(path)


def test_opening_a_pipe_does_not_wait_for_its_other_end(top: Path, root: Root) -> None:
    special(top, "pipe")
    os.close(root.open("special"))
    with pytest.raises(NotRegularFile):
        root.open("special", os.O_WRONLY)


def test_whoever_waits_to_write_to_a_pipe_is_not_woken_by_a_look(top: Path, root: Root) -> None:
    special(top, "pipe")
    woken = threading.Event()

    def write() -> None:
        fd = os.open(top / "special", os.O_WRONLY)
        woken.set()
        os.close(fd)

    writer = threading.Thread(target=write)
    writer.start()
    for _ in range(2000):
        with pytest.raises(NotRegularFile):
            root.regular("special")
    assert not woken.is_set()
    os.close(os.open(top / "special", os.O_RDONLY))
    writer.join()


# Flags and rights


def test_nothing_is_created_or_emptied_by_opening(root: Root) -> None:
    for flags in (os.O_CREAT, os.O_TRUNC, os.O_NOFOLLOW, os.O_TMPFILE):
        with pytest.raises(ValueError, match="existing"):
            root.open("a.txt", os.O_RDWR | flags)


def test_what_is_opened_is_not_inherited_and_does_not_block(root: Root) -> None:
    fd = root.open("a.txt", os.O_RDWR)
    try:
        assert not os.get_inheritable(fd)
        assert not os.get_blocking(fd)
    finally:
        os.close(fd)


def test_a_folder_is_not_opened_for_writing(root: Root) -> None:
    with pytest.raises(IsDirectory):
        root.open("sub", os.O_WRONLY)


@pytest.fixture
def nobody(top: Path, root: Root) -> Iterator[None]:
    """Somebody who may not read the file or search the folder; the root was opened before."""
    (top / "a.txt").chmod(0)
    (top / "sub").chmod(0o644)
    if os.geteuid() == 0:
        os.seteuid(65534)
        yield
        os.seteuid(0)
    else:
        top.chmod(0o555)
        yield
        top.chmod(0o755)
    (top / "sub").chmod(0o755)


@pytest.mark.usefixtures("nobody")
def test_a_file_without_the_right_to_it_says_so(root: Root) -> None:
    os.close(root.open("sub/"))
    for path in ("a.txt", "sub/b.txt", "sub/.", "sub/..", "sub/../a.txt"):
        with pytest.raises(FileError, match="denied") as caught:
            root.open(path)
        assert type(caught.value) is FileError
    with pytest.raises(WriteFailed, match="denied"):
        root.open("a.txt", os.O_RDWR)
    with pytest.raises(WriteFailed, match="denied"):
        root.folder("new", create=True)


# Folders


def test_a_folder_is_opened_for_listing(root: Root) -> None:
    fd = root.folder("sub")
    try:
        assert sorted(os.listdir(fd)) == ["b.txt", "deep"]
    finally:
        os.close(fd)


@pytest.mark.parametrize("path", ["new", "sub/new/newer/", "./sub//new/./newer", "sub/../new/newer", "link/new"])
def test_missing_folders_are_made_one_by_one(top: Path, root: Root, path: str) -> None:
    (top / "link").symlink_to(top / "sub" / "deep")
    fd = root.folder(path, create=True)
    try:
        assert identity(os.fstat(fd)) == identity((top / path).stat())
        assert os.listdir(fd) == []
    finally:
        os.close(fd)
    os.close(root.folder(path, create=True))


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("a.txt", NotDirectory.code),
        ("a.txt/new", NotDirectory.code),
        ("new/../newer", NoSuchFile.code),
        ("new/../../secret", NoSuchFile.code),
        ("../new", PathNotInSandboxError.code),
        ("out/new", PathNotInSandboxError.code),
    ],
)
def test_folders_are_made_only_where_the_path_leads(top: Path, root: Root, path: str, code: str) -> None:
    (top / "out").symlink_to("../private")
    before = sorted(os.listdir(top)), sorted(os.listdir(top.parent)), os.listdir(top.parent / "private")
    with pytest.raises(FileError) as caught:
        root.folder(path, create=True)
    assert caught.value.code == code
    assert (sorted(os.listdir(top)), sorted(os.listdir(top.parent)), os.listdir(top.parent / "private")) == before


def test_a_folder_made_in_one_that_is_moved_out_meanwhile_is_taken_back(top: Path, root: Root) -> None:
    class Moving:
        """The root, where somebody moves the folder away between the look and the touch."""

        looks = 0
        open = staticmethod(root.open)

        def where(self, fd: int) -> str:
            self.looks += 1
            path = root.where(fd) if self.looks == 1 else ""
            if self.looks == 1:
                (top / "sub").rename(top.parent / "sub")
            return path or root.where(fd)

    base = root.open("sub", os.O_PATH)
    try:
        with pytest.raises(PathNotInSandboxError):
            make_folders(Moving(), base, [b"new", b"newer"], "sub/new/newer")
    finally:
        os.close(base)
    assert sorted(os.listdir(top.parent / "sub")) == ["b.txt", "deep"]


# The root itself


def test_a_root_may_be_configured_by_a_link(top: Path, tmp_path: Path, way: Way) -> None:
    link = tmp_path / "link"
    link.symlink_to(top)
    (top / "absolute").symlink_to(link / "sub" / "b.txt")
    with closing(Root(link, way=way)) as root:
        assert root.path == top.resolve()
        assert content(root, "a.txt") == b"a"
        assert content(root, "absolute") == b"b"
        # The link is resolved once; where it points later does not matter.
        link.unlink()
        link.symlink_to(top.parent / "private")
        assert content(root, "sub/b.txt") == b"b"
        assert content(root, "absolute") == b"b"


def test_a_root_that_is_moved_takes_its_files_along(top: Path, root: Root) -> None:
    fd = root.open("sub/b.txt")
    moved = top.rename(top.parent / "moved")
    top.mkdir()
    (top / "a.txt").write_bytes(CANARY)
    try:
        assert content(root, "a.txt") == b"a"
        assert root.where(fd) == "sub/b.txt"
        (moved / "link").symlink_to("sub/b.txt")
        assert content(root, "link") == b"b"
    finally:
        os.close(fd)


def test_a_missing_root_is_a_mistake_in_the_configuration(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="create the folder"):
        Root(tmp_path / "missing")
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="not a folder"):
        Root(tmp_path / "file")
    with pytest.raises(ConfigError):
        Root(tmp_path / "a\0b")


def test_a_root_of_everything_reaches_everything(way: Way, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "f")
    (tmp_path / "f").write_bytes(b"f")
    with closing(Root(Path("/"), way=way)) as root:
        fd = root.open(str(tmp_path / "link")[1:])
        try:
            assert root.where(fd) == str((tmp_path / "f").resolve())[1:]
        finally:
            os.close(fd)


# Whereabouts


def test_an_open_file_knows_where_it_really_is(top: Path, root: Root) -> None:
    (top / "link").symlink_to("sub")
    for path, real in [("link/b.txt", "sub/b.txt"), (".", ""), ("sub/..", ""), ("link/", "sub")]:
        fd = root.open(path)
        try:
            assert root.where(fd) == real
        finally:
            os.close(fd)


def test_what_was_moved_out_or_deleted_is_nowhere(top: Path, root: Root) -> None:
    moved, deleted, neighbour = root.open("a.txt"), root.open("sub/b.txt"), root.open("sub/deep/c.txt")
    (top / "a.txt").rename(top.parent / "a.txt")
    (top / "sub" / "b.txt").unlink()
    (top / "sub" / "deep").rename(top.parent / "house-and-more")
    for fd in (moved, deleted, neighbour):
        with pytest.raises(PathNotInSandboxError):
            root.where(fd)
        os.close(fd)


def test_a_deleted_file_is_not_taken_for_one_that_is_called_so(top: Path, root: Root) -> None:
    fd = root.open("a.txt")
    (top / "a.txt").unlink()
    (top / "a.txt (deleted)").touch()
    try:
        with pytest.raises(PathNotInSandboxError):
            root.where(fd)
    finally:
        os.close(fd)


# A stranger in the middle of a walk


def test_what_is_found_in_a_folder_that_was_moved_out_is_not_handed_out(top: Path) -> None:
    with closing(Root(top)) as root:

        def moved(folder: int) -> bool:
            assert identity(os.fstat(folder)) == identity((top / "sub").stat())
            (top / "sub").rename(top.parent / "sub")
            return root._hangs(folder)

        before = os.listdir("/proc/self/fd")
        with pytest.raises(BlockingIOError):
            walk(root.fd, b"sub/b.txt", os.O_RDONLY, links=True, inside=root._inside, hangs=moved)
        assert os.listdir("/proc/self/fd") == before


def test_the_parent_of_a_folder_that_is_moved_out_is_not_entered(top: Path) -> None:
    position = _Position(os.open(top, os.O_RDONLY), lambda _: True)
    with position:
        assert position.enter(b"sub") is None
        assert position.enter(b"deep") is None
        (top / "sub" / "deep").rename(top.parent / "deep")
        with pytest.raises(BlockingIOError):
            position.turn(b"..")
    os.close(position.fd)


# Laws


def outcome(root: Root, path: str, flags: int, *, links: bool) -> tuple[int, int] | str:
    """What was opened, or the code of why not."""
    try:
        fd = root.open(path, flags, links=links)
    except FileError as error:
        return error.code
    try:
        if not flags & os.O_PATH and stat.S_ISREG(os.fstat(fd).st_mode):
            assert os.read(fd, 100) != CANARY
        return identity(os.fstat(fd))
    finally:
        os.close(fd)


LOOP = [Entry(at="a", kind="link", target="{real}/b"), Entry(at="b", kind="link", target="a/../b")]
DEEP = [Entry(at="ab", kind="file", target="."), Entry(at="b", kind="link", target="{configured}/a//./")]


@given(trees, paths, st.sampled_from([os.O_RDONLY, os.O_PATH, os.O_DIRECTORY]), st.booleans())
@example(LOOP, "a/", os.O_RDONLY, True)
@example(DEEP, "b/b", os.O_RDONLY, True)
@example(DEEP, "b/../b/..", os.O_PATH, True)
def test_both_ways_answer_alike_and_never_from_outside(
    tree: list[Entry],
    path: str,
    flags: int,
    links: bool,  # noqa: FBT001 (an example is a row)
) -> None:
    with (
        planted(tree) as place,
        closing(place.root("openat2")) as kernel,
        closing(place.root("walk")) as walk,
    ):
        found = outcome(kernel, path, flags, links=links)
        assert outcome(walk, path, flags, links=links) == found
        if isinstance(found, tuple):
            assert found in place.inodes()


PLAIN = {errno.ENOENT: NoSuchFile.code, errno.ENOTDIR: NotDirectory.code, errno.ELOOP: InvalidPath.code}


@given(trees, paths, st.sampled_from(["openat2", "walk"]))
def test_what_stays_inside_is_what_the_system_itself_finds(tree: list[Entry], path: str, way: Way) -> None:
    with planted(tree) as place, closing(place.root(way)) as root:
        found = outcome(root, path, os.O_PATH, links=True)
        try:
            plain: tuple[int, int] | str = identity(os.stat(f"{place.real}/{path}"))
        except OSError as error:
            plain = PLAIN[error.errno or 0]
        assert found in {plain, PathNotInSandboxError.code}


@given(trees, paths, st.sampled_from(["openat2", "walk"]))
def test_no_folder_is_ever_made_outside(tree: list[Entry], path: str, way: Way) -> None:
    with planted(tree) as place, closing(place.root(way)) as root:
        before = sorted(os.walk(place.outside / "b")), sorted(os.listdir(place.outside))
        try:
            fd = root.folder(path, create=True)
        except FileError:
            pass
        else:
            found = identity(os.fstat(fd))
            os.close(fd)
            assert found in place.inodes()
        assert (sorted(os.walk(place.outside / "b")), sorted(os.listdir(place.outside))) == before
