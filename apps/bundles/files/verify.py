"""Checks a round's bundle without a network and without the server. Needs Python 3.8 or newer, nothing else.

    python3 verify.py [--key HEX] [FOLDER]

FOLDER has the files of the bundle; without it, the folder of this program. `--key` is the server's public key as you
know it from elsewhere; without it, the bundle's own is used, and the line about the seal says so. The exit code is 0 if
all that can be checked holds, 1 if something does not, and 2 if the arguments are not understood.
"""

import __future__

import argparse
import hashlib
import hmac
import json
import struct
import sys
from decimal import Decimal
from pathlib import Path


class Wrong(Exception):
    """Something in the bundle does not hold."""


def check(holds, what):
    if not holds:
        raise Wrong(what)


# From seeds to cards.


def integers(server_seed, client_seed, nonce):
    """Yield the numbers of a round: HMAC-SHA256 blocks, eight numbers of four bytes each."""
    block = 0
    while True:
        message = f"{client_seed}:{nonce}:{block}".encode("ascii")
        yield from struct.unpack(">8I", hmac.new(server_seed.encode("ascii"), message, "sha256").digest())
        block += 1


def position_below(numbers, n):
    product = next(numbers) * n
    while product % 2**32 < 2**32 % n:
        product = next(numbers) * n
    return product >> 32


def cards_dealt(seeds, count):
    """Return the first cards of a round, by number: hearts, diamonds, clubs, spades, each from ace to king."""
    numbers = integers(seeds["server_seed"], seeds["client_seed"], seeds["nonce"])
    decks, shoe = seeds["decks"], seeds["shoe"]
    if decks == "infinite":
        return [position_below(numbers, 52) for _ in range(count)]
    left = laid_out(shoe) if shoe else [card % 52 for card in range(52 * decks)]
    dealt = []
    for _ in range(count):
        if not left:
            left = laid_out(refilled(decks, dealt))
        position = position_below(numbers, len(left))
        dealt.append(left[position])
        left[position] = left[-1]
        left.pop()
    return dealt


def laid_out(counts):
    return [card for number in range(max(counts)) for card in range(52) if counts[card] > number]


def refilled(decks, dealt):
    counts = [decks - dealt.count(card) for card in range(52)]
    while not any(count > 0 for count in counts):
        counts = [count + decks for count in counts]
    return [max(count, 0) for count in counts]


