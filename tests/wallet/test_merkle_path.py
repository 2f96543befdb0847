"""The path from a leaf to a Merkle root, for every leaf of trees of every small size."""

import hashlib

from apps.wallet.merkle import leaf_hash, merkle_path, merkle_root


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
