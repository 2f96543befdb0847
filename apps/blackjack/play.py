"""What an action is worked out from and what it comes to: a statement that reads, a statement that writes; no rule.

Nothing is locked in between. The second (migrations/0002_play.sql) writes only what still fits what the first has read.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final
from uuid import UUID

import msgspec

from apps.blackjack.apps import GAME_ID
from apps.blackjack.engine.codec import from_json, to_json
from apps.blackjack.engine.events import Event
from apps.blackjack.engine.setup import RoundSetup
from apps.blackjack.engine.state import RoundState
from apps.blackjack.models import BlackjackRound
from apps.core.errors import Busy, Conflict, InsufficientFunds, Outpaced
from apps.core.money import quantum_of
from apps.core.player_changes import player_changed
from apps.core.statement import Asking, Batch, Statement, ask, binary, boolean, integer, number, text, uuid
from apps.fairness.engine import FairShoe, fair_shoe
from apps.fairness.sealing import unseal
from apps.fairness.services import seed_pair_lock
from apps.rounds.models import ActedBy, RoundEnd
from apps.wallet.models import Wallet


@dataclass(frozen=True, slots=True)
class Desk:
    """What an action is worked out from, all of one moment. Amounts are in units of the currency."""

    session_live: bool
    is_taken_over: bool
    may_play: bool | None
    """Whether player, partner and wallet are active; None where only the round was read (see `may_stake`)."""
    partner_id: int
    player_id: int
    currency: str
    decimals: int
    wallet_id: int | None
    balance: Decimal
    stored_hash: bytes | None
    stored_answer: bytes | None
    round_id: UUID | None
    action_count: int
    state_text: str | None
    terms_text: str | None
    """Of an open round its `RoundSetup`; else the partner's terms; None where blackjack is not offered."""
    terms_id: int | None
    config_version: int
    limits_text: str | None
    seed_pair_id: int
    sealed_seed: bytes = field(repr=False)
    commitment: str
    client_seed: str
    nonce: int

    @property
    def quantum(self) -> Decimal:
        return quantum_of(self.decimals)

    @property
    def funds(self) -> int:
        """The balance in smallest units."""
        return int(self.balance / self.quantum)

    def shoe(self, decks: int) -> FairShoe:
        """Return the round's shoe, dealt again from the sealed seed: no hidden card is stored anywhere."""
        seed = unseal(self.sealed_seed, commitment=self.commitment)
        return fair_shoe(seed, self.client_seed, self.nonce, decks=decks)

    def state(self) -> RoundState:
        """Return the state of the open round."""
        assert self.state_text is not None
        return state_read(msgspec.json.decode(self.state_text), self.setup())

    def setup(self) -> RoundSetup:
        """Return what the open round was started with."""
        assert self.terms_text is not None
        return _setup_read(self.terms_text)


@dataclass(frozen=True, slots=True)
class Step:
    """One action, carried out: what is to be written."""

    round_id: UUID
    number: int
    setup: RoundSetup
    state: RoundState
    detail: str | None
    """The round's public outcome as JSON; None as long as it is open."""
    acted_by: ActedBy
    action: dict[str, Any]
    events: Sequence[Event]
    debit: Decimal
    credit: Decimal
    how_ended: RoundEnd


@dataclass(frozen=True, slots=True)
class Kept:
    """The answer that is stored with the step, under the client's key."""

    event_id: str
    body_hash: bytes
    answer: bytes


def desk_of_bet(*, session_id: int, socket: str, event_id: str) -> Asking[Desk | None]:
    """Return what a first action of the session's player is worked out from; None for an unknown session.

    `socket` is the connection that asks, `event_id` the key that an answer may be stored under. Of a round that is
    open already there is its id alone. Raises Unavailable.
    """
    return _desk((yield from ask(_READ_FOR_BET, session_id, socket, event_id)))


def desk_of_move(*, session_id: int, socket: str, event_id: str) -> Asking[Desk | None]:
    """Return what an action on the open round of the session's player is worked out from, as `desk_of_bet` does."""
    return _desk((yield from ask(_READ_FOR_MOVE, session_id, socket, event_id)))


def desk_of_round(*, round_id: UUID) -> Asking[Desk | None]:
    """Return the same for an action that the platform takes; None where the round is not open. Raises Unavailable."""
    return _desk((yield from ask(_READ_FOR_PLATFORM, round_id, "", None)))


