"""Cards and hands as blocks of text, five lines high."""

from collections.abc import Sequence
from typing import Final

from rich.text import Text

from apps.blackjack.terminal.scene import SUIT_SIGNS, rank_text
from apps.cards.card import Card

CARD_LINES: Final = 5
CARD_COLUMNS: Final = 7
_SHOWN_COLUMNS: Final = (7, 4, 3, 2)
"""The visible columns of a partly covered card, the widest first."""

_RED: Final = "bold red on white"
_BLACK: Final = "bold black on white"
_BACK: Final = "white on blue"


def card_lines(card: Card) -> list[str]:
    """Return a card's five lines, seven columns each."""
    rank, sign = rank_text(card), SUIT_SIGNS[card.suit]
    return ["┌─────┐", f"│{rank:<2}   │", f"│  {sign}  │", f"│   {rank:>2}│", "└─────┘"]


BACK_LINES: Final = ["┌─────┐", "│░░░░░│", "│░░░░░│", "│░░░░░│", "└─────┘"]


def cards_block(cards: Sequence[Card], *, columns: int, hidden: bool = False) -> list[Text]:
    """Return cards side by side, overlapping as far as `columns` require; a hidden one is last."""
    faces = [(card_lines(card), _RED if card.suit.is_red else _BLACK) for card in cards]
    if hidden:
        faces.append((BACK_LINES, _BACK))
    width = _shown_width(len(faces), columns)
    lines = [Text() for _ in range(CARD_LINES)]
    for place, (face, style) in enumerate(faces):
        is_last = place == len(faces) - 1
        for line, text in zip(lines, face, strict=True):
            line.append(text if is_last else text[:width], style)
            if width == CARD_COLUMNS and not is_last:
                line.append(" ")
    return lines


def side_by_side(blocks: Sequence[list[Text]], *, gap: int = 2) -> list[Text]:
    """Return blocks of equal height as one block with gaps between them."""
    lines = [Text() for _ in blocks[0]]
    for place, block in enumerate(blocks):
        width = max(line.cell_len for line in block)
        for line, part in zip(lines, block, strict=True):
            line.append_text(part)
            if place < len(blocks) - 1:
                line.append(" " * (width - part.cell_len + gap))
    return lines


def _shown_width(count: int, columns: int) -> int:
    for width in _SHOWN_COLUMNS:
        gaps = count - 1 if width == CARD_COLUMNS else 0
        if (count - 1) * width + gaps + CARD_COLUMNS <= columns:
            return width
    return 1
