"""The models with a timeline, and the tables of each timeline."""

from collections.abc import Sequence
from typing import Any, Final

from django.contrib import admin
from django.db.models import Model
from django.http import Http404, HttpRequest
from django.urls import reverse

from apps.accounts.models import Player, User
from apps.core.admin import OfficeAdmin
from apps.core.staff_scope import PARTNER_STAFF, Viewer
from apps.partners.models import Partner
from apps.rounds.models import Round
from apps.timelines.entries import Source
from apps.timelines.sources import (
    acts_by,
    acts_of_partner,
    acts_on,
    changes_of,
    decisions_of_round,
    events_about,
    events_of_partner,
    history_of,
    movements_of_round,
    movements_of_wallet,
    rounds_of_player,
    sessions_of_player,
)
from apps.wallet.models import Wallet

_MODELS: Final[dict[str, type[Model]]] = {
    "player": Player,
    "wallet": Wallet,
    "round": Round,
    "partner": Partner,
    "log-in": User,
}


def timeline_models() -> dict[str, type[Model]]:
    """Return the models whose rows have a timeline, by the words of their addresses."""
    return _MODELS | _config_models()


def subject_of(request: HttpRequest, kind: str, key: str) -> Any:
    """Return the row within the viewer's scope, as its own page would; raises Http404."""
    model = timeline_models().get(kind)
    if model is None:
        raise Http404
    listing = admin.site.get_model_admin(model)
    assert isinstance(listing, OfficeAdmin)
    return listing.object_or_404(request, key)


def kind_of(model: type[Model]) -> str:
    """Return the word of a model's timelines; raises KeyError."""
    return {each: kind for kind, each in timeline_models().items()}[model]


def timeline_url(row: Model) -> str:
    """Return the address of the row's timeline."""
    return reverse("admin:timeline", args=[kind_of(type(row)), row.pk])


def sources_of(row: Any, viewer: Viewer) -> list[Source]:
    """Return the sources of a row's timeline, as the viewer may read them."""
    match row:
        case Player():
            return _of_player(row, viewer)
        case Wallet():
            subjects = [f"wallet {row.pk}"]
            found = [movements_of_wallet(row), acts_on(subjects, viewer), events_about(subjects, viewer)]
            return found + _kept([row], viewer)
        case Round():
            subjects = [f"round {row.pk}"]
            return [
                decisions_of_round(row),
                movements_of_round(row),
                acts_on(subjects, viewer),
                events_about(subjects, viewer, round_id=row.pk),
            ]
        case Partner():
            return [acts_of_partner(row.pk, viewer), events_of_partner(row.pk, viewer), *_kept([row], viewer)]
        case User():
            subjects = [f"log-in {row.get_username()}"]
            found = [acts_by(row.pk, viewer), acts_on(subjects, viewer), events_about(subjects, viewer)]
            return found + _kept([row], viewer)
        case _:
            subjects = [f"{row._meta.verbose_name} {row.pk}"]
            return [history_of(row), acts_on(subjects, viewer), events_about(subjects, viewer)]


def _of_player(player: Player, viewer: Viewer) -> list[Source]:
    wallets = list(Wallet.objects.filter(player=player).select_related("currency"))
    subjects = [f"player {player.pk}", *(f"wallet {wallet.pk}" for wallet in wallets)]
    return [
        *(movements_of_wallet(wallet) for wallet in wallets),
        rounds_of_player(player.pk),
        sessions_of_player(player.pk),
        acts_on(subjects, viewer),
        events_about(subjects, viewer),
        *_kept([player, *wallets], viewer),
    ]


def _kept(rows: Sequence[Model], viewer: Viewer) -> list[Source]:
    """Return the source of raw versions of rows, which are for auditors and operators."""
    return [] if viewer.role == PARTNER_STAFF else [changes_of(rows)]


def _config_models() -> dict[str, type[Model]]:
    """Return the tables of limits, odds and rules, which keep their saved versions."""
    kept = [model for model in admin.site._registry if hasattr(model, "history")]
    return {str(model._meta.model_name): model for model in kept}
