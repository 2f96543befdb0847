"""Merkle tree hashes of RFC 6962 (section 2.1): SHA-256, with different first bytes for leaves and nodes."""

import hashlib
from collections.abc import Iterable


def leaf_hash(content: bytes) -> bytes:
    """Return the hash of a leaf with that content."""
    return hashlib.sha256(b"\x00" + content).digest()


def merkle_root(leaves: Iterable[bytes]) -> bytes:
    """Return the root over leaf hashes in their order; it uses memory only for the height of the tree.

    Without leaves it is the SHA-256 of nothing.
    """
    complete: list[tuple[int, bytes]] = []
    """Complete subtrees from left to right, with their numbers of leaves: each is smaller than the previous one."""
    for leaf in leaves:
        size, root = 1, leaf
        while complete and complete[-1][0] == size:
            root = _node(complete.pop()[1], root)
            size *= 2
        complete.append((size, root))
    if not complete:
        return hashlib.sha256().digest()
    root = complete.pop()[1]
    while complete:
        root = _node(complete.pop()[1], root)
    return root


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()
