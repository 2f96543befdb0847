"""Movements in a ledger, and an intruder who can change everything."""

from decimal import Decimal
from itertools import count
from uuid import UUID, uuid4

import psycopg
from django.db import transaction
from django.utils import timezone

from apps.accounts.models import Player
from apps.fairness.models import SeedPair, SeedStatus
from apps.rounds.models import Round, RoundEnd
from apps.wallet.models import Kind, Wallet, WalletTransaction
from apps.wallet.services import wallet_move

_numbers = count(1)


def move(wallet: Wallet, kind: Kind, change: str, *, reason: str = "", round_id: UUID | None = None) -> Decimal:
    """Write one movement in a transaction of its own."""
    with transaction.atomic():
        return wallet_move(
            wallet_id=wallet.pk,
            kind=kind,
            change=Decimal(change),
            source_key=f"move:{next(_numbers)}:{kind}",
            round_id=round_id,
            reason=reason,
        )


def movements_make(wallet: Wallet, movements: int) -> None:
    """Write this number of deposits, each a cent larger than the one before."""
    for number in range(1, movements + 1):
        move(wallet, Kind.DEPOSIT, f"{number}.{number:02}")


def row_id(wallet: Wallet, number: int) -> int:
    """Return the id of the wallet's movement with this number."""
    return WalletTransaction.objects.values_list("pk", flat=True).get(wallet=wallet, number=number)


def round_make(player: Player, *, stake: str, payout: str, how_ended: RoundEnd = RoundEnd.PLAYED) -> Round:
    """Return a round of the player with these amounts; the ledger is not changed."""
    pair, _ = SeedPair.objects.get_or_create(
        player=player,
        status=SeedStatus.ACTIVE,
        defaults={"commitment": uuid4().hex, "sealed_seed": b"sealed", "client_seed": "client"},
    )
    return Round.objects.create(
        partner=player.partner,
        player=player,
        currency=player.currency,
        game="og-baccarat",
        ended_at=timezone.now() if how_ended else None,
        how_ended=how_ended,
        seed_pair=pair,
        nonce=next(_numbers),
        config_version=1,
        stake=Decimal(stake),
        payout=Decimal(payout),
        balance_before=Decimal(0),
        balance_after=Decimal(0),
    )


class Intruder:
    """The superuser with all triggers and foreign keys switched off."""

    def __init__(self, link: psycopg.Connection) -> None:
        self.link = link
        link.execute("SET session_replication_role = replica")

    def does(self, statement: str, *parameters: object) -> None:
        """Run one statement, which must change at least one row."""
        changed = self.link.execute(statement, parameters).rowcount
        assert changed, statement

    def rebuilds_chain(self, wallet: Wallet) -> None:
        """Compute the wallet's hashes, balances and head again with the database's own function."""
        self.link.execute(
            """
            DO $$
            DECLARE
                entry wallet_transaction;
                previous bytea := '';
                total numeric(20, 8) := 0;
                place bigint := 0;
            BEGIN
                FOR entry IN SELECT * FROM wallet_transaction WHERE wallet_id = %s ORDER BY number LOOP
                    place := place + 1;
                    total := total + entry.change;
                    entry.number := place;
                    entry.balance_after := total;
                    previous := wallet_transaction_hash(
                        previous, entry.id, entry.ctime, entry.wallet_id, entry.house_account_id, entry.number,
                        entry.kind, entry.change, entry.balance_after, entry.round_id, entry.record_id,
                        entry.source_key, entry.reason);
                    UPDATE wallet_transaction SET number = place, balance_after = total, hash = previous
                        WHERE id = entry.id;
                END LOOP;
                UPDATE wallet SET balance = total, row_count = place, head = previous WHERE id = %s;
            END $$
            """.replace("%s", str(wallet.pk))
        )
