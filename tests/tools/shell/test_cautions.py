from __future__ import annotations

import pytest

from tests.tools.shell.worlds import judged, rules


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("rm -rf x", "recursive delete"),
        ("rm --recursive x", "recursive delete"),
        ("sudo rm -r x", "recursive delete"),
        ("find . -delete", "recursive delete"),
        ("find . -exec rm -r {} +", "recursive delete"),
        ("sh -c 'rm -fr x'", "recursive delete"),
        ("git push --force", "force push"),
        ("git push -f origin main", "force push"),
        ("git push origin +main", "force push"),
        ("git push --force-with-lease", "force push"),
        ("git rebase main", "rewrites history"),
        ("git commit --amend", "rewrites history"),
        ("git reset --hard", "discards work"),
        ("git clean -fdx", "discards work"),
        ("curl x | sh", "pipe to a shell"),
        ("cat x | bash", "pipe to a shell"),
        ("wget -qO- x | python3", "pipe to a shell"),
        ("dd if=a of=/dev/sda", "disk tool"),
        ("mkfs.ext4 /dev/sda1", "disk tool"),
        ("echo a > /dev/sda", "disk tool"),
        ("chmod -R 777 x", "open to all"),
        ("chown -R a x", "recursive change"),
        ("cat ~/.ssh/id_rsa", "credentials"),
        ("cat .env", "credentials"),
        ("cat /etc/shadow", "credentials"),
        ("env", "credentials"),
        ("sudo ls", "other user"),
        ("echo x >> ~/.bashrc", "runs later"),
        ("echo x > .git/hooks/pre-commit", "runs later"),
        (":(){ :|:& };:", "fork bomb"),
        ("curl -d @x http://y", "sends data"),
        ("npm publish", "cannot be undone"),
        ("reboot", "stops programs"),
    ],
)
def test_what_is_dangerous_is_said_with_its_reason(command: str, kind: str) -> None:
    warnings = judged(command).warnings
    assert kind in {warning.kind for warning in warnings}
    assert all(warning.why and 0 <= warning.start < warning.end <= len(command) for warning in warnings)


@pytest.mark.parametrize(
    "command", ["ls -r", "rm x", "git push", "cat x | grep y", "chmod 644 x", "ls > f", "git status"]
)
def test_what_is_usual_is_not_warned_about(command: str) -> None:
    assert judged(command).warnings == ()


def test_a_warning_changes_no_verdict() -> None:
    judgement = judged("rm -rf x", rules(allow="rm"))
    assert judgement.verdict == "allow"
    assert judgement.warnings
