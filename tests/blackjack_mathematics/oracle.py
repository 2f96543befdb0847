"""Plain recursions over single cards, against which the array calculation is checked. Slow, and short enough to verify
by reading."""

from functools import cache

Counts = tuple[int, ...]
"""Remaining cards, by value minus one."""


def fresh(decks: int, *gone: int) -> Counts:
    """Return a shoe without the cards of these values."""
    counts = [4 * decks] * 9 + [16 * decks]
    for value in gone:
        counts[value - 1] -= 1
    return tuple(counts)


def without(left: Counts, value: int) -> Counts:
    return (*left[: value - 1], left[value - 1] - 1, *left[value:])


def draws(left: Counts) -> list[tuple[int, float, Counts]]:
    """Return each possible next value with its probability and the remaining cards."""
    total = sum(left)
    return [(value, count / total, without(left, value)) for value, count in enumerate(left, start=1) if count]


def best_total(cards: tuple[int, ...]) -> tuple[int, bool]:
    hard = sum(cards)
    soft = 1 in cards and hard <= 11
    return (hard + 10, True) if soft else (hard, False)


@cache
def dealer(cards: tuple[int, ...], left: Counts, hits_soft_17: bool) -> dict[str, float]:
    """Return the probabilities of the dealer's results: `17` to `21`, `natural`, `bust`."""
    total, soft = best_total(cards)
    if total > 21:
        return {"bust": 1.0}
    if len(cards) == 2 and total == 21:
        return {"natural": 1.0}
    if len(cards) > 1 and (total > 17 or (total == 17 and not (soft and hits_soft_17))):
        return {str(total): 1.0}
    ends: dict[str, float] = {}
    for value, chance, rest in draws(left):
        for end, part in dealer(tuple(sorted((*cards, value))), rest, hits_soft_17).items():
            ends[end] = ends.get(end, 0.0) + chance * part
    return ends


def stand(player: int, upcard: int, left: Counts, *, peek: bool) -> float:
    """Return the winnings of standing; with `peek`, given that the dealer has no natural."""
    ends = dealer((upcard,), left, False)
    natural = ends.get("natural", 0.0)
    won = 0.0
    for end, chance in ends.items():
        if end == "natural":
            won -= 0.0 if peek else chance
        elif end == "bust" or int(end) < player:
            won += chance
        elif int(end) > player:
            won -= chance
    return won / (1.0 - natural) if peek else won


def no_natural(upcard: int, left: Counts) -> float:
    other = {1: 10, 10: 1}.get(upcard)
    return 1.0 if other is None else 1.0 - left[other - 1] / sum(left)


def next_card(upcard: int, left: Counts) -> list[tuple[int, float, Counts]]:
    """Return the draws given that the dealer's hidden card, dealt from `left`, makes no natural."""
    given = no_natural(upcard, left)
    return [(value, chance * no_natural(upcard, rest) / given, rest) for value, chance, rest in draws(left)]


def hit_or_stand(cards: tuple[int, ...], upcard: int, left: Counts) -> float:
    """Return the winnings of the best play by Hit and Stand, after a peek without a natural."""
    total, _ = best_total(cards)
    if total > 21:
        return -1.0
    standing = stand(total, upcard, left, peek=True)
    return standing if total == 21 else max(standing, hit(cards, upcard, left))


def hit(cards: tuple[int, ...], upcard: int, left: Counts) -> float:
    return sum(chance * hit_or_stand((*cards, value), upcard, rest) for value, chance, rest in next_card(upcard, left))


def double(cards: tuple[int, ...], upcard: int, left: Counts) -> float:
    won = 0.0
    for value, chance, rest in next_card(upcard, left):
        total, _ = best_total((*cards, value))
        won += chance * (2.0 * stand(total, upcard, rest, peek=True) if total <= 21 else -2.0)
    return won


def split_and_stand(pair: int, upcard: int, left: Counts, splits: int) -> float:
    """Return the winnings, without a peek, of splitting up to `splits` times and standing on every second card."""
    return _split_from(pair, upcard, left, splits - 1, 2, ())


def _split_from(pair: int, upcard: int, left: Counts, splits: int, waiting: int, seconds: tuple[int, ...]) -> float:
    if not waiting:
        return sum(stand(best_total((pair, second))[0], upcard, left, peek=False) for second in seconds)
    won = 0.0
    for value, chance, rest in draws(left):
        if value == pair and splits:
            won += chance * _split_from(pair, upcard, rest, splits - 1, waiting + 1, seconds)
        else:
            seen = tuple(sorted((*seconds, value)))
            won += chance * _split_from(pair, upcard, rest, splits, waiting - 1, seen)
    return won
