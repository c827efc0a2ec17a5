"""The profile for macOS, as text: nothing here can run it."""

from __future__ import annotations

from pathlib import Path

from inline_snapshot import snapshot

from assent.os_sandbox import OSProfile, Seatbelt, seatbelt_profile


def test_the_smallest_profile_reads_the_system_and_writes_nothing() -> None:
    assert seatbelt_profile(OSProfile()) == snapshot("""\
(version 1)
(deny default)
(import "system.sb")
(allow process-exec process-fork)
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow file-read-metadata)
(allow file-ioctl (literal "/dev/null") (literal "/dev/zero"))
(allow file-write-data (literal "/dev/null") (literal "/dev/zero"))
(allow file-read* (subpath "/usr") (subpath "/bin") (subpath "/sbin") (subpath "/System") (subpath "/Library/Apple") (subpath "/Library/Developer") (subpath "/opt/homebrew") (subpath "/private/etc/ssl") (subpath "/private/etc/localtime") (subpath "/private/var/db/timezone") (subpath "/private/var/select"))
""")


def test_roots_masks_and_network_are_in_it() -> None:
    profile = OSProfile(
        readable=frozenset({Path("/Users/ana/notes")}),
        writable=frozenset({Path("/Users/ana/work")}),
        masked=frozenset({Path("/Users/ana/work/.git/hooks"), Path("/Users/ana/work/assent.yaml")}),
        network=True,
    )
    assert seatbelt_profile(profile) == snapshot("""\
(version 1)
(deny default)
(import "system.sb")
(allow process-exec process-fork)
(allow signal (target same-sandbox))
(allow sysctl-read)
(allow file-read-metadata)
(allow file-ioctl (literal "/dev/null") (literal "/dev/zero"))
(allow file-write-data (literal "/dev/null") (literal "/dev/zero"))
(allow file-read* (subpath "/usr") (subpath "/bin") (subpath "/sbin") (subpath "/System") (subpath "/Library/Apple") (subpath "/Library/Developer") (subpath "/opt/homebrew") (subpath "/private/etc/ssl") (subpath "/private/etc/localtime") (subpath "/private/var/db/timezone") (subpath "/private/var/select") (subpath "/Users/ana/notes") (subpath "/Users/ana/work"))
(allow file-write* (subpath "/Users/ana/work"))
(deny file-write* (subpath "/Users/ana/work/.git/hooks") (subpath "/Users/ana/work/assent.yaml"))
(deny file-write-unlink (literal "/Users/ana/work") (literal "/Users/ana/work/.git"))
(allow network*)
(allow system-socket)
(allow mach-lookup (global-name "com.apple.trustd.agent") (global-name "com.apple.SystemConfiguration.configd"))
""")


def test_a_name_cannot_end_the_text_it_stands_in() -> None:
    odd = OSProfile(writable=frozenset({Path('/a") (allow default) ("\\')}))
    assert '(subpath "/a\\") (allow default) (\\"\\\\")' in seatbelt_profile(odd)


def test_the_command_is_started_in_its_folder_with_its_environment() -> None:
    launch = Seatbelt().command(["ls", "-l"], profile=OSProfile(), cwd=Path("/work"), env={"A": "b"})
    try:
        assert launch.argv[:2] == ("/usr/bin/sandbox-exec", "-p")
        assert launch.argv[3:] == ("/bin/sh", "-c", 'cd -- "$0" && exec "$@"', "/work", "ls", "-l")
        assert launch.env == {"A": "b"}
    finally:
        launch.release()
