"""Makes shell commands nobody would write: the corpus, spelled, wrapped, nested, joined and damaged."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

LEAVES = (
    *("rm x", "rm -rf x", "rm", "ls", "ls -la", "cat f", "echo a", "git status", "echo 'a b' c", "grep x f"),
    *("frobnicate x", "wc -l f", "head -n 1 f", "sort f", "echo rm x", "find . -name x", "printf %s a", "true"),
)

# Braces stand for what is put in; a second pair gets another command.
CONTAINERS = (
    *("{} && {}", "{} || {}", "{}; {}", "{}\n{}", "{} | {}", "{} & {}", "{} |& {}", "{} &", "({})", "( {}; {} )"),
    *("{{ {}; }}", "! {}", "time {}", "time -p {}", "if {}; then {}; fi", "if {}; then :; else {}; fi"),
    *(
        "for i in 1; do {}; done",
        "for i in $({}); do {}; done",
        "while {}; do {}; break; done",
        "until {}; do {}; done",
    ),
    *("case a in a) {};; esac", "case $({}) in *) {};; esac", "f() {{ {}; }}; f", "function f {{ {}; }}; {}"),
    *("echo $({})", 'echo "$({})"', "echo `{}`", "cat <({})", "echo ${{x:-$({})}}", "echo $((1+$({})))", "x=$({})"),
    *("cat <<E\n$({})\nE", "cat <<'E'\n$({})\nE\n{}", 'cat <<< "$({})"', "cat <<E; {}\ntext\nE", "coproc {}"),
    *("[[ -n $({}) ]] && {}", "[[ -d . ]] && {}", "(( 1 )) && {}", "echo ${{x[$({})]}}", "echo {{a,$({})}}", "$({})"),
    *(
        "{} # {}",
        "# {}\n{}",
        "{} \\\n && {}",
        "ls() {{ {}; }}; ls",
        "{} >&2 | {}",
        "echo a > >({})",
        "select i in 1; do {}; break; done <<< 1",
    ),
)

# What takes a command as a string.
STRINGS = (
    *("sh -c {}", "bash -c {}", "bash -ec {}", "bash -o pipefail -c {}", "eval {}", "trap {} EXIT", "env -S {}"),
    *("bash -c {} name", "env sh -c {}", "timeout 5 bash -c {}", "flock lock -c {}", "bash <<< {}", "dash -c {}"),
    *("find . -maxdepth 0 -exec sh -c {} \\;", "echo x | xargs -I% sh -c {}", "echo {} | sh", "builtin eval {}"),
)

PREFIXES = (
    *("env", "env -i", "env A=b", "env -u HOME", "timeout 5", "timeout -s KILL 5", "nice -n 5", "nohup", "command"),
    *("command -p", "exec", "exec -a n", "stdbuf -oL", "xargs", "xargs -n 1", "setsid -w", "A=b", "builtin command"),
    *(">made", "2>/dev/null", "<f", "2>&1", "flock lock", "find . -maxdepth 0 -exec", "find . -exec", "sudo", "\\"),
)

SUFFIXES = (
    *(" 2>/dev/null", " > /dev/null", " >made", " >> made", " 2>&1", " < f", " &", " ;", " # c", " \\\n", " &> made"),
    *(
        " >| made",
        ' > "made"',
        " > $x",
        " \\;",
        " {}",
        " +",
        " <<< x",
        " > /dev/null 2>&1",
        " | sh",
        " | xargs",
        " >&made",
    ),
)

NOISE = (
    "'",
    '"',
    "`",
    "$",
    "(",
    ")",
    "{",
    "}",
    "\\",
    "\n",
    "#",
    ";",
    "&",
    "|",
    "<",
    ">",
    " ",
    "\t",
    "\\\n",
    "$(",
    "''",
    '""',
    "!",
    "*",
    "?",
    "[",
    "]",
    "~",
    "=",
    ",",
    "rm",
    "$x",
    "-",
    "--",
    ";;",
    "<<E\n",
    "\r",
    "\u200b",
    "\u00a0",
)

NAMES = ("rm", "ls", "cat", "echo", "git")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutator:
    """A stream of commands that is the same for the same seed."""

    random: Random
    seeds: Sequence[str]

    def command(self) -> str:
        """The next command: built from parts, or one from the corpus, and then changed a little or a lot."""
        made = self._built(self.random.randint(0, 3)) if self.random.random() < 0.5 else self.random.choice(self.seeds)
        changes: Sequence[Callable[[str], str]] = (self._spelled, self._joined, self._string, self._prefixed)
        changes = (*changes, self._suffixed, self._contained, self._damaged, self._spliced, self._separated)
        for _ in range(self.random.choice((0, 1, 1, 2, 2, 3))):
            made = self.random.choice(changes)(made)
        return made.replace("\0", "")

    def _built(self, depth: int) -> str:
        if depth == 0:
            return self._spelled(self.random.choice(LEAVES))
        inner = self._built(depth - 1)
        change = self.random.choice((self._contained, self._contained, self._string, self._prefixed, self._suffixed))
        return change(inner)

    def _contained(self, command: str) -> str:
        template = self.random.choice(CONTAINERS)
        holes = [command, self.random.choice(LEAVES)]
        if template.count("{}") > 1 and self.random.random() < 0.5:
            holes.reverse()
        return template.format(*holes)

    def _string(self, command: str) -> str:
        double = '"' + command.replace("\\", "\\\\").replace('"', '\\"') + '"'
        return self.random.choice(STRINGS).replace("{}", self.random.choice((shlex.quote(command), double)), 1)

    def _prefixed(self, command: str) -> str:
        return f"{self.random.choice(PREFIXES)} {command}"

    def _suffixed(self, command: str) -> str:
        return command + self.random.choice(SUFFIXES)

    def _joined(self, command: str) -> str:
        parts = [command, self.random.choice(self.seeds)]
        self.random.shuffle(parts)
        return self.random.choice((";", " && ", "\n", " | ", " || ", " & ", "\n#\n", " \\\n;")).join(parts)

    def _spelled(self, command: str) -> str:
        """The same words, quoted in another way."""
        name = self.random.choice([name for name in NAMES if name in command] or [command[:1]])
        first, rest = name[:1], name[1:]
        spellings = [f"'{name}'", f'"{name}"', f"\\{name}", f"{first}'{rest}'", f'{first}""{rest}', f"$'{name}'"]
        spellings += [
            f'$"{name}"',
            f"/bin/{name}",
            f"./{name}",
            f"{first}\\\n{rest}",
            f"{first}$z{rest}",
            f"{{{name},}}",
        ]
        spellings += [f"{first}\\{rest}", f"{first}[{rest}]", f"${{z:-{name}}}", f"$(echo {name})", name, name, name]
        spellings += [
            f"$'\\x{ord(first):02x}'{rest}" if first else name,
            f"~/{name}",
            f"?{rest}",
            f"{first}${{z}}{rest}",
        ]
        return command.replace(name, self.random.choice(spellings), 1) if name else command

    def _separated(self, command: str) -> str:
        """One separator turned into another."""
        separators = [mark for mark in ("&&", "||", ";", "|", "\n", "&", " ") if mark in command]
        if not separators:
            return command
        old, new = (
            self.random.choice(separators),
            self.random.choice(("&&", "||", ";", "|", "\n", "&", " ", "\t", "\\\n")),
        )
        return command.replace(old, new, 1)

    def _damaged(self, command: str) -> str:
        """Something put in or taken out, anywhere."""
        at = self.random.randint(0, len(command))
        if self.random.random() < 0.3:
            return command[:at] + command[at + self.random.randint(1, 3) :]
        return command[:at] + self.random.choice(NOISE) + command[at:]

    def _spliced(self, command: str) -> str:
        """The beginning of one command, the end of another."""
        other = self.random.choice(self.seeds)
        return command[: self.random.randint(0, len(command))] + other[self.random.randint(0, len(other)) :]
