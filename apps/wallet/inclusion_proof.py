"""Makes the proof that a movement is in a sealed ledger: the chain to a sealed head, and the path to the seal's root.

A round's bundle contains it, and apps/bundles/files/verify.py checks it.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from apps.core.transactions import transaction_require
from apps.wallet.chain import EMPTY_HEAD, Movement
from apps.wallet.merkle import leaf_hash, merkle_path
from apps.wallet.models import DailySeal, SealedHead, WalletTransaction
from apps.wallet.seal_sections import WALLETS, Section
from apps.wallet.sealed_heads import head_leaf, sealed_heads

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

Path = Sequence[tuple[str, bytes]]


class SealedWallet(NamedTuple):
    """A wallet's head in a seal, and the hashes beside its way up to the seal's root."""

    seal: DailySeal
    row_count: int
    head: bytes
    head_path: Path
    wallets: str
    """The content of the seal's section of wallets."""
    section_path: Path


class Chain(NamedTuple):
    """A part of a wallet's chain, and the hash of the movement before it."""

    previous_hash: bytes
    movements: Sequence[Movement]


def sealed_wallet(*, wallet_id: int, number: int) -> SealedWallet | None:
    """Return the head in the first signed seal that covers the wallet's movement `number`, or None."""
    head = (
        SealedHead.objects.select_related("seal")
        .filter(wallet_id=wallet_id, row_count__gte=number, seal__format=DailySeal.FORMAT)
        .order_by("seal__day")
        .first()
    )
    if head is None:
        return None
    heads = list(sealed_heads(head.seal))
    place = next(place for place, (each_id, _, _) in enumerate(heads) if each_id == wallet_id)
    sections = sorted(Section(each.type, each.name, each.content) for each in head.seal.sections.all())
    of_wallets = next(place for place, each in enumerate(sections) if each.type == WALLETS)
    section_leaves = [leaf_hash(f"{each.type}|{each.name}|{each.content}".encode()) for each in sections]
    return SealedWallet(
        seal=head.seal,
        row_count=head.row_count,
        head=bytes(head.head),
        head_path=merkle_path([head_leaf(each) for each in heads], place),
        wallets=sections[of_wallets].content,
        section_path=merkle_path(section_leaves, of_wallets),
    )


def wallet_chain(*, wallet_id: int, first: int, last: int) -> Chain:
    """Return a wallet's movements from number `first` to `last`, both included. The caller has opened `one_moment`."""
    transaction_require()
    rows = WalletTransaction.objects.filter(wallet_id=wallet_id, number__gte=first, number__lte=last)
    before = WalletTransaction.objects.filter(wallet_id=wallet_id, number=first - 1).values_list("hash", flat=True)
    return Chain(bytes(before.first() or EMPTY_HEAD), [_movement(row) for row in rows.order_by("number")])


def _movement(row: WalletTransaction) -> Movement:
    return Movement(
        wallet_id=row.wallet_id,
        number=row.number,
        id=row.pk,
        ctime_us=(row.ctime - _EPOCH) // timedelta(microseconds=1),
        house_account_id=row.house_account_id,
        kind=row.kind,
        change=row.change,
        balance_after=row.balance_after,
        round_id=row.round_id,
        record_id=row.record_id,
        source_key=row.source_key,
        reason=row.reason,
        hash=bytes(row.hash),
    )
