"""The switches that are off for a player, for pages that say so before a bet is refused.

The trigger `round_switch` refuses it (migrations/0002_guard.sql).
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.core.exceptions import ValidationError

from apps.accounts.models import Player
from apps.partners.models import Partner
from apps.paytables.models import PayTable, PayTableUse
from apps.rounds.registry import game_title
from apps.switches.models import Switch, SwitchScope
from apps.tables.models import GameTable

_MODELS: Final[dict[SwitchScope, Any]] = {
    SwitchScope.PAY_TABLE: PayTable,
    SwitchScope.PARTNER: Partner,
    SwitchScope.PLAYER: Player,
    SwitchScope.TABLE: GameTable,
}


@dataclass(frozen=True, slots=True)
class SwitchesOff:
    """The switches that are off, as they concern a partner's rounds in a currency.

    `round_switch` refuses by the same rule.
    """

    partner_id: int
    keys: frozenset[tuple[str, str]]
    """The scope and key of each."""
    offers: frozenset[tuple[str, UUID | None]]
    """The game and table of each offer whose pay table is switched off; no table for the solo game."""

    def stops(self, *, player_id: int, game_id: str, table_id: UUID | None = None) -> bool:
        """Return whether no round of the player can begin there."""
        if not self.keys:
            return False
        concerned = {
            (SwitchScope.EVERYTHING, ""),
            (SwitchScope.GAME, game_id),
            (SwitchScope.PARTNER, str(self.partner_id)),
            (SwitchScope.PLAYER, str(player_id)),
            (SwitchScope.TABLE, str(table_id)),
        }
        return not self.keys.isdisjoint(concerned) or (game_id, table_id) in self.offers


def switches_off(*, partner_id: int, currency_code: str) -> SwitchesOff:
    """Return the switches that are off now, with one query; with two if a pay table is off."""
    keys = frozenset(Switch.objects.filter(is_off=True).values_list("scope", "key"))
    paytables = [int(key) for scope, key in keys if scope == SwitchScope.PAY_TABLE]
    uses = PayTableUse.objects.filter(
        partner=partner_id, currency=currency_code, paytable__in=paytables, ends__isnull=True, end__isnull=True
    )
    offers = frozenset(uses.values_list("game", "table_id")) if paytables else frozenset()
    return SwitchesOff(partner_id, keys, offers)


def switch_named(switch: Switch) -> str:
    """Return what the switch is of, by the name that people know it by."""
    return switches_named([switch])[switch.pk]


def switches_named(switches: Iterable[Switch]) -> dict[int, str]:
    """Return what each switch is of, by the name that people know it by, with one query for each scope."""
    held = list(switches)
    rows = {scope: _rows_of([each.key for each in held if each.scope == scope], _MODELS[scope]) for scope in _MODELS}
    return {each.pk: _named(each, rows) for each in held}


def _rows_of(keys: Sequence[str], model: Any) -> dict[str, Any]:
    """Return the rows by their keys as switches have them."""
    possible = {}
    for key in keys:
        with suppress(ValidationError):
            possible[key] = model._meta.pk.to_python(key)
    found = model.objects.in_bulk(possible.values()) if possible else {}
    return {key: found[pk] for key, pk in possible.items() if pk in found}


def _named(switch: Switch, rows: Mapping[SwitchScope, Mapping[str, Any]]) -> str:
    scope = SwitchScope(switch.scope)
    if scope is SwitchScope.GAME:
        return game_title(switch.key)
    if scope not in rows:
        return str(scope.label)
    row = rows[scope].get(switch.key)
    return str(switch) if row is None else _after(str(scope.label), str(row))


def _after(kind: str, name: str) -> str:
    return name if name.startswith(kind) else f"{kind} {name}"
