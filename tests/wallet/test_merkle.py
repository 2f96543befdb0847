"""Paths from leaves to Merkle roots, and roots of trees whose leaves change."""

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from apps.wallet.merkle import MerkleTree, leaf_hash, merkle_path, merkle_root
from apps.wallet.sealed_heads import Heads, KnownHeads


def climbed(leaf: bytes, path: list[tuple[str, bytes]]) -> bytes:
    for side, beside in path:
        leaf = hashlib.sha256(b"\x01" + (beside + leaf if side == "left" else leaf + beside)).digest()
    return leaf


def test_every_leaf_leads_to_the_root_and_another_leaf_does_not() -> None:
    for size in range(1, 40):
        leaves = [leaf_hash(bytes([number])) for number in range(size)]
        for place, leaf in enumerate(leaves):
            path = merkle_path(leaves, place)
            assert climbed(leaf, path) == merkle_root(leaves), (size, place)
            assert len(path) <= (size - 1).bit_length()
            assert climbed(leaf_hash(b"another"), path) != merkle_root(leaves)


STEPS = st.lists(st.tuples(st.booleans(), st.integers(0, 40), st.binary(max_size=2)), max_size=60)


@given(steps=STEPS, asked=st.integers(1, 5))
def test_a_tree_whose_leaves_change_has_the_root_of_its_leaves(
    steps: list[tuple[bool, int, bytes]], asked: int
) -> None:
    tree = MerkleTree()
    leaves: list[bytes] = []
    for number, (replaces, place, content) in enumerate(steps):
        leaf = leaf_hash(content)
        if replaces and leaves:
            leaves[place % len(leaves)] = leaf
            tree.replace(place % len(leaves), leaf)
        else:
            leaves.insert(place, leaf)
            tree.insert(min(place, len(leaves) - 1), leaf)
        if number % asked == 0:
            assert tree.root() == merkle_root(leaves)
    assert tree.root() == merkle_root(leaves)


SEALS = st.lists(st.dictionaries(st.integers(1, 30), st.tuples(st.integers(0, 9), st.binary(max_size=2)), max_size=8))


@given(seals=SEALS)
def test_the_digest_after_each_seal_is_that_of_all_wallets(seals: list[dict[int, tuple[int, bytes]]]) -> None:
    known = KnownHeads()
    held: dict[int, tuple[int, bytes]] = {}
    for seal in seals:
        known.add((wallet_id, *values) for wallet_id, values in sorted(seal.items()))
        held |= seal
        rows = [(wallet_id, *values) for wallet_id, values in sorted(held.items())]
        root = merkle_root(
            leaf_hash(f"{wallet_id}|{row_count}|{head.hex()}".encode()) for wallet_id, row_count, head in rows
        ).hex()
        assert known.digest() == Heads(len(rows), sum(row[1] for row in rows), root)
