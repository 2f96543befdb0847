"""Dragon tiger's page for one player, in a browser."""

import pytest
from playwright.sync_api import expect

from apps.accounts.models import Player
from apps.dragon_tiger.models import DragonTigerGameRecord
from tests.dragon_tiger.players import is_tie, seeds_choose
from tests.e2e.conftest import browser, house, phone, player, window  # noqa: F401 - fixtures
from tests.e2e.window import Window

pytestmark = pytest.mark.xdist_group("e2e-dragon-tiger")


def test_on_a_tie_the_spots_show_the_payouts(window: Window, player: Player) -> None:  # noqa: F811 - fixtures
    seeds_choose(player, is_tie)
    window.log_in(player)
    page = window.go("/play/dragon_tiger/")
    window.chip("25.00")
    window.place("Dragon")
    page.locator("[data-spot='3']").click()  # two bets have "tie" in their names
    window.button("Deal").click()
    window.expect_verdict("You win 262.50 FUN.")
    window.expect_verdict("Staked 50.00 FUN, returned 312.50 FUN.")
    expect(page.locator("[data-spot='1'] .spot-result")).to_have_text("12.50 back")
    expect(page.locator("[data-spot='3'] .spot-result")).to_have_text("+275.00")
    expect(page.locator("playing-card")).to_have_count(2)
    window.expect_balance("1,262.50")


def test_the_next_round_can_be_dealt_with_the_same_bets(phone: Window, player: Player) -> None:  # noqa: F811
    phone.log_in(player)
    page = phone.go("/play/dragon_tiger/")
    phone.chip("5.00")
    phone.place("Tiger", "Suited tie")
    for number, button in ((1, "Deal"), (2, "Rebet and deal")):
        phone.button(button).click()
        phone.await_true(lambda number=number: DragonTigerGameRecord.objects.count() == 2 * number)  # type: ignore[misc]
        expect(page.locator("[data-part=said]")).to_contain_text("Staked 10.00 FUN")
        expect(phone.button("Rebet and deal")).to_be_enabled()
    expect(page.locator("[data-part=staked]")).to_have_text("10.00")
