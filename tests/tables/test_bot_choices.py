"""What a practice bot stakes, and when it says that it is ready, without a server."""

import json

import pytest

from apps.tables import practice_bots
from apps.tables.practice_bots import BotSeat, PracticeBot, _times


class Sent:
    """A socket that keeps the actions of a bot."""

    def __init__(self) -> None:
        self.actions: list[str] = []

    async def send(self, text: str) -> None:
        self.actions.append(json.loads(text)["payload"]["action"])


@pytest.mark.parametrize(
    ("seats", "actions"),
    [
        ([{"bot": True}], ["place_bet"]),
        ([{"bot": True}, {"bot": False}], ["place_bet", "ready"]),
        ([], ["place_bet"]),
    ],
)
async def test_a_bot_ends_the_window_early_for_a_person_alone(
    seats: list[dict[str, bool]], actions: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(practice_bots, "THINK_S", (0, 0))
    bot, socket = PracticeBot("http://localhost", BotSeat(1, "FUN", "a table", "blackjack")), Sent()
    bot._state = {"seats": seats}
    offers = [{"type": "place_bet", "minAmount": 1, "maxAmount": 100}, {"type": "ready"}]
    await bot._bet(socket, offers)  # type: ignore[arg-type]
    assert socket.actions == actions


def test_a_bot_stakes_a_multiple_of_the_lowest_stake_within_the_limit() -> None:
    limits = {"minAmount": 10, "maxAmount": 50}
    assert [_times(limits, times) for times in (1, 2, 5, 10)] == [10, 20, 50, 10]
