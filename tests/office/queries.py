"""The query parameters of the office's lists, and functions that send them."""

from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth import get_user
from django.db.models import Model
from django.test import Client, RequestFactory
from django.urls import reverse

from apps.core.errors import BadRequest
from apps.one_deal.models import OneDealConfig, OneDealOdds, OneDealRecord
from tests.office.conftest import Casino

ROLES = ["partner_staff", "partner_auditor", "auditor", "operator"]
SEES_ALL = {"auditor", "operator"}
NOT_FOR_PARTNERS = {
    "build_buildcheck", "events_eventthreshold", "evidence_evidencealarm", "paytables_paytable", "switches_switch",
    "wallet_dailyseal",
}  # fmt: skip
NOT_FOR_STAFF = {"approvals_approval", "audit_auditentry", "staff_access_staffaccess", *NOT_FOR_PARTNERS}

DAY, BAD_DAY = "2026-01-31", "yesterday"
ID, BAD_ID = "1", "x"

FILTERS: dict[str, dict[str, tuple[str, str]]] = {
    "accounts_player": {
        "partner__id__exact": (ID, BAD_ID),
        "status__exact": ("blocked", "b"),
        "ctime_from": (DAY, BAD_DAY),
        "ctime_to": (DAY, BAD_DAY),
    },
    "accounts_user": {"role__exact": ("player", "p"), "partner__id__exact": (ID, BAD_ID)},
    "approvals_approval": {"state": ("waiting", "w")},
    "audit_auditentry": {"ctime_from": (DAY, BAD_DAY), "ctime_to": (DAY, BAD_DAY), "partner": (ID, BAD_ID)},
    "blackjack_blackjackconfig": {"partner__id__exact": (ID, BAD_ID)},
    "blackjack_blackjackterms": {"config__partner__id__exact": (ID, BAD_ID)},
    "evidence_evidencealarm": {
        "state": ("open", "x"),
        "measure__exact": ("R", "r"),
        "ctime_from": (DAY, BAD_DAY),
        "ctime_to": (DAY, BAD_DAY),
    },
    "evidence_rtppublication": {"partner__id__exact": (ID, BAD_ID)},
    "events_eventthreshold": {"kind__exact": ("large_win", "x")},
    "events_significantevent": {
        "kind__exact": ("large_win", "x"),
        "ctime_from": (DAY, BAD_DAY),
        "ctime_to": (DAY, BAD_DAY),
        "partner": (ID, BAD_ID),
    },
    "fairness_seedpair": {"status__exact": ("revealed", "r"), "player__id__exact": (ID, BAD_ID)},
    "partners_apikey": {"partner__id__exact": (ID, BAD_ID)},
    "partners_apikeyrequest": {
        "time_from": (DAY, BAD_DAY),
        "time_to": (DAY, BAD_DAY),
        "key__partner__id__exact": (ID, BAD_ID),
        "key__id__exact": (ID, BAD_ID),
        "answer": ("refused", "r"),
        "code": ("SCOPE_MISSING", "no such code"),
    },
    "paytables_paytable": {"ctime_from": (DAY, BAD_DAY), "ctime_to": (DAY, BAD_DAY)},
    "rounds_gamesession": {
        "partner__id__exact": (ID, BAD_ID),
        "game": ("og-baccarat", "og-roulette"),
        "player__id__exact": (ID, BAD_ID),
    },
    "rounds_round": {
        "started_at_from": (DAY, BAD_DAY),
        "started_at_to": (DAY, BAD_DAY),
        "partner__id__exact": (ID, BAD_ID),
        "game": ("og-blackjack", "x"),
        "player__id__exact": (ID, BAD_ID),
        "ended_at_from": (DAY, BAD_DAY),
        "ended_at_to": (DAY, BAD_DAY),
        "void__ctime_from": (DAY, BAD_DAY),
        "void__ctime_to": (DAY, BAD_DAY),
        "state": ("counted", "x"),
        "open_after": (DAY, BAD_DAY),
        "zone": ("UTC", "America"),
        "currency__code__exact": ("FUN", "F" * 9),
        "money": ("play", "x"),
        "channel": ("table", "x"),
        "device": ("app", "x"),
        "bet": ("hand", "x"),
        "digits": ("3", "16"),
        "result": ("UserWin", "x"),
        "payout": ("wrong", "x"),
        "paytable": (ID, BAD_ID),
        "card": ("8-0-HQ", "8-0-H0"),
        "law": ("0" * 64, "0" * 63),
    },
    "rounds_roundvoid": {"ctime_from": (DAY, BAD_DAY), "ctime_to": (DAY, BAD_DAY)},
    "scheduled_changes_scheduledchange": {"partner__id__exact": (ID, BAD_ID), "status__exact": ("waiting", "w")},
    "statistics_partnerzone": {"partner__id__exact": (ID, BAD_ID)},
    "switches_switch": {"scope__exact": ("game", "x"), "state": ("off", "x")},
    "staff_access_staffaccess": {
        "ctime_from": (DAY, BAD_DAY),
        "ctime_to": (DAY, BAD_DAY),
        "kind__exact": ("export", "x"),
        "partner": (ID, BAD_ID),
    },
    "tables_gametable": {
        "partner__id__exact": (ID, BAD_ID),
        "game_type": ("blackjack", "roulette"),
        "state": ("open", "x"),
    },
    "tables_tableround": {
        "started_at_from": (DAY, BAD_DAY),
        "started_at_to": (DAY, BAD_DAY),
        "table__partner__id__exact": (ID, BAD_ID),
        "ending__exact": ("settled", "s"),
        "table__id__exact": ("5c2b3b3c-7267-4770-a6c7-0513eb7fbb76", "5c2b3b3c"),
    },
    "tables_tablesession": {
        "partner__id__exact": (ID, BAD_ID),
        "ctime_from": (DAY, BAD_DAY),
        "ctime_to": (DAY, BAD_DAY),
        "player__id__exact": (ID, BAD_ID),
    },
    "wallet_wallet": {
        "house_account__partner__id__exact": (ID, BAD_ID),
        "currency__code__exact": ("FUN", "F" * 9),
        "player__id__exact": (ID, BAD_ID),
    },
    "wallet_wallettransaction": {
        "ctime_from": (DAY, BAD_DAY),
        "ctime_to": (DAY, BAD_DAY),
        "house_account__partner__id__exact": (ID, BAD_ID),
        "kind": ("deposit", "bet"),
        "wallet__id__exact": (ID, BAD_ID),
    },
}
"""The filters of each table's list, each with a valid and an invalid value."""
QUALIFIERS = {"zone"}
"""Filters that say what the others mean, and offer the choices of one partner alone."""


