"""One step of a table's round, card by card in dealing order, whatever the game.

A step of the replay has its dealt cards and the rows after it. The code starts with the rows at the end of the step and
removes its cards one by one, which gives the rows before each card.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext

from apps.rounds.explanation import ExplainedHand, ExplainedStep
from apps.tables.hands import BY_THE_RULES, is_seat, row_named

FACE_DOWN = ""


@dataclass(frozen=True, slots=True)
class _Dealt:
    """A card of the step: its row, and the rows on the table before it."""

    row: int
    is_face_down: bool
    before: list[list[str]]


def card_steps(
    text: str, by: str, before: Sequence[ExplainedHand], after: Sequence[ExplainedHand], cards: Sequence[str]
) -> Iterator[ExplainedStep]:
    """Yield a decision, then each card that it led to; or, with an empty `text`, each card of the deal.

    `before` and `after` are the visible rows: first those of the table, then those of the seats. `cards` were dealt
    in between, in order, and include a face-down card. If a card is in no row, all cards make one step; no game of
    ours deals such a card.
    """
    dealt = _dealt(after, cards, is_deal=not text)
    turned = [index for index, hand in enumerate(after) if _is_turned(before, hand)]
    if dealt is None or not (dealt or turned):
        yield ExplainedStep(text or gettext("The cards are dealt"), by, after)
        return
    masked = set(turned)
    if text:
        yield ExplainedStep(text, by, _rows(after, dealt[0].before if dealt else _codes(after), before, masked))
    last = _codes(after)
    for place, card in enumerate(dealt):
        if card.row in masked:
            masked.remove(card.row)
            yield _turn(after, card.row, _rows(after, card.before, before, masked))
        shown = dealt[place + 1].before if place + 1 < len(dealt) else last
        is_last = place + 1 == len(dealt) and not masked
        rows = after if is_last else _rows(after, shown, before, masked)
        yield ExplainedStep(_card_text(after[card.row].label, is_face_down=card.is_face_down), BY_THE_RULES, rows)
    for row in sorted(masked):
        masked.remove(row)
        yield _turn(after, row, _rows(after, last, before, masked) if masked else after)


def _dealt(after: Sequence[ExplainedHand], cards: Sequence[str], *, is_deal: bool) -> list[_Dealt] | None:
    """Return the cards of a step with the rows that they went to; None if a card is in no row."""
    left = _codes(after)
    found: list[_Dealt] = []
    for code in reversed(cards):
        rows = [index for index, row in enumerate(left) if row and row[-1] in (code, FACE_DOWN)]
        if not rows:
            return None
        # Two rows may end with equal cards: the deal goes round, and after a decision the table's own hand comes last.
        if is_deal:
            row = max(rows, key=lambda index: (len(left[index]), _place(after, index)))
        else:
            row = next((index for index in rows if left[index][-1] == code), rows[0])
        is_face_down = left[row].pop() == FACE_DOWN
        found.append(_Dealt(row, is_face_down, [list(each) for each in left]))
    return found[::-1]


def _place(after: Sequence[ExplainedHand], index: int) -> tuple[bool, int]:
    """Return the position of a row in dealing order: the seats get a card before the table's own hands."""
    return not is_seat(after[index].label), index


def _is_turned(before: Sequence[ExplainedHand], hand: ExplainedHand) -> bool:
    """Return whether a card of the row was face down before and is face up now."""
    earlier = next((each for each in before if each.label == hand.label), None)
    if earlier is None:
        return False
    return any(old == FACE_DOWN != new for old, new in zip(earlier.cards, hand.cards, strict=False))


def _rows(
    after: Sequence[ExplainedHand], codes: Sequence[Sequence[str]], before: Sequence[ExplainedHand], masked: set[int]
) -> list[ExplainedHand]:
    """Return the rows with these cards. Totals count only the shown cards, and no row has the result of its hand."""
    earlier = {hand.label: hand for hand in before}
    rows = []
    for index, hand in enumerate(after):
        old = earlier.get(hand.label)
        if old is not None and (index in masked or list(codes[index]) == list(old.cards)):
            rows.append(old)
        else:
            total = hand.total if list(codes[index]) == list(hand.cards) else ""
            rows.append(replace(hand, cards=list(codes[index]), total=total, note=""))
    return rows


def _turn(after: Sequence[ExplainedHand], row: int, rows: Sequence[ExplainedHand]) -> ExplainedStep:
    return ExplainedStep(_turn_text(after[row].label), BY_THE_RULES, rows)


def _card_text(label: str, *, is_face_down: bool) -> str:
    if is_seat(label):
        text = gettext("Card face down to {seat}") if is_face_down else gettext("Card to {seat}")
        return text.format(seat=row_named(label))
    text = gettext("Card face down to the {row}") if is_face_down else gettext("Card to the {row}")
    return text.format(row=row_named(label))


def _turn_text(label: str) -> str:
    if is_seat(label):
        return gettext("The face-down card of {seat} is turned").format(seat=row_named(label))
    return gettext("The face-down card of the {row} is turned").format(row=row_named(label))


def _codes(hands: Sequence[ExplainedHand]) -> list[list[str]]:
    return [list(hand.cards) for hand in hands]
