"""The report of an attack: attempts, answers and faults of each part, as a table and as JSON."""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final

EXAMPLES: Final = 5
"""The most faults of a part that are shown; the others are counted."""
EXAMPLE_CHARS: Final = 600


@dataclass(slots=True)
class Part:
    """The outcomes of one part. Any thread may add to it."""

    name: str
    attempts: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    loggers_passed: tuple[str, ...] = ()
    """Prefixes of loggers that may write errors: libraries whose server was killed."""
    _lock: Lock = field(default_factory=Lock, repr=False)

    def attempt_add(self, outcome: str) -> None:
        """Count an attempt and its outcome."""
        with self._lock:
            self.attempts += 1
            self.outcomes[outcome] += 1

    def fault(self, what: str) -> None:
        """Add a fault."""
        with self._lock:
            self.faults.append(what if len(what) <= EXAMPLE_CHARS else f"{what[:EXAMPLE_CHARS]}...")

    def line(self) -> str:
        """Return the result of the part, followed by its first faults."""
        counts = f"{self.name}: {self.attempts} attempts, {len(self.faults)} faults"
        return "\n  ".join([counts, *self.faults[:EXAMPLES]])

    def expect(self, holds: object, what: str) -> None:
        """Add the fault `what` unless the condition holds."""
        if not holds:
            self.fault(what)


@dataclass(frozen=True, slots=True)
class Report:
    """A whole run. The seed repeats the same attempts, but not the order in which racing calls arrive."""

    seed: int
    scale: float
    parts: tuple[Part, ...]

    @property
    def fault_count(self) -> int:
        return sum(len(part.faults) for part in self.parts)

    def as_json(self) -> str:
        return json.dumps(
            {
                "seed": self.seed,
                "scale": self.scale,
                "faults": self.fault_count,
                "parts": [_members(part) for part in self.parts],
            }
        )

    def as_text(self) -> str:
        lines = [f"Attacked with seed {self.seed}, scale {self.scale:g}"]
        width = max(len(part.name) for part in self.parts)
        for part in self.parts:
            head = f"  {part.name:<{width}}  {part.attempts:>6} attempts  {len(part.faults):>3} faults"
            lines += [head, *_outcome_lines(part, width + 4)]
        for part in self.parts:
            shown = part.faults[:EXAMPLES]
            lines += [f"FAULT in {part.name}: {fault}" for fault in shown]
            if len(part.faults) > len(shown):
                lines.append(f"FAULT in {part.name}: {len(part.faults) - len(shown)} more")
        lines.append("Nothing was found." if not self.fault_count else f"{self.fault_count} faults were found.")
        return "\n".join(lines)


def _members(part: Part) -> dict[str, Any]:
    return {
        "name": part.name,
        "attempts": part.attempts,
        "outcomes": dict(part.outcomes.most_common()),
        "fault_count": len(part.faults),
        "faults": part.faults[:EXAMPLES],
    }


def _outcome_lines(part: Part, indent: int, width: int = 118) -> Iterable[str]:
    line = ""
    for outcome, count in part.outcomes.most_common():
        word = f"{outcome} {count}"
        if line and len(line) + len(word) + 2 > width - indent:
            yield " " * indent + line + ","
            line = ""
        line = f"{line}, {word}" if line else word
    if line:
        yield " " * indent + line
