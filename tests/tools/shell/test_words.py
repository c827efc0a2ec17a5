from __future__ import annotations

import subprocess
from random import Random

from assent.tools.shell._scan import Scanner

PIECES = [
    *"abc-=.,/:@%+",
    *("' '", '"b c"', "\\ ", "\\'", '\\"', "\\\\", '"\\$a\\`\\\\b"', "'\\'", "$'a\\tb'", "$'\\x41\\u00e9\\101'"),
    *(
        '""',
        "''",
        '"\'"',
        "'\"'",
        "a#b",
        "!",
        "^",
        "{}",
        "{a}",
        "[",
        "]x",
        "é",
        '"$"',
        "$",
        "'$x'",
        "'`'",
        "'\n'",
        '"\n"',
    ),
]


def test_words_mean_what_bash_makes_of_them() -> None:
    random = Random(4)  # noqa: S311 (made-up words need no secrets)
    words = ["".join(random.choices(PIECES, k=random.randint(1, 6))) for _ in range(2000)]
    sure: list[tuple[str, str]] = []
    for word in words:
        scanner = Scanner(f"x {word}")
        scanner.read()
        simple = scanner.commands[0]
        readable = all(doubt.kind != "unparsable" for doubt in scanner.doubts)
        if readable and len(simple.words) == 2 and simple.words[1].value is not None:
            sure.append((word, simple.words[1].value))
    assert len(sure) > 1000
    script = "\n".join(f"printf '%s\\0' {word}" for word, _ in sure)
    done = subprocess.run(["bash", "--noprofile", "--norc", "-c", script], capture_output=True, check=True)
    assert done.stdout.decode().split("\0")[:-1] == [value for _, value in sure]
