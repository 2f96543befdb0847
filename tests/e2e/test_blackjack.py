"""The blackjack table in a browser, over the real socket."""

import re
from collections.abc import Sequence
from decimal import Decimal

import pytest
from playwright.sync_api import Browser, WebSocketRoute, expect

from apps.accounts.models import Player, Role
from apps.accounts.services import user_preferences_set
from apps.blackjack.apps import GAME_ID as BLACKJACK
from apps.blackjack.engine.rules import BlackjackRules, Insurance
from apps.blackjack.models import BlackjackConfig, BlackjackRound
from apps.cards.card import Card
from apps.rounds.game_sessions import game_session_open
from apps.rounds.models import Round
from tests.e2e.window import Window, click_in_a_row, page_faults
from tests.support.blackjack import blackjack_offer, rules_set, seeds_choose, values_are
from tests.support.factories import staff_make, wallet_make
from tests.support.played import act
from tests.support.server import Server

pytestmark = pytest.mark.xdist_group("e2e-blackjack")

WIN = values_are(10, 6, 10, 10, 10)
"""Player 20 against dealer 16; the dealer draws a ten."""

SIGNALS = """() => {
  window.told = [];
  for (const name of ["round-started", "round-ended"]) {
    document.addEventListener(`punto:${name}`, ({ detail }) => told.push([name, detail.stake]));
  }
}"""
"""Records the messages that a page around the table gets."""


PRESS = """([x, y, ms]) => {
  const element = document.elementFromPoint(x, y);
  for (const [Kind, type] of [[PointerEvent, "pointerdown"], [MouseEvent, "click"]]) {
    const event = new Kind(type, { bubbles: true, cancelable: true, clientX: x, clientY: y, detail: 1 });
    Object.defineProperty(event, "timeStamp", { value: ms });
    element.dispatchEvent(event);
  }
}"""
"""Presses what is at a place of the window, at a time of the page's clock."""


def split_tens_win(cards: Sequence[Card]) -> bool:
    """Two tens against dealer 16; after the split the doubled right hand stays below 21, and the dealer draws a ten."""
    first, up, second, hole, left, right, doubled, drawn = [card.value for card in cards]
    return (
        (first, up, second, hole, drawn) == (10, 6, 10, 10, 10) and left > 1 and 2 <= right <= 6 and 2 <= doubled <= 4
    )


def three_and_a_hit_win(cards: Sequence[Card]) -> bool:
    """A ten and a small card that stay below 21 after one hit, against a dealer who busts."""
    first, up, second, hole, hit, drawn = [card.value for card in cards]
    return (first, hole, drawn) == (10, 10, 10) and 2 <= up <= 6 and 2 <= second <= 4 and 2 <= hit <= 5


def small_hits_win(cards: Sequence[Card]) -> bool:
    """Four small cards, of which two are hits, with room for a fifth, against a dealer who busts."""
    first, up, second, hole, one, other, _third, drawn = [card.value for card in cards]
    return {first, second, one, other} <= {2, 3} and first != second and (hole, drawn) == (10, 10) and 2 < up < 7


def sit_down(window: Window, player: Player) -> None:
    window.log_in(player)
    window.go("/play/blackjack/")
    expect(window.page.locator("[data-part=line]")).to_contain_text("Connected")


def expect_moves(window: Window, *names: str) -> None:
    """Check that these buttons and no others are shown."""
    expect(window.page.locator("[data-part=actions] button")).to_have_text([f"{name}" for name in names])


