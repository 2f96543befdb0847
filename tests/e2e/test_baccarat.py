"""The baccarat table in a browser."""

import pytest
from django.utils import timezone
from playwright.sync_api import Route, expect

from apps.accounts.models import Player
from apps.baccarat.engine import Deal, GameType, Winner
from apps.baccarat.models import BaccaratConfig, BaccaratGameRecord
from apps.fairness.models import SeedPair, SeedStatus
from apps.partners.models import Partner
from apps.rounds.models import GameSession, Round
from tests.e2e.window import PASSWORD, Window
from tests.support.baccarat import odds_set, offer_make, seeds_choose

pytestmark = pytest.mark.xdist_group("e2e-baccarat")


def player_wins(deal: Deal) -> bool:
    return deal.winner is Winner.PLAYER


def test_a_new_player_signs_up_bets_and_finds_the_round_in_the_history(phone: Window, house: Partner) -> None:
    page = phone.go("/accounts/signup/")
    page.get_by_label("Username").fill("bob")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password (again)").fill(PASSWORD)
    phone.button("Sign up").click()
    phone.expect_balance("1,000.00")
    bob = Player.objects.get(user__username="bob")
    seeds_choose(bob, player_wins)
    SeedPair.objects.filter(player=bob, status=SeedStatus.ACTIVE).update(client_seed_chosen=True)

    phone.go("/play/baccarat/")
    expect(page.get_by_text("Bet limits: 1 to 1,000 FUN")).to_be_visible()
    phone.chip("25.00")
    phone.place("Player", "Player", "Tie")
    expect(page.get_by_role("button", name="Player, 1 to 1, staked 50.00 FUN")).to_be_visible()
    phone.button("Deal").click()
    phone.expect_verdict("You win 25.00 FUN.")
    phone.expect_verdict("Staked 75.00 FUN, returned 100.00 FUN.")
    phone.expect_balance("1,025.00")
    expect(page.locator("[data-part=bead]")).to_have_text("P")

    phone.go("/history/")
    expect(phone.rows("Rounds").first).to_contain_text("+25.00")
    when = phone.rows("Rounds").first.locator(".when").inner_text()  # in the reader's language and zone
    page.get_by_role("link", name=f"Details of the round of {when}", exact=True).click()
    expect(page.get_by_role("row", name="Tie 8 to 1 Staked 25.00 Returned 0.00 Lost")).to_be_visible()
    phone.go("/wallet/")
    expect(phone.rows("Movements").first).to_contain_text("+100.00")


def test_a_bet_with_the_keyboard_alone(window: Window, player: Player) -> None:
    seeds_choose(player, player_wins)
    window.log_in(player)
    page = window.go("/play/baccarat/")
    chip = page.get_by_role("radio", name="1.00 FUN", exact=True)
    expect(chip).to_have_attribute("aria-checked", "true")
    page.get_by_role("link", name="Skip to the page").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.locator(".settings summary")).to_be_focused()
    page.keyboard.press("Tab")
    expect(chip).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Player, 1 to 1, no stake")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("radio", name="5.00 FUN", exact=True)).to_be_focused()
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect(page.locator("[data-part=staked]")).to_have_text("11.00")
    window.button("Deal").focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-part=said]")).to_contain_text("Player wins")
    window.expect_balance("991.00")
    expect(window.button("Rebet and deal")).to_be_focused()


def test_bets_can_be_repeated_undone_and_cleared(window: Window, player: Player) -> None:
    odds_set(BaccaratConfig.objects.get(partner=player.partner), GameType.PLAYER_PAIR, "11")
    seeds_choose(player, lambda deal: deal.winner is Winner.BANKER, rounds=2)
    window.log_in(player)
    page = window.go("/play/baccarat/")
    window.chip("100.00")
    window.place("Banker", "Tie", "Player pair")
    window.button("Undo").click()
    expect(page.locator("[data-part=staked]")).to_have_text("200.00")
    window.button("Clear").click()
    expect(window.button("Deal")).to_be_disabled()
    window.place("Banker")
    window.button("Deal").click()
    window.expect_verdict("You win 95.00 FUN.")
    window.button("Rebet and deal").click()
    window.expect_balance("1,190.00")
    expect(page.locator(".big-road > span")).to_have_count(2)


def test_a_window_opens_a_new_session_when_its_own_has_ended(window: Window, player: Player) -> None:
    seeds_choose(player, player_wins, rounds=3)
    window.expected = ["401 (Unauthorized)"]
    window.log_in(player)
    window.go("/play/baccarat/")
    window.chip("100.00")
    window.place("Player")
    window.button("Deal").click()
    window.expect_balance("1,100.00")
    window.button("Rebet and deal").click()
    window.expect_balance("1,200.00")
    GameSession.objects.update(ended_at=timezone.now())
    window.button("Rebet and deal").click()
    window.expect_balance("1,300.00")
    sessions = list(Round.objects.order_by("nonce").values_list("session", flat=True))
    assert sessions[0] == sessions[1] != sessions[2]
    assert set(sessions) == set(GameSession.objects.values_list("pk", flat=True))