def code(card):
    return "HDCS"[card // 13] + "1 2 3 4 5 6 7 8 9 10 J Q K".split()[card % 13]


def cards_check(cards):
    """Check that the cards follow from the seeds; return what was found."""
    seeds = cards["seeds"]
    if not seeds["server_seed"]:
        return f"cards: NOT CHECKED, the server seed is secret until {seeds['secret_until']}"
    digest = hashlib.sha256(seeds["server_seed"].encode("ascii")).hexdigest()
    check(digest == seeds["commitment"], "the server seed is not the one that was committed to")
    shown = cards["dealt"]
    for place, (wanted, card) in enumerate(zip(shown, cards_dealt(seeds, len(shown))), start=1):
        check(wanted in ("?", code(card)), f"card {place} is {wanted}, and the seeds deal {code(card)}")
    return f"cards: all {len(shown)} cards follow from the seeds that were committed to"


# From cards to the payout.


def payout_check(folder, played, cards):
    """Check the payout against cards and pay table, with the game's rules where the bundle has them."""
    bets = played["bets"]
    check(total(bets, "stake") == Decimal(played["stake"]), "the bets do not come to the round's stake")
    check(total(bets, "payout") == Decimal(played["payout"]), "the bets do not pay the round's payout")
    paytable = played["paytable"]
    if paytable is not None:
        digest = hashlib.sha256(paytable["document"].encode()).hexdigest()
        check(digest == paytable["hash"], "the pay table is not the one that it is named by")
    if not (folder / "rules.py").exists():
        return "payout: the sum of the bets; the bundle has no rules of this game to settle them by"
    rules = rules_read(folder / "rules.py")
    terms = dict(played["terms"])
    if paytable is not None:
        terms.update(json.loads(paytable["document"]))
    quantum = Decimal(played["quantum"])
    if "settle" in rules:
        settled = rules["settle"](played, cards, terms, quantum)
        if settled is None:
            return "payout: the sum of the bets; the bundle does not say whose cards they are, to settle the bets by"
    else:
        settled = [rules["payout"](cards["dealt"], bet["bet"], Decimal(bet["stake"]), terms, quantum) for bet in bets]
    for bet, paid in zip(bets, settled):
        check(paid == Decimal(bet["payout"]), f"{bet['bet']} pays {paid}, and the record has {bet['payout']}")
    return f"payout: {len(bets)} {'bet settles' if len(bets) == 1 else 'bets settle'} to what was paid, by cards and pay table"


def rules_read(path):
    """Return what the game's rules define. The file itself is run: an import would take a compiled one beside it."""
    names = {}
    # Without the flag, Python 3.8 would compute the annotations.
    flags = __future__.annotations.compiler_flag
    exec(compile(path.read_text("utf-8"), str(path), "exec", flags=flags), names)
    return names


def total(rows, name):
    return sum((Decimal(row[name]) for row in rows), Decimal(0))


# The money, and the seal of the day.


def movement_hash(previous, row):
    content = (
        f"{row['id']}|{row['ctime_us']}|{row['wallet_id']}|{row['house_account_id']}|{row['number']}|{row['kind']}"
        f"|{row['change']}|{row['balance_after']}|{row['round_id'] or ''}"
        f"|{'' if row['record_id'] is None else row['record_id']}"
        f"|{len(row['source_key'].encode())}|{row['source_key']}|{row['reason']}"
    )
    return hashlib.sha256(bytes.fromhex(previous) + content.encode()).hexdigest()


def movements_check(played, movements):
    """Check the chain of the wallet's movements, and that those of the round are its stake and payout."""
    previous, number = movements["previous_hash"], None
    for row in movements["chain"]:
        check(row["wallet_id"] == movements["wallet_id"], "a movement of another wallet")
        check(number is None or row["number"] == number + 1, f"movement {row['number']} does not follow {number}")
        check(movement_hash(previous, row) == row["hash"], f"movement {row['number']} was altered")
        previous, number = row["hash"], row["number"]
    own = [row for row in movements["chain"] if row["round_id"] == played["id"]]
    staked = -total([row for row in own if row["kind"] == "bet"], "change")
    paid = total([row for row in own if row["kind"] == "reward"], "change")
    back = total([row for row in own if row["kind"] == "refund"], "change")
    if not played["is_voided"]:
        check(staked - back == Decimal(played["stake"]), "the wallet was debited with another stake")
        check(paid == Decimal(played["payout"]), "the wallet was credited with another payout")
    if not own:
        check(Decimal(played["stake"]) == Decimal(played["payout"]) == 0, "the round has a stake, and no movement")
        return "movements: none, for the round has no stake"
    return f"movements: {len(own)} of the round, in a chain of {len(movements['chain'])}"


def seal_check(movements, seal, own_key):
    """Check that the wallet's chain is in the seal of a day that the server has signed."""
    if not movements["chain"]:
        return "seal: none, for no money was moved"
    if seal is None:
        return "seal: NOT CHECKED, no day's seal covers the round yet"
    last = movements["chain"][-1]
    check(last["number"] == seal["head"]["row_count"], "the chain does not end where the day was sealed")
    check(last["hash"] == seal["head"]["head"], "the head of the wallet is not the one that was sealed")
    leaf = f"{last['wallet_id']}|{last['number']}|{last['hash']}".encode()
    wallets = json.loads(seal["wallets"])
    check(climbed(leaf, seal["head_path"]) == wallets["root"], "the wallet is not in the day's section of wallets")
    section = f"wallets||{seal['wallets']}".encode()
    check(climbed(section, seal["section_path"]) == seal["root"], "the section of wallets is not in the seal")
    key = own_key or seal["public_key"]
    check(hashlib.sha256(bytes.fromhex(key)).hexdigest()[:16] == seal["key_id"], "the seal is of another key")
    message = f"punto seal 2|{seal['previous_mac']}|{seal['day']}|{seal['root']}".encode()
    check(signature_holds(bytes.fromhex(key), message, bytes.fromhex(seal["signature"])), "the signature does not hold")
    whose = "your key" if own_key else f"the bundle's key {key}: compare it with /.well-known/punto-keys.json"
    return f"seal: of {seal['day']}, signed with {whose}"


def climbed(leaf, path):
    """Return the root over a leaf and the hashes beside its way up (RFC 6962)."""
    found = hashlib.sha256(b"\x00" + leaf).digest()
    for side, beside in path:
        other = bytes.fromhex(beside)
        pair = other + found if side == "left" else found + other
        check(side in ("left", "right"), "a path with a third side")
        found = hashlib.sha256(b"\x01" + pair).digest()
    return found.hex()


# Ed25519 (RFC 8032, section 5.1).

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_1 = pow(2, (P - 1) // 4, P)


def signature_holds(key, message, signature):
    if len(key) != 32 or len(signature) != 64:
        return False
    point, commitment = decompressed(key), decompressed(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if point is None or commitment is None or scalar >= ORDER:
        return False
    digest = hashlib.sha512(signature[:32] + key + message).digest()
    challenge = int.from_bytes(digest, "little") % ORDER
    left, right = multiplied(scalar, BASE), added(commitment, multiplied(challenge, point))
    # Two points in projective coordinates are equal if their ratios are.
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 and (left[1] * right[2] - right[1] * left[2]) % P == 0


def added(a, b):
    low, high = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    t, z = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    e, f, g, h = high - low, z - t, z + t, high + low
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def multiplied(scalar, point):
    found = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            found = added(found, point)
        point = added(point, point)
        scalar >>= 1
    return found


def x_of(y, sign):
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT_OF_MINUS_1 % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    return P - x if x & 1 != sign else x


def decompressed(text):
    number = int.from_bytes(text, "little")
    sign, y = number >> 255, number & (2**255 - 1)
    x = x_of(y, sign)
    return None if x is None else (x, y, 1, x * y % P)


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE_X = x_of(BASE_Y, 0)
BASE = (BASE_X, BASE_Y, 1, BASE_X * BASE_Y % P)


def bundle_check(folder, own_key=None):
    """Return what was found in a bundle, a line for each part. Raises Wrong, and others for files that are no bundle."""
    manifest = read(folder, "manifest.json")
    whole = json.dumps(manifest, indent=1, sort_keys=True) + "\n"
    check(whole.encode() == (folder / "manifest.json").read_bytes(), "manifest.json is not as it was written")
    for name, digest in manifest.items():
        found = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        check(found == digest, f"{name} is not the file that the bundle was made with")
    played, cards, movements = (read(folder, name) for name in ("round.json", "cards.json", "movements.json"))
    check(played["id"] == cards["round_id"] == movements["round_id"], "the files are of different rounds")
    if played["table"]:
        given = [row["contribution"] for row in played["table"]["contributions"]]
        check("|".join(given) == cards["seeds"]["client_seed"], "the client seed is not what the seats contributed")
    return [
        cards_check(cards),
        payout_check(folder, played, cards),
        movements_check(played, movements),
        seal_check(movements, read(folder, "seal.json"), own_key),
    ]


def read(folder, name):
    return json.loads((folder / name).read_text("utf-8"))


def arguments_read(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--key", metavar="HEX", help="the server's public key as you know it from elsewhere")
    parser.add_argument(
        "folder", nargs="?", type=Path, default=Path(__file__).resolve().parent, help="where the bundle's files are"
    )
    return parser.parse_args(arguments)


def main(arguments):
    asked = arguments_read(arguments)
    try:
        lines = bundle_check(asked.folder, asked.key)
    except Wrong as wrong:
        print(f"WRONG: {wrong}")
        return 1
    except (OSError, ValueError, KeyError, TypeError, IndexError, ArithmeticError) as error:
        print(f"WRONG: this is no bundle: {error!r}")
        return 1
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