def test_a_round_is_won_with_the_keys_and_played_again(window: Window, player: Player) -> None:
    seeds_choose(player, WIN, cards=5)
    sit_down(window, player)
    page = window.page
    expect(page.get_by_text("Bet limits: 1 to 1,000 FUN")).to_be_visible()
    window.chip("25.00")
    window.place("Your bet")
    window.button("Deal").click()
    expect_moves(window, "Hit H", "Stand S", "Double +25.00 D", "Split +25.00 P", "Surrender R")
    window.expect_balance("975.00")
    expect(page.locator("[data-part=dealer-hand] playing-card")).to_have_count(2)
    expect(page.get_by_role("img", name="card face down")).to_have_count(1)
    expect(page.locator("[data-part=said]")).to_contain_text("Dealer shows")
    for spot in page.locator("[data-spot]").all():
        expect(spot).to_be_in_viewport(ratio=1)  # the spots stay where they are, with their chips
    expect(page.locator("[data-spot=main]")).to_have_accessible_name(re.compile(r"staked 25\.00\sFUN$"))
    page.keyboard.press("s")
    window.expect_verdict("You win 25.00 FUN.")
    window.expect_verdict("Your hand: won, 50.00 back for 25.00.")
    window.expect_balance("1,025.00")
    expect(page.locator("[data-part=dealer-total]")).to_have_text("26")
    page.keyboard.press("b")
    expect(page.locator("[data-part=hands] .stake")).to_have_text("25.00")
    assert Round.objects.count() == 2


def test_a_double_click_on_deal_does_not_press_the_move_that_comes_in_its_place(phone: Window, player: Player) -> None:
    seeds_choose(player, WIN, cards=5)
    sit_down(phone, player)
    page = phone.page
    phone.chip("25.00")
    phone.place("Your bet")
    box = phone.button("Deal").bounding_box()
    assert box is not None
    place = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    surrender = page.locator("[data-choice=Surrender]")
    page.evaluate(PRESS, [*place, 1000])
    expect(surrender).to_be_enabled()
    assert surrender.evaluate("(button, [x, y]) => button.contains(document.elementFromPoint(x, y))", place)
    page.evaluate(PRESS, [*place, 1200])
    assert surrender.is_enabled(), "the second press was sent"
    page.evaluate(PRESS, [*place, 1900])
    phone.expect_verdict("Surrendered. You lose 12.50 FUN.")


def test_the_second_click_of_a_double_click_on_hit_takes_no_card(window: Window, player: Player) -> None:
    seeds_choose(player, small_hits_win, cards=8)
    sit_down(window, player)
    page = window.page
    cards = page.locator("[data-part=hands] playing-card")
    window.place("Your bet")
    window.button("Deal").click()
    page.locator("[data-choice=Hit]").press("Enter")
    expect(cards).to_have_count(3)
    expect_moves(window, "Hit H", "Stand S")
    page.locator("[data-choice=Hit]").hover()
    click_in_a_row(page, 1)
    expect(cards).to_have_count(4)
    expect_moves(window, "Hit H", "Stand S")  # the buttons are where they were
    click_in_a_row(page, 2)
    expect_moves(window, "Hit H", "Stand S")
    page.keyboard.press("s")
    expect(page.locator("#table")).to_have_attribute("data-phase", "result")
    expect(cards).to_have_count(4)


@pytest.mark.soak
def test_the_felt_of_a_phone_is_as_high_with_two_moves_as_with_four_and_with_a_bet(
    phone: Window, player: Player
) -> None:
    seeds_choose(player, small_hits_win, cards=8)
    sit_down(phone, player)
    page = phone.page
    felt, moves = page.locator("#table .felt"), page.locator("[data-part=actions] button")
    phone.place("Your bet")
    heights = [felt.bounding_box()]
    phone.button("Deal").click()
    for count in (4, 2):
        expect(moves).to_have_count(count)
        heights.append(felt.bounding_box())
        page.keyboard.press("h")
    assert heights == heights[:1] * 3


