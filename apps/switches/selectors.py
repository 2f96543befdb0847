"""The switches that are off for a player, for pages that say so before a bet is refused."""

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

    The trigger `round_switch` refuses by the same rule.
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
    scope = SwitchScope(switch.scope)
    if scope is SwitchScope.GAME:
        return game_title(switch.key)
    if scope not in _MODELS:
        return str(scope.label)
    model = _MODELS[scope]
    try:
        row = model.objects.filter(pk=model._meta.pk.to_python(switch.key)).first()
    except ValidationError:
        row = None
    return str(switch) if row is None else _after(str(scope.label), str(row))


def _after(kind: str, name: str) -> str:
    return name if name.startswith(kind) else f"{kind} {name}"