def may_stake(desk: Desk) -> Asking[bool]:
    """Say whether player, partner and wallet are active: only then a stake is taken. Raises Unavailable."""
    if desk.may_play is not None:
        return desk.may_play
    row = yield from ask(_MAY_STAKE, desk.wallet_id)
    return row is not None and bool(row[0])


def desk_lock(desk: Desk) -> None:
    """Lock what an action is written to, until the caller's transaction ends. Raises Busy."""
    list(Wallet.objects.select_for_update().filter(pk=desk.wallet_id or 0))
    if desk.round_id is None:
        seed_pair_lock(player_id=desk.player_id)
    else:
        list(BlackjackRound.objects.select_for_update().filter(pk=desk.round_id))


def step_save(*, desk: Desk, session_id: int | None, step: Step, kept: Kept | None) -> Asking[None]:
    """Write the round, its action, the movements of money and the stored answer: all of it or nothing.

    The player's open pages are told.
    Locks: the wallet where money moves, the seed pair for a first action, the round. Raises Outpaced where they are
    not as `desk` has them any more, Busy, Unavailable.
    """
    try:
        yield from ask(
            _SAVE,
            step.round_id,
            step.number,
            session_id,
            desk.partner_id,
            desk.player_id,
            desk.currency,
            desk.wallet_id,
            desk.balance,
            desk.seed_pair_id,
            desk.nonce,
            desk.config_version,
            desk.terms_id,
            _text(to_json(step.setup)) if step.number == 1 else None,
            _text(state_write(step.state)),
            step.detail,
            step.acted_by.value,
            _text(step.action),
            _text([to_json(event) for event in step.events]),
            step.debit,
            step.credit,
            step.how_ended.value,
            kept.event_id if kept else None,
            kept.body_hash if kept else None,
            kept.answer if kept else None,
        )
    except Busy:
        raise
    except (InsufficientFunds, Conflict) as error:
        # What was read did cover the stakes, and no action of this number had moved money.
        raise Outpaced("another action was faster; try again in a moment") from error
    player_changed(desk.player_id)


def state_write(state: RoundState) -> dict[str, Any]:
    """Return what is stored of a state: all but the rules, which its round keeps among its terms."""
    stored = to_json(state)
    del stored["rules"]
    return stored


def state_read(stored: dict[str, Any], setup: RoundSetup) -> RoundState:
    """Return the state that `state_write` wrote, of a round that began with `setup`."""
    return from_json(RoundState, stored | {"rules": setup.rules})


@lru_cache(maxsize=1024)
def _setup_read(text: str) -> RoundSetup:
    # Many rounds are started with the same: rules and odds are the partner's, stakes are round numbers.
    return from_json(RoundSetup, msgspec.json.decode(text))


def _text(value: object) -> str:
    return _json.encode(value).decode()


_json: Final = msgspec.json.Encoder()


def _desk(row: list[Any] | None) -> Desk | None:
    return None if row is None else Desk(*row)


_COLUMNS: Final = (
    boolean, boolean, boolean, integer, integer, text, integer, integer, number, binary, binary,
    uuid, integer, text, text, integer, integer, text, integer, binary, text, text, integer,
)  # fmt: skip
_ACTIVE: Final = "player.status = 'active' AND partner.active AND wallet.status = 'active'"
_SESSION: Final = "session.ended_at IS NULL AND session.expires_at > now(), session.connection <> asked.socket"
_OPEN_ROUND: Final = f"game = '{GAME_ID}' AND how_ended = ''"


def _reading(name: str, who_is: str, columns: str, tables: str) -> Batch:
    """Return a statement that reads for one who acts: $1 says who, $2 its socket, $3 the key of its answer."""

    def sql(asked: str) -> str:
        return f"SELECT asked.place, {columns} FROM {asked} AS asked (who, socket, key, place) {tables}"

    return Batch(
        name,
        sql(f"unnest($1::{who_is}[], $2::text[], $3::text[]) WITH ORDINALITY"),
        *_COLUMNS,
        for_one=sql(f"(VALUES ($1::{who_is}, $2::text, $3::text, 1))"),
    )


def _stored(who: str) -> str:
    # OFFSET keeps PostgreSQL from joining by the scope alone: one row, and not all that the player was answered.
    scope = f"'play:' || {who}.player_id || ':{GAME_ID}'"
    return f"SELECT body_hash, answer FROM stored_answer WHERE scope = {scope} AND key = asked.key OFFSET 0"