def test_a_bet_whose_answer_is_lost_is_placed_once(window: Window, player: Player) -> None:
    seeds_choose(player, player_wins)
    window.expected = ["net::ERR_FAILED", "net::ERR_CONNECTION_FAILED"]
    tries: list[str] = []

    def answer_lost(route: Route) -> None:
        tries.append(route.request.headers["idempotency-key"])
        if len(tries) == 1:
            route.fetch()  # the bet is placed, but its answer is lost
            route.abort("connectionfailed")
        else:
            route.continue_()

    window.log_in(player)
    window.go("/play/baccarat/")
    window.route("**/api/game/baccarat/bet", answer_lost)
    window.place("Player")
    window.button("Deal").click()
    window.expect_verdict("You win 1.00 FUN.")
    window.expect_balance("1,001.00")
    assert len(tries) == 2
    assert len(set(tries)) == 1
    assert BaccaratGameRecord.objects.count() == 1


def test_after_faults_of_the_server_the_table_shows_whether_the_bet_was_placed(window: Window, player: Player) -> None:
    seeds_choose(player, player_wins)
    window.expected = ["status of 500"]
    tries: list[str] = []

    def fail(route: Route) -> None:
        if not tries:
            route.fetch()  # the first bet is placed
        tries.append(route.request.headers["idempotency-key"])
        route.fulfill(status=500)

    window.log_in(player)
    page = window.page
    page.clock.install()
    window.is_kept = False  # no other test gets this clock
    window.go("/play/baccarat/")
    window.route("**/api/game/baccarat/bet", fail)
    window.place("Player")
    for is_placed in (True, False):
        window.button("Deal").click()
        for number in range(1, 7):
            window.await_true(lambda number=number: len(tries) % 6 == number % 6)
            page.clock.fast_forward(8000)
        alert = page.get_by_role("alert")
        if is_placed:
            window.expect_verdict("You win 1.00 FUN.")
            expect(alert).to_have_text("")
        else:
            window.expect_verdict("It is not known whether your bet was placed.")
            expect(alert).to_contain_text("Something went wrong on our side.")
        window.expect_balance("1,001.00")
        page.keyboard.press("Escape")
        window.place("Player")
        expect(window.button("Deal")).to_be_enabled()
    assert [len(set(tries)), len(tries)] == [2, 12]
    assert BaccaratGameRecord.objects.count() == 1


def test_a_refused_bet_is_explained_and_a_raised_limit_holds_once_the_player_comes_back_to_the_window(
    window: Window, player: Player
) -> None:
    seeds_choose(player, player_wins)
    window.log_in(player)
    window.expected = ["status of 403"]
    page = window.page
    with page.expect_response("**/play/baccarat/table"):  # its first look at the limits is behind it then
        window.go("/play/baccarat/")
    window.chip("25.00")
    window.place("Player")
    BaccaratConfig.objects.filter(partner=player.partner).update(bet_max=20)
    window.button("Deal").click()
    alert = page.get_by_role("alert")
    expect(alert).to_have_text("A stake is outside the limits of this table, which may have changed.")
    expect(page.locator("[data-part=limits]")).to_have_text("Bet limits: 1 to 20 FUN")
    window.button("Deal").click()
    expect(alert).to_have_text("Player takes 20.00 FUN at most.")
    window.expect_balance("1,000.00")

    offer_make(player.partner, bet_max="30")
    page.evaluate("window.dispatchEvent(new Event('focus'))")
    expect(page.locator("[data-part=limits]")).to_have_text("Bet limits: 1 to 30 FUN")
    window.button("Deal").click()
    window.expect_verdict("You win 25.00 FUN.")
    assert BaccaratGameRecord.objects.get().bet_amount == 25


PLAYED = """() => {
  window.played = [];
  for (const { prototype } of [AudioBufferSourceNode, AudioScheduledSourceNode]) {
    const { start } = prototype;
    prototype.start = function (...when) {
      window.played.push(this.constructor.name);
      window.context = this.context;
      return start.apply(this, when);
    };
  }
}"""
"""Records what starts to sound, and in which context."""
SOUND_FILES = """() => performance.getEntriesByType("resource")
  .filter(({ name }) => /synthesis|sound|\\.(mp3|ogg|wav|webm|m4a)/.test(name))
  .map(({ name, decodedBodySize }) => [name.split("/").pop(), decodedBodySize])"""
MAX_SOUND_BYTES = 100_000
NOISE, NOTE = "AudioBufferSourceNode", "OscillatorNode"


def test_sounds_are_off_until_they_are_switched_on_for_every_table(window: Window, player: Player) -> None:
    seeds_choose(player, player_wins)
    window.is_kept = False
    window.log_in(player)
    page = window.go("/play/baccarat/")
    page.evaluate(PLAYED)
    window.place("Player")
    assert page.evaluate("played") == []
    assert [name for name, _ in page.evaluate(SOUND_FILES)] == ["sound.js"]
    window.settings()
    sound = page.get_by_role("button", name="Sound")
    expect(sound).to_have_attribute("aria-pressed", "false")
    sound.click()
    expect(sound).to_have_attribute("aria-pressed", "true")
    window.await_true(lambda: page.evaluate("played") == [NOISE])
    window.await_true(lambda: page.evaluate("context.state") == "running")  # it is heard
    window.button("Deal").click()
    window.expect_verdict("You win 1.00 FUN.")
    window.await_true(lambda: page.evaluate("played").count(NOTE) == 3)  # the chord of a gain
    assert page.evaluate("played").count(NOISE) > 2 * 4  # two noises for each of four cards or more
    files = dict(page.evaluate(SOUND_FILES))
    assert list(files) == ["sound.js", "synthesis.js"]
    assert 0 < sum(files.values()) < MAX_SOUND_BYTES
    window.go("/play/blackjack/")
    window.settings()
    expect(sound).to_have_attribute("aria-pressed", "true")