def test_a_pair_is_split_and_a_hand_doubled(phone: Window, player: Player) -> None:
    seeds_choose(player, split_tens_win, cards=8)
    sit_down(phone, player)
    page = phone.page
    phone.chip("100.00")
    phone.place("Your bet", "Perfect Pairs", "21+3")
    phone.button("Deal").click()
    page.locator("[data-choice=Split]").click()
    hands = page.locator("[data-part=hands] .hand-box")
    expect(hands).to_have_count(2)
    expect(hands.nth(1)).to_have_class("hand-box playing")
    boxes = [hands.nth(index).bounding_box() for index in range(2)]
    assert boxes[0] is not None
    assert boxes[1] is not None
    assert boxes[0]["x"] < boxes[1]["x"]
    page.locator("[data-choice=Double]").press("Enter")  # a click could be the second one of a double click on "Split"
    expect(hands.nth(0)).to_have_class("hand-box playing")
    page.locator("[data-choice=Stand]").click()
    phone.expect_verdict("Hand 2: won, 400.00 back for 200.00.")
    phone.expect_verdict("Hand 1: won, 200.00 back for 100.00.")
    expect(page.locator("[data-part=side-results]")).to_contain_text("Perfect Pairs: ")
    played = Round.objects.get()
    phone.expect_balance(f"{played.balance_after:,.2f}")
    assert (played.how_ended, played.stake) == ("played", 500)
    phone.go(f"/history/{played.pk}/")
    expect(page.get_by_role("row", name="Hand 2 Staked 200.00 Returned 400.00 Won")).to_be_visible()
    phone.button("Start").click()
    expect(page.locator("#replay-text")).to_contain_text("100 staked (main bet)")
    phone.go("/seeds/")
    page.get_by_label("Your client seed").fill("a-new-one")
    phone.button("Reveal and rotate").click()
    expect(page.get_by_text("New seeds are in use.")).to_be_visible()
    phone.go(f"/history/{played.pk}/")
    page.get_by_role("link", name="Deal it again").click()
    expect(page.get_by_text("All 8 cards are the ones that you were dealt.")).to_be_visible()
    expect_dealt_again(phone, played)


def expect_dealt_again(window: Window, played: Round) -> None:
    """Check the page's own deal without the network: it shows the same cards and refuses altered ones."""
    page = window.page
    state = BlackjackRound.objects.get(round=played).state
    hands = [state["dealer"], *(hand["cards"] for hand in state["seats"][0]["hands"])]
    rows = page.locator("#verify-hands .card-row")
    expect(rows.locator(".dim")).to_have_text(["Dealer 26", re.compile(r"Hand 1 \d+"), re.compile(r"Hand 2 \d+")])
    for row, cards in zip(rows.all(), hands, strict=True):
        assert [card.get_attribute("code") for card in row.locator("playing-card").all()] == cards
    order = page.locator(".dealt-row li span")
    expect(order).to_have_text(["Hand 1", "Dealer", "Hand 2", "Hole card", "Hand 1", "Hand 2", "Hand 2", "Dealer"])
    assert page_faults(page) == []
    window.context.set_offline(True)
    page.get_by_label("Nonce").fill("1")
    window.button("Deal again").click()
    expect(page.get_by_text("These are not the cards that you were dealt.")).to_be_visible()
    page.get_by_label("Nonce").fill("0")
    window.button("Deal again").click()
    expect(page.get_by_text("All 8 cards are the ones that you were dealt.")).to_be_visible()
    page.get_by_label("The hand of each card").fill("1 D 1 H 1/ 1 2 2")
    window.button("Deal again").click()
    expect(page.get_by_text("The hands of the cards cannot be read")).to_be_visible()
    expect(order).to_have_text(["You", "Dealer", "You", "Dealer's second", "Next", "Next", "Next", "Next"])


def test_insurance_is_asked_with_cost_and_chance_and_without_a_nudge_and_pays(window: Window, player: Player) -> None:
    seeds_choose(player, values_are(9, 1, 10, 10), cards=4)
    sit_down(window, player)
    page = window.page
    window.chip("5.00")
    window.place("Your bet", "Your bet")
    window.button("Deal").click()
    question = page.locator("[data-part=question]")
    expect(question).to_contain_text("Insure against blackjack for 5.00 FUN?")
    expect(question).to_contain_text("It costs 5.00 FUN and brings back 15.00 FUN if the dealer has blackjack.")
    expect(question).to_contain_text("The chance is 30.75 %: 127 of 413 unseen cards are tens.")
    expect_moves(window, "Insure for 5.00 Y", "No insurance N")
    looks = page.locator("[data-part=actions] button").evaluate_all(
        "(all) => all.map((each) => [getComputedStyle(each).backgroundImage, getComputedStyle(each).color].join())"
    )
    assert looks[0] == looks[1]
    assert page_faults(page) == []
    expect(page.get_by_role("textbox", name="Insurance")).to_be_hidden()
    page.keyboard.press("y")
    expect(page.locator("[data-part=dealer-total]")).to_have_text("blackjack")
    window.expect_verdict("You get back what you staked.")
    window.expect_verdict("Insurance: won, 15.00 back for 5.00.")
    window.expect_balance("1,000.00")


