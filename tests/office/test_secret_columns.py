"""The secret columns; no list of the office filters, searches, sorts, exports or shows one."""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.utils import flatten_fieldsets
from django.db import connection
from django.db.models import BinaryField, Model
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from apps.core.errors import BadRequest
from apps.one_deal.models import OneDealRecord
from tests.office.conftest import Casino
from tests.office.queries import FILTERS, list_of, lists_of, name_of, user_of

LogIn = Callable[[str], Client]

SECRET = {
    "account_emailconfirmation.key",
    "account_user.password",
    "api_key.key_hash",
    "django_session.session_data",
    "django_session.session_key",
    "game_session.code_hash",
    "game_session.connection",
    "game_session.token_hash",
    "mfa_authenticator.data",
    "round_share.code",
    "row_removal.row_keys",
    "sealed_block.row_keys",
    "seed_pair.sealed_seed",
    "stored_answer.answer",
    "stored_answer.body_hash",
    "stored_answer.key",
    "table_chain.sealed_seed",
    "table_session.token_hash",
    "usersessions_usersession.session_key",
}
"""Columns that no page may show, by table."""

PUBLIC = {
    "api_key_request.code": "the code of an error",
    "api_key_request.key_id": "a row's id",
    "build_check.manifest_hash": "of the program's files",
    "event_link.hash": "part of a chain",
    "switch.key": "the id of what is switched",
    "audit_entry.data": "data of acts, which services write without secrets",
    "auth_permission.codename": "the name of a permission",
    "currency.code": "EUR",
    "usersessions_usersession.data": "empty: a place for adapters of ours, of which there is none",
    "daily_seal.heads_hash": "part of a proof that is also stored outside the database",
    "daily_seal.key_id": "which of the keys signed",
    "daily_seal.mac": "the same",
    "daily_seal.previous_mac": "the same",
    "daily_seal.signature": "the same",
    "game_round.nonce": "a count",
    "game_round.seed_pair_id": "a row's id",
    "kept_report.body": "a report's file, which those whose scope it is in download",
    "kept_report.head": "what the report's page shows",
    "paytable.hash": "of rules and odds, which everybody may read",
    "row_change.hash": "part of a chain",
    "row_change.row_key": "a row's id",
    "sealed_head.head": "part of the proof",
    "sealed_head.seal_id": "a row's id",
    "sealed_section.seal_id": "a row's id",
    "seed_pair.client_seed": "the player's choice",
    "seed_pair.client_seed_chosen": "whether the player has chosen them",
    "seed_pair.next_nonce": "a count",
    "seed_pair.server_seed": "empty until it is revealed, which the database checks",
    "game_table.is_private": "whether the lobby leaves the table out",
    "table_round.client_seed": "what the seats contributed",
    "table_round.nonce": "a count",
    "table_round.seed": "empty until the round has ended, which the database checks",
    "table_round.seed_hash": "a commitment",
    "wallet.head": "the newest hash of the chain",
    "wallet_transaction.hash": "part of the chain, which a player may check",
    "wallet_transaction.source_key": "<round id>:<n>:<kind>",
}
"""Columns with names like secrets' that are not secret, with the reason."""
for record in apps.get_models():
    if issubclass(record, OneDealRecord):
        PUBLIC[f"{record._meta.db_table}.nonce"] = "a count"
        PUBLIC[f"{record._meta.db_table}.seed_pair_id"] = "a row's id"

LIKE_A_SECRET = re.compile(
    r"passw|secret|hash|token|key|seed|seal|salt|otp|recovery|nonce|credential|session_data|signature|mac$|private"
    r"|cipher|connection|code$|codename|^data$|^answer$|^pin|head$"
)

TERMS = ["1", "a", "a:b", "0" * 64, "5c2b3b3c-7267-4770-a6c7-0513eb7fbb76"]
"""One search term of each kind that a list distinguishes."""


def columns() -> Iterator[tuple[str, Any]]:
    """Yield every column of every table, with its field."""
    for model in apps.get_models(include_auto_created=True):
        for field in model._meta.concrete_fields:
            if field.column is not None:
                yield f"{model._meta.db_table}.{field.column}", field


