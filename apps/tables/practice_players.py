"""The players of practice bots: their accounts, their play money, and their tables. practice_bots.py plays for them."""

from typing import Final
from uuid import uuid4

from django.db import transaction

from apps.accounts.models import Player
from apps.core.errors import NotFound
from apps.partners.models import Partner
from apps.rounds.services import player_open
from apps.tables.models import GameTable, TablePlayer
from apps.tables.sessions import table_player_of, table_session_open
from apps.wallet.models import Kind
from apps.wallet.services import wallet_lock, wallet_move

NAMES: Final = (
    "Ada", "Blaise", "Carl", "Daniel", "Emilie", "Felix", "Grace", "Henri", "Ida", "Jakob", "Karen", "Leonhard",
    "Mary", "Niels", "Olga", "Pierre",
)  # fmt: skip
"""First names of mathematicians and scientists."""


def bot_players(partner: Partner, count: int, currency_code: str) -> list[Player]:
    """Return `count` bots of the partner; missing ones are created."""
    if count > len(NAMES):
        raise NotFound(f"there are {len(NAMES)} practice bots")
    return [_bot(partner, name, currency_code) for name in NAMES[:count]]


def bot_session_open(player_id: int, currency_code: str) -> str:
    """Begin a session of a bot and return its token."""
    player = Player.objects.select_related("user").get(pk=player_id)
    bot_wallet_fill(player_id, currency_code)
    _, token = table_session_open(player=player, currency_code=currency_code)
    return token


@transaction.atomic(durable=True)
def bot_wallet_fill(player_id: int, currency_code: str) -> None:
    """Top a bot's wallet of play money up to the currency's grant if it holds less than half of it."""
    wallet = wallet_lock(player_id=player_id, currency_code=currency_code)
    grant = wallet.currency.play_grant
    if wallet.balance * 2 >= grant:
        return
    wallet_move(
        wallet_id=wallet.pk,
        kind=Kind.REFILL,
        change=grant - wallet.balance,
        source_key=f"wallet:{wallet.pk}:{uuid4()}:bot",
        reason="play money of a practice bot",
    )


def bot_tables(partner: Partner) -> list[GameTable]:
    """Return the partner's tables that bots may sit at, the oldest first: open to all, for points or play money."""
    tables = GameTable.objects.filter(partner=partner, is_open=True, is_private=False, creator__isnull=True)
    return [
        table
        for table in tables.select_related("currency").order_by("ctime")
        if table.currency is None or table.currency.is_play
    ]


@transaction.atomic
def _bot(partner: Partner, name: str, currency_code: str) -> Player:
    player = player_open(partner=partner, reference=f"practice-bot-{name.lower()}", currency_code=currency_code)
    table_player_of(player, is_bot=True)
    TablePlayer.objects.filter(player=player).update(display_name=name, is_bot=True)
    return player