def name_of(model: type[Model]) -> str:
    """Return the admin's name of a table."""
    return f"{model._meta.app_label}_{model._meta.model_name}"


def one_deal_filters(model: type[Model]) -> dict[str, tuple[str, str]]:
    """Return the same for a table of a one-deal game, and nothing for other tables."""
    if issubclass(model, OneDealConfig):
        return {"partner__id__exact": (ID, BAD_ID), "status__exact": ("1", "01")}
    if issubclass(model, OneDealOdds):
        partner = f"{model._meta.app_label}_config__partner__id__exact"
        return {partner: (ID, BAD_ID), "status__exact": ("2", "3"), "game_type__exact": ("1", "x")}
    if issubclass(model, OneDealRecord):
        return {
            "ctime_from": (DAY, BAD_DAY),
            "ctime_to": (DAY, BAD_DAY),
            "partner__id__exact": (ID, BAD_ID),
            "player__id__exact": (ID, BAD_ID),
            "game_type__exact": ("1", "999"),
            "result_type__exact": ("1", "x"),
        }
    return {}


FILTERS |= {name_of(model): one_deal_filters(model) for model in apps.get_models() if one_deal_filters(model)}


def lists_of(who: str) -> list[tuple[str, type[Model]]]:
    """Return the tables whose lists a role may see."""
    hidden = NOT_FOR_STAFF if who == "partner_staff" else set() if who in SEES_ALL else NOT_FOR_PARTNERS
    return sorted(
        ((name_of(model), model) for model in admin.site._registry if name_of(model) not in hidden),
        key=lambda pair: pair[0],
    )


def filters_of(who: str, name: str) -> dict[str, tuple[str, str]]:
    """Return the filters of a table's list for a role; a viewer of one partner has no filter by partner."""
    found = FILTERS.get(name, {})
    return {
        key: pair for key, pair in found.items() if who in SEES_ALL or not (key == "partner" or "partner__id" in key)
    }


def list_path(name: str) -> str:
    return reverse(f"admin:{name}_changelist")


def user_of(browser: Client) -> Any:
    """Return the log-in of a browser."""
    request = RequestFactory().get("/")
    request.session = browser.session
    return get_user(request)


def list_of(user: Any, model: type[Model], query: dict[str, Any]) -> Any:
    """Return the rows of a list as its page and its export have them. Raises BadRequest."""
    request = RequestFactory().get("/", query)
    request.user = user
    return admin.site.get_model_admin(model).get_changelist_instance(request)


def list_refuses(user: Any, model: type[Model], query: dict[str, Any], parameter: str) -> bool:
    """Return whether the list refuses this query parameter."""
    with pytest.raises(BadRequest) as refusal:
        list_of(user, model, query)
    named = refusal.value.field
    return named is not None and (parameter == named or parameter.startswith(named.removesuffix("...")))


def refused(answer: Any, parameter: str) -> bool:
    """Return whether the answer is a refusal that names this parameter."""
    page = answer.content.decode()
    return answer.status_code == 400 and 'role="alert"' in page and f"{parameter}: " in unescape(page)


def paths_of(model: type[Model], hops: int) -> Iterator[str]:
    """Yield the lookups of every column and relation, over at most `hops` relations in either direction."""
    for field in model._meta.get_fields():
        yield field.name
        if hops and field.is_relation and field.related_model:
            for rest in paths_of(field.related_model, hops - 1):
                yield f"{field.name}__{rest}"


def names_of(casino: Casino) -> list[str]:
    """Return texts that identify a partner's rows on any page."""
    pair = casino.record.seed_pair
    movements = casino.player.wallets.get().transactions.all()
    return [
        casino.partner.name,
        casino.player.reference,
        str(casino.record.round_id),
        casino.api_key.prefix,
        pair.commitment,
        *(bytes(movement.hash).hex() for movement in movements),
    ]
