"""Merkle tree hashes of RFC 6962 (section 2.1): SHA-256, with different first bytes for leaves and nodes."""

import hashlib
from collections.abc import Iterable, Sequence


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


def merkle_path(leaves: Sequence[bytes], index: int) -> list[tuple[str, bytes]]:
    """Return the hashes beside the way from a leaf up to the root, each with its side, `left` or `right`."""
    path: list[tuple[str, bytes]] = []
    first, last = 0, len(leaves)
    while last - first > 1:
        # The left subtree has the largest power of two below the number of leaves.
        middle = first + (1 << ((last - first - 1).bit_length() - 1))
        if index < middle:
            path.append(("right", merkle_root(leaves[middle:last])))
            last = middle
        else:
            path.append(("left", merkle_root(leaves[first:middle])))
            first = middle
    return path[::-1]
