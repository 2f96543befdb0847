"""Prints tables of figures."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Table:
    """A heading and rows of a name, a figure and a remark."""

    heading: str
    rows: list[tuple[str, str, str]] = field(default_factory=list)

    def row(self, name: str, figure: str, remark: str = "") -> None:
        self.rows.append((name, figure, remark))

    def __str__(self) -> str:
        name_width = max(len(name) for name, _, _ in self.rows)
        figure_width = max(len(figure) for _, figure, _ in self.rows)
        lines = [
            f"  {name:<{name_width}}  {figure:>{figure_width}}  {remark}".rstrip() for name, figure, remark in self.rows
        ]
        return "\n".join(["", self.heading, *lines])