@pytest.fixture
def player_up_to_half(player: Player) -> Player:
    """The player, at rules that allow any insurance up to half of the bet."""
    rules_set(BlackjackConfig.objects.get(partner=player.partner), BlackjackRules(insurance=Insurance.UP_TO_HALF))
    return player


def test_an_insurance_below_half_is_typed_and_pays(window: Window, player_up_to_half: Player) -> None:
    seeds_choose(player_up_to_half, values_are(9, 1, 10, 10), cards=4)
    sit_down(window, player_up_to_half)
    page = window.page
    window.chip("5.00")
    window.place("Your bet", "Your bet")
    window.button("Deal").click()
    expect(page.locator("[data-part=question]")).to_contain_text("Insure against blackjack for up to 5.00 FUN?")
    expect_moves(window, "Insure for 5.00 Y", "No insurance N")
    amount = page.get_by_role("textbox", name="Insurance")
    expect(amount).to_have_value("5.00")
    expect(amount).to_have_accessible_description("0.01 to 5.00 FUN")
    expect(page.get_by_role("group", name="Your move")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(amount).to_be_focused()
    for impossible in ("5.01", "0", "1.005", "1,5", "all", ""):
        amount.fill(impossible)
        expect_moves(window, "Insure Y", "No insurance N")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_have_text("An insurance of 0.01 to 5.00 FUN is possible.")
        expect(amount).to_have_attribute("aria-invalid", "true")
    amount.fill("")
    amount.press_sequentially("2.5")
    expect(page.get_by_role("alert")).to_have_text("")
    expect_moves(window, "Insure for 2.50 Y", "No insurance N")
    page.keyboard.press("Enter")
    window.expect_verdict("Insurance: won, 7.50 back for 2.50.")
    window.expect_verdict("You lose 5.00 FUN.")
    window.expect_balance("995.00")
    assert Round.objects.get().stake == Decimal("12.5")


@pytest.mark.soak
def test_half_is_one_key_if_less_is_possible_too(phone: Window, player_up_to_half: Player) -> None:
    """The page is German, so amounts are typed in the German form."""
    assert player_up_to_half.user is not None
    user_preferences_set(user=player_up_to_half.user, language="de", time_zone="")
    seeds_choose(player_up_to_half, values_are(9, 1, 10, 10), cards=4)
    phone.log_in(player_up_to_half)
    page = phone.go("/play/blackjack/")
    page.get_by_role("radio", name="5,00 FUN", exact=True).click()
    for _ in range(2):
        page.locator("[data-spot=main]").click()
    page.locator("[data-part=deal]:enabled").click()
    amount, insure = page.locator("[data-part=insurance-amount]"), page.locator("[data-choice=Yes]")
    expect(amount).to_have_value("5,00")
    for typed, read in (("2,50", "2,50"), ("2.50", "2,50"), ("5", "5,00")):
        amount.fill(typed)
        expect(insure).to_contain_text(read)
    assert page_faults(page) == []
    insure.press("y")
    expect(page.locator("[data-part=verdict]")).to_contain_text("15,00")
    phone.expect_balance("1.000,00")
    assert Round.objects.get().stake == 15


def test_insurance_declined_and_a_natural_paid(window: Window, player: Player) -> None:
    seeds_choose(player, values_are(10, 1, 1, 9), cards=4)
    sit_down(window, player)
    window.chip("100.00")
    window.place("Your bet")
    window.button("Deal").click()
    expect(window.page.locator("[data-part=question]")).to_contain_text("You have blackjack")
    window.page.locator("[data-choice=No]").click()
    window.expect_verdict("Blackjack! You win 150.00 FUN.")
    window.expect_balance("1,150.00")


def test_refusals_are_shown_as_messages(window: Window, player: Player) -> None:
    sit_down(window, player)
    window.place("21+3")
    window.button("Deal").click()
    expect(window.page.get_by_role("alert")).to_contain_text("Place a chip on your bet first")
    BlackjackConfig.objects.filter(partner=player.partner).update(bet_max=20, poker_min=2, poker_max=7)
    window.chip("25.00")
    window.place("Your bet")
    window.button("Deal").click()
    expect(window.page.get_by_role("alert")).to_contain_text("outside the limits of this table")
    expect(window.page.locator("[data-part=limits]")).to_have_text("Bet limits: 1 to 20 FUN")
    expect(window.page.locator("[data-spot=poker] .spot-limits")).to_have_text("2 to 7")
    window.chip("5.00")
    window.place("21+3", "21+3")
    expect(window.page.get_by_role("alert")).to_have_text("21+3 takes 7.00 FUN at most.")
    window.expect_balance("1,000.00")
    assert not Round.objects.exists()


def test_a_reload_in_mid_round_restores_the_table(window: Window, player: Player) -> None:
    seeds_choose(player, three_and_a_hit_win, cards=6)
    sit_down(window, player)
    page = window.page
    window.place("Your bet")
    window.button("Deal").click()
    page.locator("[data-choice=Hit]").click()
    expect(page.locator("[data-part=hands] playing-card")).to_have_count(3)
    total = page.locator("[data-part=hands] .total").inner_text()
    page.reload()
    expect(page.locator("[data-part=hands] .total")).to_have_text(total)
    expect_moves(window, "Hit H", "Stand S")
    page.locator("[data-choice=Stand]").click()
    window.expect_verdict("You win 1.00 FUN.")


def test_a_round_continues_after_a_network_failure_and_after_a_crash_of_the_server(
    window: Window, player: Player
) -> None:
    seeds_choose(player, WIN, cards=5)
    window.expected = ["WebSocket connection", "net::ERR"]
    sit_down(window, player)
    page = window.page
    window.place("Your bet")
    window.button("Deal").click()
    stand, line = page.locator("[data-choice=Stand]"), page.locator("[data-part=line]")
    expect(stand).to_be_enabled()
    window.context.set_offline(True)
    expect(line).to_contain_text("reconnecting")
    window.context.set_offline(False)
    expect(line).to_contain_text("Connected")
    expect(stand).to_be_enabled()
    window.server.kill()
    stand.click()
    window.expect_verdict("You win 1.00 FUN.")


def test_an_action_whose_answer_is_lost_happens_once(window: Window, player: Player) -> None:
    seeds_choose(player, WIN, cards=5)
    window.expected = ["WebSocket connection"]
    lost: list[str] = []

    def relay(route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def from_page(text: str | bytes) -> None:
            server.send(text)
            if isinstance(text, str) and '"Bet"' in text and not lost:
                lost.append(text)
                route.close(code=1001)

        route.on_message(from_page)

    window.is_kept = False
    window.page.route_web_socket("**/v1/ws*", relay)
    sit_down(window, player)
    window.page.evaluate(SIGNALS)
    window.place("Your bet")
    window.button("Deal").click()
    window.page.locator("[data-choice=Stand]").click()
    window.expect_verdict("You win 1.00 FUN.")
    window.expect_balance("1,001.00")
    assert window.page.evaluate("told") == [["round-started", "1"], ["round-ended", "1"]]
    assert len(lost) == 1
    assert Round.objects.count() == 1


def test_a_lost_result_is_shown_after_a_reload(window: Window, player: Player) -> None:
    seeds_choose(player, WIN, cards=5)
    window.expected = ["WebSocket connection"]
    stood: list[str] = []
    reloads: list[bool] = []

    def relay(route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def from_page(text: str | bytes) -> None:
            server.send(text)
            if isinstance(text, str) and '"Stand"' in text:
                stood.append(text)

        def from_server(text: str | bytes) -> None:
            # The stand ends the round, but this window does not get the answer.
            if not stood or reloads:
                route.send(text)

        route.on_message(from_page)
        server.on_message(from_server)

    window.is_kept = False
    window.page.route_web_socket("**/v1/ws*", relay)
    sit_down(window, player)
    window.place("Your bet")
    window.button("Deal").click()
    window.page.locator("[data-choice=Stand]").click()
    window.await_true(lambda: Round.objects.get().how_ended == "played")
    kept = f"sessionStorage.getItem('punto-action:{BLACKJACK}')"
    window.await_true(lambda: "Stand" in (window.page.evaluate(kept) or ""))
    reloads.append(True)
    window.page.reload()
    window.expect_verdict("You win 1.00 FUN.")
    window.expect_balance("1,001.00")


def test_a_second_window_takes_a_launched_game_over_and_gives_it_back(
    browser: Browser, shared_server: Server, player: Player
) -> None:
    _, token = game_session_open(player=player, game=BLACKJACK, currency_code="FUN")
    with Window.open(browser, shared_server) as first, Window.open(browser, shared_server) as second:
        for window in (first, second):
            window.go(f"/launch/?game_session_id={token}")
            expect(window.page.locator("[data-part=line]")).to_contain_text("Connected")
        expect(first.page.locator("[data-part=line]")).to_contain_text("Open in another window")
        first.button("Play here").click()
        expect(first.page.locator("[data-part=line]")).to_contain_text("Connected")
        expect(second.page.locator("[data-part=line]")).to_contain_text("Open in another window")


def test_a_round_in_another_currency_is_played_on_with_its_own_amounts_and_leaves_the_tables_balance_alone(
    window: Window, player: Player
) -> None:
    blackjack_offer(player.partner, currency="JPY")
    wallet_make(player=player, currency="JPY", balance=Decimal(777))
    seeds_choose(player, WIN, cards=5)
    _, in_fun = game_session_open(player=player, game=BLACKJACK, currency_code="FUN")
    act(in_fun, "Bet", betAmount="2.5")
    _, in_yen = game_session_open(player=player, game=BLACKJACK, currency_code="JPY")
    page = window.go(f"/launch/?game_session_id={in_yen}")
    expect(page.locator("[data-part=hands] .stake")).to_have_text("2.50")
    window.expect_balance("777")
    expect(page.locator("[data-part=staked]")).to_have_text("0")
    page.evaluate("addEventListener('punto:round-ended', ({ detail }) => { window.told = detail; }, { capture: true })")
    page.locator("[data-choice=Stand]").click()
    window.expect_verdict("You win 2.50 FUN.")
    told = page.evaluate("told")
    assert (told["stake"], told["payout"], told["currency"]) == ("2.5", "5", "FUN")
    window.expect_balance("777")
    expect(page.locator("[data-part=rebet]")).to_be_disabled()
    window.place("Your bet")
    window.button("Deal").click()
    expect(page.locator("[data-part=hands] .stake")).to_have_text("1")
    assert Round.objects.filter(currency="JPY").count() == 1
    assert player.wallets.get(currency="FUN").balance == Decimal("1002.5")


def test_new_limits_arrive_at_an_open_table(
    browser: Browser, shared_server: Server, window: Window, player: Player
) -> None:
    sit_down(window, player)
    config = BlackjackConfig.objects.get(partner=player.partner)
    with Window.open(browser, shared_server) as office:
        office.log_in(staff_make(Role.PARTNER_STAFF, partner=player.partner))
        form = office.go(f"/admin/blackjack/blackjackconfig/{config.pk}/change/")
        form.get_by_role("link", name="Change limits").click()
        form.locator("[name=bet_max]").fill("2500")
        form.locator("[name=poker_max]").fill("250")
        for end in ("min", "max"):
            form.locator(f"[name=perfect_pairs_{end}]").fill("0")
        form.get_by_role("button", name="Save").click()
        expect(form.get_by_text("The limits are saved.")).to_be_visible()
    expect(window.page.get_by_text("Bet limits: 1 to 2,500 FUN")).to_be_visible()
    expect(window.page.locator("[data-spot=poker] .spot-limits")).to_have_text("1 to 250")
    expect(window.page.locator("[data-spot=perfectPairs]")).to_be_hidden()