def test_every_column_named_like_a_secret_is_in_one_of_the_two_lists() -> None:
    suspects = {
        name for name, field in columns() if LIKE_A_SECRET.search(field.column) or isinstance(field, BinaryField)
    }
    assert suspects - SECRET - PUBLIC.keys() == set()
    assert (SECRET | PUBLIC.keys()) - suspects == set()
    assert SECRET & PUBLIC.keys() == set()


def test_no_secret_column_selects_or_sorts_rows(ours: Casino, log_in: LogIn) -> None:
    """The SQL of each filter, search and order has no secret column after its FROM."""
    operator = user_of(log_in("operator"))
    for name, model in lists_of("operator"):
        listing = admin.site.get_model_admin(model)
        columns_shown = [str(number) for number in range(len(listing.list_display))]
        queries = [{}, *({parameter: possible} for parameter, (possible, _) in FILTERS.get(name, {}).items())]
        queries += [{"o": number} for number in columns_shown]
        queries += [{"q": term} for term in TERMS if listing.search_fields]
        for query in queries:
            with CaptureQueriesContext(connection) as asked, suppress(BadRequest):  # some columns cannot be sorted by
                list(list_of(operator, model, query).result_list)
            own = [entry["sql"] for entry in asked if f'FROM "{model._meta.db_table}"' in entry["sql"]]
            assert own or "o" in query, (name, query)
            for sql in own:
                assert secrets_in(sql.split(" FROM ", 1)[1]) == set(), (name, query, sql)


def secrets_in(sql: str) -> set[str]:
    """Return the secret columns that a piece of SQL names."""
    return {name for name in SECRET if '"{}"."{}"'.format(*name.split(".")) in sql}


def test_a_secret_column_in_a_condition_is_found() -> None:
    assert secrets_in("""FROM "account_user" WHERE "account_user"."password" LIKE 'a%'""") == {"account_user.password"}


def test_no_secret_column_is_shown_or_exported(ours: Casino, log_in: LogIn) -> None:
    request = RequestFactory().get("/")
    request.user = user_of(log_in("operator"))
    for model, listing in admin.site._registry.items():
        shown = {str(name) for name in listing.get_list_display(request)}
        shown |= {str(name) for name in flatten_fieldsets(listing.get_fieldsets(request, model()))}
        resource = getattr(listing, "resource", None)
        if resource is not None:
            shown |= {field.attribute for field in resource().get_export_fields() if field.attribute}
        assert shown, model
        for path in shown:
            assert column_of(model, path) not in SECRET, (name_of(model), path)


def column_of(model: type[Model], path: str) -> str | None:
    """Return the column that a path of field names leads to, or None for a method."""
    *relations, last = path.split("__")
    for relation in relations:
        model = model._meta.get_field(relation).related_model  # type: ignore[assignment]
    columns_by_name = {
        name: f"{model._meta.db_table}.{field.column}"
        for field in model._meta.concrete_fields
        for name in (field.name, field.attname)
    }
    return columns_by_name.get(last)


def test_paths_lead_to_columns() -> None:
    from apps.rounds.models import Round

    assert column_of(Round, "seed_pair__sealed_seed") == "seed_pair.sealed_seed"
    assert column_of(Round, "player__user__password") == "account_user.password"
    assert column_of(Round, "short_id") is None


ATTACKED = [
    ("accounts_user", "password"),
    ("partners_apikey", "key_hash"),
    ("rounds_gamesession", "token_hash"),
    ("fairness_seedpair", "sealed_seed"),
]


@pytest.mark.parametrize("who", ["partner_staff", "auditor"])
def test_filters_cannot_read_a_password_hash_letter_by_letter(who: str, ours: Casino, log_in: LogIn) -> None:
    """This attack worked once: for each possible next letter the list showed the row or not."""
    browser = log_in(who)
    for name, column in ATTACKED:
        answers = {
            (answer.status_code, answer.content.decode().count("<tr"))
            for letter in "0acfmp"
            for answer in [browser.get(reverse(f"admin:{name}_changelist"), {f"{column}__startswith": letter})]
        }
        assert len(answers) == 1, (name, answers)
        assert answers <= {(400, 0), (403, 0)}, (name, answers)
