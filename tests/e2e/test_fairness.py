"""The browser's own computations: deals, and the arithmetic of the tables."""

import json
from random import Random

import pytest
from playwright.sync_api import expect

from apps.accounts.models import Player
from apps.cards.shoe import INFINITE_DECKS
from apps.fairness.engine import commitment, fair_shoe
from apps.partners.models import Partner
from apps.rounds.models import Round
from tests.e2e.window import Window
from tests.support.baccarat import seeds_choose

pytestmark = pytest.mark.xdist_group("e2e-baccarat")

SEED = "0123456789abcdef" * 4


def fill(window: Window, *, game: str, decks: str, client_seed: str, nonce: str) -> None:
    page = window.page
    page.get_by_label("Game").select_option(game)
    page.get_by_label("Decks").select_option(decks)
    page.get_by_label("Server seed").fill(SEED)
    page.get_by_label("Commitment").fill(commitment(SEED))
    page.get_by_label("Client seed").fill(client_seed)
    page.get_by_label("Nonce").fill(nonce)
    window.button("Deal again").click()


def test_a_round_is_dealt_again_without_the_network(window: Window, house: Partner) -> None:
    page = window.go("/fairness/")
    expect(page.get_by_text("The cards will be shown here.")).to_be_visible()
    expect(window.button("Deal again")).to_be_enabled()
    window.context.set_offline(True)
    codes = page.locator("#verify-codes")
    fill(window, game="Baccarat", decks="8", client_seed="punto", nonce="0")
    expect(codes).to_have_text("H3 D7 S10 D9 D7 S8")
    expect(page.get_by_text("The server seed is the one that was committed to.")).to_be_visible()
    fill(window, game="Blackjack", decks="1", client_seed="punto", nonce="7")
    expect(codes).to_contain_text("HK S10 H10 C6 D2 HQ CK CJ H1 H8")
    fill(window, game="Blackjack", decks="9", client_seed="punto", nonce="0")
    expect(codes).to_contain_text("S1 C3 H7 H10 H3 D7 D2 D6 D6 S8")
    page.get_by_label("Server seed").fill("f" * 64)
    window.button("Deal again").click()
    expect(page.get_by_text("The server seed does not match the commitment.")).to_be_visible()
    page.get_by_label("Server seed").fill("no seed")
    expect(page.get_by_text("The cards will be shown here.")).to_be_visible()
    window.button("Deal again").click()
    assert page.get_by_label("Server seed").evaluate("(field) => field.matches(':user-invalid')")
    expect(page.locator("#verify-result")).to_have_text("The cards will be shown here.")


def test_a_played_round_verifies_once_its_seed_is_revealed(window: Window, player: Player) -> None:
    seeds_choose(player, lambda deal: len(deal.banker) == 3)
    window.log_in(player)
    page = window.go("/play/baccarat/")
    window.place("Banker")
    window.button("Deal").click()
    window.expect_verdict("returned")
    played = Round.objects.get()
    window.go(f"/history/{played.pk}/")
    expect(page.get_by_role("link", name="Deal it again")).to_have_count(0)
    window.go("/seeds/")
    window.button("Random").click()
    window.button("Reveal and rotate").click()
    expect(page.get_by_text("New seeds are in use.")).to_be_visible()
    window.go(f"/history/{played.pk}/")
    page.get_by_role("link", name="Deal it again").click()
    expect(page.get_by_text("The server seed is the one that was committed to.")).to_be_visible()
    expect(page.get_by_text("are the ones that you were dealt.")).to_be_visible()


def test_the_browser_and_the_server_deal_the_same_cards(window: Window, house: Partner) -> None:
    random = Random(20)
    cases = [
        (random.randbytes(32).hex(), f"client-{number}", number, random.choice([1, 2, 6, 8, INFINITE_DECKS]))
        for number in range(12)
    ]
    page = window.go("/fairness/")
    dealt = page.evaluate(
        """async (cases) => {
            const { Stream, dealCards } = await import("/static/portal/js/fairness.js");
            return Promise.all(cases.map(async ([seed, client, nonce, decks]) =>
                (await dealCards(await Stream.open(seed, client, nonce), { decks, count: 40 })).join(" ")));
        }""",
        cases,
    )
    for (seed, client_seed, nonce, decks), cards in zip(cases, dealt, strict=True):
        shoe = fair_shoe(seed, client_seed, nonce, decks=decks)
        assert cards == " ".join(shoe[index].code for index in range(40))


HANDS = {
    "1 D 1 H 1 D": "Dealer=bdf You=ace",
    "1 D 1 1 D": "Dealer=be You=acd",
    "1 D 1 H 1/ 1 2 1/ 1 2 3": "Dealer=bd Hand 1=ag Hand 2=eh Hand 3=cfi",
    "1 D 1 H 1/ 1 2 2/ 2 3 1": "Dealer=bd Hand 1=aei Hand 2=cg Hand 3=fh",
    "1 D 1 H 2": None,
    "1 D 1 H 1 1/ 1 2": None,
    "1 D 1 X": None,
    "1 D 1 H 0": None,
}
"""The rows of the cards a, b, c, ... of a round; None for invalid places."""


def test_cards_are_placed_as_recorded(window: Window, house: Partner) -> None:
    page = window.go("/fairness/")
    hands = page.evaluate(
        """async (texts) => {
            const { placeCards, readPlaces } = await import("/static/blackjack/placement.js");
            const { tell } = await import("/static/portal/js/words.js");
            return texts.map((text) => {
                const places = readPlaces(text.split(" "));
                const hands = places && placeCards([..."abcdefghi"], places, tell);
                return hands && hands.rows.map(({ label, cards }) => `${label}=${cards.join("")}`).join(" ");
            });
        }""",
        list(HANDS),
    )
    assert dict(zip(HANDS, hands, strict=True)) == HANDS


def test_amounts_never_pass_through_floats(window: Window, house: Partner) -> None:
    page = window.go("/fairness/")
    results = page.evaluate(
        """async () => {
            const money = await import("/static/portal/js/money.js");
            const { formatAmount, formatBrief, formatPlain, listChipValues, parseExact, parseUnits } = money;
            return JSON.stringify([
                formatAmount(parseUnits("123456789012.12345678", 8), 8), formatAmount(parseUnits("1000", 0), 0),
                formatPlain(parseUnits("52.50", 2), 2), formatPlain(parseUnits("-0.05", 2), 2),
                formatBrief(100000n, 2), formatBrief(250n, 2),
                parseExact('{"a":0.10000000000000000001}').a,
                listChipValues(100n, 2500n).map(String).join(), listChipValues(5000n, 50000n).map(String).join(),
            ]);
        }"""
    )
    assert json.loads(results) == [
        *["123,456,789,012.12345678", "1,000", "52.5", "-0.05", "1K", "2.5", "0.10000000000000000001"],
        *["100,500,2500", "5000,25000"],
    ]
