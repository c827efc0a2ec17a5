"""`assent serve`, started as a user would start it."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from websockets.sync.client import connect

from assent.config import read_settings
from assent.server import hashed
from tests.cli.program import PROGRAM, assent

PROMPT = 'Create a new file called test_sdk.txt with the content "Hello from SDK mode!"'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "p"
    (folder / "work").mkdir(parents=True)
    configuration = "store: ../s/assent.db\nsandbox:\n  paths:\n    work: {root: work, mode: rw}\n"
    (folder / "assent.yaml").write_text(configuration)
    return folder


@contextmanager
def served(project: Path, *arguments: str) -> Generator[tuple[subprocess.Popen[str], str]]:
    """A server in a process of its own, and the link it prints."""
    command = [*PROGRAM, "serve", "--root", str(project / "work"), "--port", "0", "--model", "offline", *arguments]
    process = subprocess.Popen(
        command,
        cwd=project,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    try:
        link = ""
        while not link and (line := process.stdout.readline()):
            link = line.removeprefix("Open ").strip() if line.startswith("Open ") else ""
        assert link, process.communicate(timeout=30)
        yield process, link
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=30)


def signed_in(link: str) -> tuple[str, dict[str, str]]:
    """The address, and what a browser that followed the link sends."""
    address, _, code = link.partition("/agent#code=")
    made = httpx.post(f"{address}/api/session", json={"code": code}, headers={"Origin": address})
    assert made.status_code == 200
    ((name, value),) = made.cookies.items()
    return address, {"Cookie": f"{name}={value}", "Origin": address}


def test_from_the_link_to_a_file_on_disk_and_out_again(project: Path) -> None:
    with served(project) as (process, link):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/agent#code=[\w-]{43}", link)
        address, headers = signed_in(link)
        assert "assent" in httpx.get(f"{address}/agent").text
        with connect(f"{address.replace('http', 'ws')}/api/terminal/ws/agent", additional_headers=headers) as client:
            client.send(json.dumps({"command": "run", "prompt": PROMPT, "permission_mode": "sdk"}))
            while (told := json.loads(client.recv(30)))["type"] != "tool_approval_request":
                pass
            answer = {"command": "tool_approval_response", "request_id": told["request_id"], "approved": True}
            client.send(json.dumps(answer))
            while (told := json.loads(client.recv(30)))["type"] != "result":
                pass
        assert told["subtype"] == "success"
        assert (project / "work" / "test_sdk.txt").read_text().strip() == "Hello from SDK mode!"
        again = assent("serve", "--link", "--root", str(project))
        assert again.returncode == 0
        signed_in(again.stdout.strip())
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
        assert not (project.parent / "s" / "server.sock").exists()
    log = assent("log", "--config", str(project / "assent.yaml"))
    assert "test_sdk.txt" in log.stdout


def ran(link: str, mode: str) -> list[dict[str, object]]:
    """What a browser hears that starts the agent in a mode; it answers nothing."""
    address, headers = signed_in(link)
    heard: list[dict[str, object]] = []
    with connect(f"{address.replace('http', 'ws')}/api/terminal/ws/agent", additional_headers=headers) as client:
        client.send(json.dumps({"command": "run", "prompt": PROMPT, "permission_mode": mode}))
        while not heard or heard[-1]["type"] not in ("result", "error", "tool_approval_request"):
            heard.append(json.loads(client.recv(30)))
    return heard


def test_strict_asks_nobody_whatever_the_file_says_and_the_browser_wants(project: Path) -> None:
    with (project / "assent.yaml").open("a") as text:
        text.write("server: {allow_bypass: true}\n")
    for mode in ("sdk", "bypassPermissions"):
        with served(project, "--strict") as (_, link):
            heard = ran(link, mode)
        assert "tool_approval_request" not in {each["type"] for each in heard}
        assert not (project / "work" / "test_sdk.txt").exists()


def test_approve_all_lets_a_browser_run_it_unseen_and_only_if_it_wants_that(project: Path) -> None:
    with (project / "assent.yaml").open("a") as text:
        text.write("approvals: {mode: strict}\n")
    # First what leaves no question behind: what waits is told to every server on the record.
    with served(project) as (_, link):
        assert "bypass_not_allowed" in str(ran(link, "bypassPermissions"))
    with served(project, "--approve-all") as (_, link):
        assert ran(link, "bypassPermissions")[-1]["type"] == "result"
        (project / "work" / "test_sdk.txt").unlink()
    with served(project, "--approve-all") as (process, link):
        assert process.stdout is not None
        said = "".join(iter(process.stdout.readline, "For trusted work only; what policy denies stays denied.\n"))
        assert "may run the agent without being asked" in said
        assert ran(link, "sdk")[-1]["type"] == "tool_approval_request"
        assert not (project / "work" / "test_sdk.txt").exists()


def test_a_configuration_that_approves_all_does_so_for_a_browser_that_wants_it(project: Path) -> None:
    with (project / "assent.yaml").open("a") as text:
        text.write("approvals: {mode: approve_all}\n")
    with served(project) as (process, link):
        assert process.stdout is not None
        said = "".join(iter(process.stdout.readline, "For trusted work only; what policy denies stays denied.\n"))
        assert "approvals.mode is approve_all: whoever is signed in may run the agent without being asked." in said
        assert ran(link, "bypassPermissions")[-1]["type"] == "result"
        assert (project / "work" / "test_sdk.txt").exists()


def test_a_wrong_start_says_what_is_wrong(project: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        busy = assent("serve", "--root", str(project), "--port", port, "--model", "offline")
    assert (busy.returncode, busy.stdout) == (2, "")
    assert f"127.0.0.1:{port} is taken" in busy.stderr
    no_port = assent("serve", "--root", str(project), "--port", "99999", "--model", "offline")
    assert (no_port.returncode, no_port.stdout) == (2, "")
    assert "there is no port 99999" in no_port.stderr
    nowhere = assent("serve", "--root", str(project / "nowhere"))
    assert nowhere.returncode == 2
    assert "is no folder" in nowhere.stderr
    nobody = assent("serve", "--link", "--root", str(project))
    assert nobody.returncode == 2
    assert "no server is behind" in nobody.stderr


@pytest.mark.parametrize("name", ["ana", "a: b", "no", "null", "12", "Zoë #1", 'x"y'])
def test_a_new_token_is_what_the_configuration_takes(project: Path, name: str) -> None:
    done = assent("serve", "--new-token", name)
    assert done.returncode == 0
    token = done.stdout.splitlines()[0].rpartition(" ")[2]
    file = project / "assent.yaml"
    with file.open("a") as text:
        text.write("\n".join(done.stdout.splitlines()[2:]) + "\n")
    assert dict(read_settings(file).server.approvers) == {name: hashed(token)}


@pytest.mark.parametrize("name", ["", " ", "a\nb", "a/b", ".a", "a\u202eb", "ana "])
def test_what_is_no_name_gets_no_token(name: str) -> None:
    done = assent("serve", "--new-token", name)
    assert (done.returncode, done.stdout) == (2, "")
    assert "is no name" in done.stderr
