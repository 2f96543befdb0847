"""A table's round is dealt again from the page of the round, offline, with all of its fields filled in."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connections
from playwright.sync_api import expect

from apps.accounts.models import Player, User
from apps.partners.models import Partner
from apps.rounds.models import Round
from apps.rounds.services import player_open
from apps.tables.models import GameTable, TableRound
from tests.e2e.window import PASSWORD, Window, page_faults
from tests.support.table_play import PlayedTable
from tests.support.tables import table_make

pytestmark = pytest.mark.xdist_group("e2e-tables")


@pytest.fixture
def ann(house: Partner) -> Player:
    user = User.objects.create_user("ann", password=PASSWORD)
    return player_open(partner=house, reference="ann", currency_code="FUN", user=user)


def two_rounds_played(table: GameTable, player: Player) -> TableRound:
    """Return the second of two rounds, played in a thread without the browser's event loop."""

    def play() -> TableRound:
        try:
            seats = PlayedTable(table, [player])
            seats.round_play()
            return seats.round_play()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(play).result()


@pytest.mark.parametrize(
    ("game_type", "rules"),
    [
        pytest.param("baccarat", {}, id="sides"),
        pytest.param("blackjack", {}, id="seats"),
        pytest.param("blackjack", {"decks": None}, id="endless-shoe", marks=pytest.mark.soak),
    ],
)
def test_a_round_of_a_table_is_dealt_again_from_its_page(
    window: Window, house: Partner, ann: Player, game_type: str, rules: dict[str, object]
) -> None:
    table = table_make(house, game_type=game_type, currency="FUN", name="Checked", rules=rules)
    played = two_rounds_played(table, ann)
    seat = Round.objects.get(table_round=played.pk)
    window.log_in(ann)
    page = window.go(f"/history/{seat.pk}/")
    address = page.get_by_role("link", name="Deal it again").get_attribute("href")
    assert address is not None
    window.forget()
    checked = window.go(address)
    notes = checked.locator("#verify-result .note")
    expect(notes).to_have_count(3)
    expect(checked.locator("#verify-result .note.success")).to_have_text(
        ["The server seed is the one that was committed to.", "The server seed belongs to the table's published chain.",
         f"All {played.detail['drawn']} cards are the ones of the round."]
    )  # fmt: skip
    assert page_faults(checked) == []
    checked.get_by_label("Contributions of the seats").fill("another")
    expect(notes).to_have_count(0)
    window.context.set_offline(True)
    checked.get_by_role("button", name="Deal again").click()
    expect(checked.locator("#verify-result .note.error")).to_have_text("These are not the cards of the round.")
