"""The checklist of a partner's set-up: the steps until its players can play, which are done, and links to the rest."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Role, User
from apps.core.admin import OfficeAdmin
from apps.core.count_texts import counted
from apps.core.models import Currency
from apps.core.money import amount_text
from apps.partners.models import ApiKey, Partner, Scope
from apps.rounds.game_spec import GameSpec, MenuGroup
from apps.rounds.models import PLAYED_ENDS, Round
from apps.rounds.registry import game_title, games

NEEDED_SCOPES: Final = (Scope.SESSIONS, Scope.WALLETS)


class SetupStepState(Enum):
    """The state of a step."""

    DONE = "done"
    MISSING = "missing"
    ONE_NEEDED = "one is needed"
    """Missing, as several other steps, of which one is enough."""
    OPTIONAL = "optional"


@dataclass(frozen=True, slots=True)
class SetupStep:
    """One step: what exists or is missing, and the page where to do it."""

    title: str
    state: SetupStepState
    text: str
    url: str
    link: str


def partner_setup(request: HttpRequest, partner_id: int) -> HttpResponse:
    """The steps of a partner's set-up, in their order."""
    listing = admin.site.get_model_admin(Partner)
    assert isinstance(listing, OfficeAdmin)
    partner: Partner = listing.object_or_404(request, str(partner_id))
    steps = list(setup_steps(partner))
    context = {
        **admin.site.each_context(request),
        "title": f"Set-up of {partner}",
        "partner": partner,
        "steps": steps,
        "may_configure": listing.has_configure_permission(request),
        "missing": missing_count(steps),
    }
    return TemplateResponse(request, "office/partner_setup.html", context)


def missing_count(steps: Iterable[SetupStep]) -> int:
    """Return the number of steps until players can play. The steps of which one is enough are one."""
    states = [step.state for step in steps]
    return states.count(SetupStepState.MISSING) + (SetupStepState.ONE_NEEDED in states)


def setup_steps(partner: Partner) -> Iterator[SetupStep]:
    """Yield the steps of the partner, each of which can be done in this order."""
    page = "admin:partners_partner"
    code = partner.default_currency_id
    yield SetupStep(
        "Currency",
        SetupStepState.DONE if code else SetupStepState.MISSING,
        f"Limits and odds without a currency are in {code}."
        if code
        else "No default currency is chosen. The first limits would choose theirs.",
        reverse(f"{page}_choose_currency", args=[partner.pk]),
        "Choose the default currency",
    )
    yield from _game_steps(partner)
    yield SetupStep(
        "Frame origins",
        SetupStepState.DONE if partner.frame_origins else SetupStepState.OPTIONAL,
        f"These pages may show a table in a frame: {', '.join(partner.frame_origins)}"
        if partner.frame_origins
        else "No page may show a table in a frame. Launch links work without.",
        reverse(f"{page}_choose_origins", args=[partner.pk]),
        "Choose the frame origins",
    )
    yield _key_step(partner)
    yield _staff_step(partner)
    yield _round_step(partner)


def _game_steps(partner: Partner) -> Iterator[SetupStep]:
    """Yield a step for each game. One is enough, so others are optional then."""
    own = User(role=Role.AUDITOR, partner=partner)  # sees this partner's rows alone, whoever looks at the page
    offers = {game.id: _offers_text(game, partner) for game in games()}
    without = SetupStepState.OPTIONAL if any(offers.values()) else SetupStepState.ONE_NEEDED
    for game in games():
        title, link = f"{game.title}: limits, odds, rules", f"Limits and odds of {game.title}"
        model = next(entry.model for entry in game.menu if entry.group is MenuGroup.OFFER)
        name = f"admin:{model.replace('.', '_').lower()}"
        faults = game.unplayable(own)
        if faults:
            text = f"Limits are active and cannot be played. {faults[0].reason}"
            yield SetupStep(title, SetupStepState.MISSING, text, faults[0].url, link)
        elif offers[game.id]:
            yield SetupStep(title, SetupStepState.DONE, f"{offers[game.id]}.", reverse(f"{name}_changelist"), link)
        else:
            yield SetupStep(
                title, without, "Not offered in any currency.", reverse(f"{name}_add"), f"Offer {game.title}"
            )


def _offers_text(game: GameSpec, partner: Partner) -> str:
    """Return the limits of each currency in words; empty if the game is not offered."""
    found = []
    for currency in Currency.objects.order_by("code"):
        offer = game.offer(partner.pk, currency.code)
        bets = len(game.house_edges(partner.pk, currency.code)) if offer else 0
        if offer and bets:
            ends = f"{amount_text(offer.bet_min, currency)} to {amount_text(offer.bet_max, currency)}"
            found.append(f"{ends} on {counted(bets, 'bet')}")
    return ", ".join(found)


def _key_step(partner: Partner) -> SetupStep:
    valid = Q(expires_at__isnull=True) | Q(expires_at__gt=timezone.now())
    keys = ApiKey.objects.filter(valid, partner=partner, revoked_at__isnull=True)
    scopes = {scope for key in keys for scope in key.scopes}
    missing = [scope.value for scope in NEEDED_SCOPES if scope not in scopes]
    title = "API key"
    if missing:
        text = f"No key in use has the scope {' or '.join(missing)}."
        return SetupStep(title, SetupStepState.MISSING, text, reverse("admin:partners_apikey_add"), "Make a key")
    in_use = f"{counted(len(keys), 'key')} in use."
    return SetupStep(title, SetupStepState.DONE, in_use, reverse("admin:partners_apikey_changelist"), "API keys")


def _staff_step(partner: Partner) -> SetupStep:
    count = User.objects.filter(partner=partner, role=Role.PARTNER_STAFF, is_active=True).count()
    state = SetupStepState.DONE if count > 1 else SetupStepState.OPTIONAL
    alone = "There is one log-in of partner staff. A colleague could reset it."
    return SetupStep(
        "Colleagues",
        state,
        alone if count == 1 else f"{counted(count, 'log-in')} of partner staff.",
        reverse("admin:accounts_user_add"),
        "Invite a colleague",
    )


def _round_step(partner: Partner) -> SetupStep:
    rounds = Round.objects.filter(partner=partner, how_ended__in=PLAYED_ENDS)
    played = rounds.order_by("-started_at").first()
    if played is None:
        text = "None has been played yet. Open a player, deposit and open a session with the key; then play its link."
        return SetupStep("Test round", SetupStepState.MISSING, text, "/api/", "The calls, to be tried")
    text = f"The newest is of {game_title(played.game)}, begun {played.started_at:%Y-%m-%d %H:%M:%S} UTC."
    return SetupStep("Test round", SetupStepState.DONE, text, reverse("admin:replay", args=[played.pk]), "Its replay")