_READ_FOR_BET: Final = _reading(
    "blackjack_read_for_bet",
    "bigint",
    f"""
           {_SESSION}, coalesce({_ACTIVE}, false),
           session.partner_id, session.player_id, session.currency_id, currency.decimals, wallet.id, wallet.balance,
           stored.body_hash, stored.answer,
           (SELECT id FROM game_round WHERE player_id = session.player_id AND {_OPEN_ROUND}), NULL, NULL,
           CASE WHEN terms.id IS NOT NULL THEN jsonb_build_object('rules', terms.rules,
               'perfect_pairs_odds', terms.perfect_pairs_odds, 'poker_odds', terms.poker_odds) END,
           terms.id, config.version,
           CASE WHEN terms.id IS NOT NULL THEN json_build_object(
               'bet_min', config.bet_min::text, 'bet_max', config.bet_max::text,
               'perfect_pairs_min', config.perfect_pairs_min::text,
               'perfect_pairs_max', config.perfect_pairs_max::text,
               'poker_min', config.poker_min::text, 'poker_max', config.poker_max::text) END,
           seed_pair.id, seed_pair.sealed_seed, seed_pair.commitment, seed_pair.client_seed, seed_pair.next_nonce""",
    f"""
      JOIN game_session AS session ON session.id = asked.who
      JOIN player ON player.id = session.player_id
      JOIN partner ON partner.id = player.partner_id
      LEFT JOIN currency ON currency.code = session.currency_id
      LEFT JOIN wallet ON wallet.player_id = session.player_id AND wallet.currency_id = session.currency_id
      LEFT JOIN LATERAL ({_stored("session")}) AS stored ON true
      LEFT JOIN seed_pair ON seed_pair.player_id = session.player_id AND seed_pair.status = 'active'
      LEFT JOIN blackjack_config AS config
        ON config.partner_id = player.partner_id AND config.currency_id = session.currency_id AND config.active
      LEFT JOIN blackjack_terms AS terms ON terms.config_id = config.id AND terms.status = 1""",
)


def _read_for_move(name: str, who_is: str, live: str, who: str, actor: str) -> Batch:
    """Return the statement that reads an open round for the one who acts on it, in as few tables as can be."""
    return _reading(
        name,
        who_is,
        f"""
               {live}, NULL,
               {who}.partner_id, {who}.player_id, {who}.currency_id, currency.decimals, wallet.id, wallet.balance,
               stored.body_hash, stored.answer, round.id, play.action_count, play.state, round.terms, play.terms_id,
               round.config_version, NULL,
               seed_pair.id, seed_pair.sealed_seed, seed_pair.commitment, seed_pair.client_seed, round.nonce""",
        f"""
          JOIN {actor}
          LEFT JOIN blackjack_round AS play ON play.round_id = round.id
          LEFT JOIN seed_pair ON seed_pair.id = round.seed_pair_id
          LEFT JOIN wallet ON wallet.player_id = {who}.player_id
                AND wallet.currency_id = coalesce(round.currency_id, {who}.currency_id)
          LEFT JOIN currency ON currency.code = wallet.currency_id
          LEFT JOIN LATERAL ({_stored(who)}) AS stored ON true""",
    )


_READ_FOR_MOVE: Final = _read_for_move(
    "blackjack_read_for_move",
    "bigint",
    _SESSION,
    "session",
    "game_session AS session ON session.id = asked.who"
    f" LEFT JOIN (SELECT * FROM game_round WHERE {_OPEN_ROUND}) AS round ON round.player_id = session.player_id",
)
_READ_FOR_PLATFORM: Final = _read_for_move(
    "blackjack_read_for_platform",
    "uuid",
    "true, asked.socket <> ''",
    "round",
    f"(SELECT * FROM game_round WHERE {_OPEN_ROUND}) AS round ON round.id = asked.who",
)
_MAY_STAKE: Final = Statement(
    "blackjack_may_stake",
    f"SELECT {_ACTIVE} FROM wallet JOIN player ON player.id = wallet.player_id"
    " JOIN partner ON partner.id = player.partner_id WHERE wallet.id = $1",
    boolean,
)
_SAVE: Final = Statement(
    "blackjack_play_save", f"SELECT blackjack_play_save({', '.join(f'${place}' for place in range(1, 25))})"
)
