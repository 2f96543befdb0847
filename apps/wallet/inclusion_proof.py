"""Makes the proof that a movement is in a sealed ledger: the chain to a sealed head, and the path to the seal's root.

A round's bundle contains it, and apps/bundles/files/verify.py checks it.
"""

from bisect import bisect_right
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from apps.core.transactions import transaction_require
from apps.wallet.chain import EMPTY_HEAD, Movement
from apps.wallet.merkle import leaf_hash, merkle_path, merkle_root
from apps.wallet.models import DailySeal, SealedHead, WalletTransaction
from apps.wallet.seal_sections import WALLETS, Section
from apps.wallet.sealed_heads import MAX_ID, head_leaf, sealed_heads

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

HEADS_A_BLOCK: Final = 256
"""A power of two: so each block is a subtree of the tree of all heads."""

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


class _HeadBlocks(NamedTuple):
    """The heads that a seal covers, by ascending wallet id in blocks of HEADS_A_BLOCK."""

    first_ids: list[int]
    """The id of each block's first wallet."""
    roots: list[bytes]


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
    sections = sorted(Section(each.type, each.name, each.content) for each in head.seal.sections.all())
    of_wallets = next(place for place, each in enumerate(sections) if each.type == WALLETS)
    section_leaves = [leaf_hash(f"{each.type}|{each.name}|{each.content}".encode()) for each in sections]
    return SealedWallet(
        seal=head.seal,
        row_count=head.row_count,
        head=bytes(head.head),
        head_path=_head_path(head.seal, wallet_id),
        wallets=sections[of_wallets].content,
        section_path=merkle_path(section_leaves, of_wallets),
    )


def _head_path(seal: DailySeal, wallet_id: int) -> Path:
    """Return the way of a wallet's head up to the root of all heads that the seal covers."""
    blocks = _head_blocks(seal.pk, seal.day, seal.root)
    number = bisect_right(blocks.first_ids, wallet_id) - 1
    last = blocks.first_ids[number + 1] - 1 if number + 1 < len(blocks.first_ids) else MAX_ID
    heads = list(sealed_heads(seal_id=seal.pk, day=seal.day, first=blocks.first_ids[number], last=last))
    place = [each_id for each_id, _, _ in heads].index(wallet_id)
    return [*merkle_path([head_leaf(head) for head in heads], place), *merkle_path(blocks.roots, number)]


@lru_cache(maxsize=8)
def _head_blocks(seal_id: int, day: date, _root: str) -> _HeadBlocks:
    """Return the blocks of a seal's heads.

    They are kept because to read the heads of a hundred thousand wallets takes a second, and the rounds of one day have
    one seal. A seal never changes; the root tells it from one with the same id in another database.
    """
    blocks = _HeadBlocks([], [])
    heads = sealed_heads(seal_id=seal_id, day=day)
    while block := list(islice(heads, HEADS_A_BLOCK)):
        blocks.first_ids.append(block[0][0])
        blocks.roots.append(merkle_root(head_leaf(head) for head in block))
    return blocks


def wallet_chain(*, wallet_id: int, first: int, last: int) -> Chain:
    """Return a wallet's movements from number `first` to `last`, both included. The caller has opened `one_moment`."""
    transaction_require()
    rows = WalletTransaction.objects.filter(wallet_id=wallet_id, number__gte=first, number__lte=last)
    before = WalletTransaction.objects.filter(wallet_id=wallet_id, number=first - 1).values_list("hash", flat=True)
    return Chain(bytes(before.first() or EMPTY_HEAD), [_movement(row) for row in rows.order_by("number").iterator()])


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
