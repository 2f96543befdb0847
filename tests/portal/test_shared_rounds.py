"""A round that its player shows to others: who may make the link, what the page shows, and what it never shows."""

import re
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Player
from apps.rounds.game_sessions import game_session_open
from apps.rounds.models import Round, RoundEnd, RoundShare
from apps.rounds.registry import game_of
from apps.rounds.services import player_open, seeds_rotate
from tests.office.rows import config_make, round_make
from tests.support.factories import partner_make, user_make

pytestmark = pytest.mark.django_db


@pytest.fixture
def player() -> Player:
    house = partner_make(is_house=True)
    user = user_make()
    return player_open(partner=house, reference=user.username, currency_code="FUN", user=user)


@pytest.fixture
def played(player: Player) -> Round:
    """A round that has ended, with its seed revealed."""
    made = round_make(player, config_make(player.partner)).round
    seeds_rotate(player=player, client_seed="next")
    made.refresh_from_db()
    return made


@pytest.fixture
def browser(player: Player) -> Client:
    browser = Client()
    browser.force_login(player.user)  # type: ignore[arg-type]
    return browser


def link_make(browser: Client, played: Round) -> str:
    """Return the address of the page after a click on "Make a link"."""
    answer: Any = browser.post(reverse("round-share", args=[played.pk]), follow=True)
    found = re.search(r'id="share-link" href="http://testserver(/shared/[\w-]{22,}/)"', answer.content.decode())
    assert found is not None
    return found[1]


def test_a_shown_round_has_its_bets_cards_and_proof_for_everybody(browser: Client, played: Round) -> None:
    answer: Any = Client().get(link_make(browser, played))
    page = answer.content.decode()
    assert answer.status_code == 200
    assert (answer["X-Robots-Tag"], 'content="noindex' in page) == ("noindex, nofollow", True)
    assert "no-store" in answer["Cache-Control"]
    pair = played.seed_pair
    assert pair is not None
    for shown in (
        game_of(played.game).title,
        pair.commitment,
        pair.server_seed,
        f'name="nonce" value="{played.nonce}"',
    ):
        assert shown in page
    for code in (*played.detail["player"], *played.detail["banker"]):
        assert f'code="{code}"' in page


def test_a_shown_round_names_neither_its_player_nor_its_reader(browser: Client, player: Player, played: Round) -> None:
    path = link_make(browser, played)
    session, token = game_session_open(player=player, game=played.game, currency_code="FUN")
    reader = user_make()
    player_open(partner=player.partner, reference=reader.username, currency_code="FUN", user=reader)
    other = Client()
    other.force_login(reader)
    for client in (browser, other):
        page = client.get(path).content.decode()  # type: ignore[attr-defined]
        hidden = [player.reference, reader.username, player.partner.name, player.partner.slug, token, str(played.pk)]
        hidden += ["data-balance", "1,000.00", f"{played.balance_before:,.2f}", f"{played.balance_after:,.2f}"]
        assert [text for text in hidden if text in page] == []
    assert session.pk


def test_a_withdrawn_link_shows_nothing_and_a_new_one_is_another(browser: Client, played: Round) -> None:
    first = link_make(browser, played)
    assert link_make(browser, played) == first
    answer: Any = browser.post(reverse("round-unshare", args=[played.pk]), follow=True)
    assert "Make a link" in answer.content.decode()
    assert Client().get(first).status_code == 404
    second = link_make(browser, played)
    assert second != first
    assert (Client().get(first).status_code, Client().get(second).status_code) == (404, 200)


@pytest.mark.parametrize("how_ended", [RoundEnd.OPEN, RoundEnd.PLAYED])
def test_a_round_that_is_open_or_not_revealed_is_not_shown(
    browser: Client, player: Player, played: Round, how_ended: RoundEnd
) -> None:
    pair = player.seed_pairs.get(status="active")
    hidden = Round.objects.create(
        partner=player.partner, player=player, currency_id="FUN", game=played.game, seed_pair=pair, nonce=7,
        config_version=1, stake=1, balance_before=1, balance_after=0, how_ended=how_ended,
        ended_at=timezone.now() if how_ended else None, terms=played.terms, detail=played.detail,
    )  # fmt: skip
    answer: Any = browser.post(reverse("round-share", args=[hidden.pk]), follow=True)
    assert "once it has ended and its server seed is revealed" in answer.content.decode()
    with pytest.raises(IntegrityError, match="round_share_revealed"), transaction.atomic():
        RoundShare.objects.create(round=hidden, code="x" * 22)
    assert not RoundShare.objects.exists()


def test_another_player_s_round_is_404(played: Round, player: Player) -> None:
    reader = user_make()
    player_open(partner=player.partner, reference=reader.username, currency_code="FUN", user=reader)
    other = Client()
    other.force_login(reader)
    for name in ("round-share", "round-unshare"):
        assert other.post(reverse(name, args=[played.pk])).status_code == 404
    assert Client().get("/shared/0123456789abcdefghijkl/").status_code == 404
    assert Client().get(f"/shared/{played.pk}/").status_code == 404


def test_the_database_keeps_a_share_but_for_its_withdrawal(browser: Client, played: Round) -> None:
    link_make(browser, played)
    share = RoundShare.objects.get()
    with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
        RoundShare.objects.filter(pk=share.pk).update(code="y" * 22)
    with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
        RoundShare.objects.filter(pk=share.pk).delete()
    with pytest.raises(IntegrityError, match="round_share_one"), transaction.atomic():
        RoundShare.objects.create(round=played, code="z" * 22)
    for columns in ("code = 'y' || code", "ctime = now()", "round_id = gen_random_uuid()"):
        with pytest.raises(IntegrityError, match="withdrawn once"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"RESET ROLE; UPDATE round_share SET withdrawn_at = now(), {columns}")
    RoundShare.objects.update(withdrawn_at=timezone.now())
    for again in (None, timezone.now()):
        with pytest.raises(IntegrityError, match="withdrawn once"), transaction.atomic():
            RoundShare.objects.update(withdrawn_at=again)
    for wrong in ({"code": "z" * 21}, {"code": "z" * 22, "withdrawn_at": timezone.now()}):
        with pytest.raises(IntegrityError, match="round_share_revealed"), transaction.atomic():
            RoundShare.objects.create(round=played, **wrong)


def test_pages_of_shown_rounds_are_limited(browser: Client, played: Round, settings: Any) -> None:
    path = link_make(browser, played)
    settings.PUNTO_SHARED_PER_S = 1
    reader = Client(REMOTE_ADDR="192.0.2.44")
    assert {reader.get(path).status_code for _ in range(20)} == {200, 429}
