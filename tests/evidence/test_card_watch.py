"""The watch over the faces of cards: it raises an alarm if a face is never dealt, and none for fair cards."""

from datetime import date
from random import Random

import psycopg
import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from apps.accounts.models import Role, User
from apps.baccarat.edge import face_chances
from apps.events.models import EventKind, SignificantEvent
from apps.evidence.card_watch import cards_watched
from apps.evidence.faces import EVEN, FACES, faces_at_places
from apps.evidence.mathematics import chi_square, chi_square_tail
from apps.evidence.models import Measure, OnAlarm
from apps.evidence.published import published_read
from apps.evidence.services import card_watch, paytable_on_alarm_set, rtp_watch
from apps.office.approval_details import alarm_close_details
from apps.paytables.models import PayTable
from apps.rounds.registry import game_title
from apps.switches.models import Switch
from tests.evidence.test_rtp_watch import closed_by
from tests.support.baccarat import offer_make
from tests.support.factories import partner_make, staff_make

pytestmark = pytest.mark.usefixtures("committed")

PLACES = 4
CARDS = 15_000
GAME = "og-baccarat"


def cards_count(superuser: psycopg.Connection, day: str, *, seed: int, missing: str = "") -> None:
    """Count cards of baccarat on a day. One face is never dealt at the third place."""
    chance = Random(seed)
    for place in range(PLACES):
        faces = [face for face in FACES if place != 2 or face != missing]
        dealt = chance.choices(faces, k=CARDS)
        superuser.cursor().executemany(
            "INSERT INTO card_stat (period, zone, game, decks, place, card, count)"
            " VALUES (%s, 'UTC', %s, 8, %s, %s, %s)",
            [(day, GAME, place, face, dealt.count(face)) for face in faces],
        )


def test_fair_cards_raise_nothing_and_a_face_that_never_comes_is_an_alarm_until_it_is_closed(
    superuser: psycopg.Connection, operators: tuple[User, User], client: Client
) -> None:
    offer_make(partner_make(is_house=True))
    cards_count(superuser, "2026-01-01", seed=1)
    assert len(cards_watched()) == PLACES
    assert card_watch() == []

    paytable = PayTable.objects.filter(game=GAME).latest("pk")
    paytable_on_alarm_set(operator=operators[0], paytable=paytable, on_alarm=OnAlarm.REFUSE, reason="cards decide")
    cards_count(superuser, "2026-01-02", seed=2, missing=FACES[0])
    (alarm,) = card_watch()
    assert (alarm.measure, alarm.game, alarm.kind, alarm.law) == (Measure.CARDS, GAME, "card 3", "8 decks")
    assert alarm.n == 2 * CARDS
    assert card_watch() == []
    assert SignificantEvent.objects.filter(kind=EventKind.UNUSUAL, subject=f"RTP alarm {alarm.pk}").count() == 1
    assert Switch.objects.latest("pk").key == str(paytable.pk)
    rtp_watch()
    assert [message.subject for message in mail.outbox] == [f"Punto: RTP alarm {alarm.pk}"]
    assert f"{game_title(GAME)}, card 3 of 8 decks: the faces of {2 * CARDS:,} cards" in mail.outbox[0].body
    assert reds(GAME) == {True}
    client.force_login(operators[0])
    address = reverse("admin:evidence_evidencealarm_change", args=[alarm.pk])
    page = client.get(address).content.decode()
    assert f"{game_title(GAME)}: card 3, 8 decks" in page
    figures = reverse("admin:evidence")
    assert f'href="{figures}?game={GAME}#faces"' in page
    assert '<section id="faces">' in client.get(f"{figures}?game={GAME}&since=2026-01-01").content.decode()
    switch = reverse("admin:switches_switch_change", args=[Switch.objects.latest("pk").pk])
    assert f'href="{switch}"' in page
    assert "refuses rounds" in str(alarm_close_details({"alarm": alarm.pk}).changes)

    closed_by(*operators, alarm)
    assert card_watch() == []
    assert reds(GAME) == {False}
    assert Switch.objects.latest("pk").is_off is False
    assert f'href="{switch}"' not in client.get(address).content.decode()
    cards_count(superuser, "2026-01-03", seed=3)
    assert card_watch() == []
    assert {each.n for each in cards_watched() if each.key.kind == "card 3"} == {CARDS}
    cards_count(superuser, "2026-01-04", seed=4, missing=FACES[0])
    (again,) = card_watch()
    assert again.n == 2 * CARDS


def test_each_month_has_its_chi_square_and_one_that_is_rare_with_fair_cards_is_marked(
    superuser: psycopg.Connection, client: Client
) -> None:
    cards_count(superuser, "2026-01-31", seed=1)
    cards_count(superuser, "2026-02-01", seed=2, missing=FACES[0])
    third = faces_at_places(since=None, until=None)[2]
    assert [(part.month, part.dealt, part.is_unusual) for part in third.months] == [
        (date(2026, 1, 1), CARDS, False), (date(2026, 2, 1), CARDS, True),
    ]  # fmt: skip
    assert third.dealt == 2 * CARDS
    client.force_login(staff_make(Role.AUDITOR))
    answer = client.get(reverse("admin:evidence"), {"since": "2026-01-01", "until": "2026-02-28"})
    assert answer.content.decode().count('<th scope="row">2026-02</th>') == PLACES
    place = answer.context["faces"][2]
    (_, [(face, url), *_]), *_ = place["suits"]
    for address, card in ((place["url"], "any"), (url, face.card)):
        assert f"card 3 of 8 decks: {card}" in " ".join(client.get(address).content.decode().split())


def test_third_cards_are_compared_with_their_exact_chances(superuser: psycopg.Connection) -> None:
    """With one deck the third card is an eight or a nine more often, by 2 %."""
    chances = face_chances(1, 4)
    assert chances is not None
    counts = [round(10_000_000 * chance) for chance in chances]
    superuser.cursor().executemany(
        "INSERT INTO card_stat (period, zone, game, decks, place, card, count)"
        " VALUES ('2026-01-01', 'UTC', %s, 1, 4, %s, %s)",
        [(GAME, face, count) for face, count in zip(FACES, counts, strict=True)],
    )
    (fifth,) = faces_at_places(since=None, until=None)
    assert not fifth.is_unusual
    assert {face.heat for _, faces in fifth.suits for face in faces} == {"heat-0"}
    assert [each.evidence < 0 for each in cards_watched()] == [True]
    assert chi_square_tail(chi_square(counts, EVEN), 51) < 1e-9


def reds(game: str) -> set[bool]:
    """Return whether the public page marks bets of the game."""
    return {bet["alarm"] for row in published_read() if row["game"] == game for bet in row["bets"]}
