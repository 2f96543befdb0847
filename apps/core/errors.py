"""The errors that answer a request, as one tree.

Errors of a single part of the product are beside its code: those of tables in apps/tables/errors.py and messages.py,
of a game's socket in the game's messages.py, SecondPersonNeeded in apps/approvals/services.py, QuotaExceeded in
rate_limits.py, InternalError in api.py.

    DomainError
    ├── BadRequest 400                 the request cannot be read
    │   └── MalformedBody
    ├── AuthenticationFailed 401       no valid session or key
    │   └── SessionTakenOver           the session is open on another connection
    ├── Refused 403                    well-formed, and not allowed
    │   ├── CsrfFailed, ScopeMissing, ForeignConfig, FactorNeeded
    │   ├── GameDisabled               switched off by the operator
    │   ├── InvalidGameType, DuplicateGameType, TooManyBets
    │   ├── InvalidBetAmount, InvalidCurrency, InvalidGame, InsufficientFunds
    │   ├── RefillRefused              + the time of the next possible refill
    │   │   └── RefillNotOffered, RefillNotNeeded, RefillTaken, RefillRoundOpen
    │   └── PlayerBlocked
    ├── NotFound 404
    │   └── RoundDetailsNotFound
    ├── MethodNotAllowed 405
    ├── Conflict 409
    │   ├── MovementRepeated, IdempotencyKeyReused, OutdatedVersion, ChangeSeedFailed
    │   └── Busy                       + Retry-After
    │       └── StaleState             what was read has changed
    ├── BadParams 422                  read, and not a possible value (/v1/games, /v1/player)
    │   └── MissingQueryParam
    └── TryLater                       + Retry-After; the base class of Busy and of these:
        ├── RateLimited 429
        └── Unavailable 503            nobody knows whether the request was carried out

All but Unavailable are refusals: the request has changed nothing. Each entry point (HTTP view, socket, admin, command)
turns them into its own form in one place. The message is for the reader: it names the field and the limit, and never
contains a secret.
"""

from datetime import datetime
from typing import ClassVar, Final

MAX_ECHO_CHARS: Final = 100
"""The most characters of a client's text that a refusal repeats."""


class DomainError(Exception):
    """The request is answered with an error. `code` is part of the protocol, `message` is for people.

    The request has changed nothing; only after Unavailable it may still have been carried out.
    """

    code: ClassVar[str]
    http_status: ClassVar[int]

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        """The wire name of the field at fault, or None."""


def shortened(text: str) -> str:
    """Return a client's text or value, shortened for a refusal's message."""
    return text if len(text) <= MAX_ECHO_CHARS else f"{text[: MAX_ECHO_CHARS - 3]}..."


class BadRequest(DomainError):
    """The request cannot be read: not JSON, a field missing or of the wrong type."""

    code = "BAD_REQUEST"
    http_status = 400


class MalformedBody(BadRequest):
    """The body is not the JSON that was expected."""

    code = "MALFORMED_BODY"


class AuthenticationFailed(DomainError):
    """No valid session or key came with the request."""

    code = "AUTHENTICATION_FAILED"
    http_status = 401


class SessionTakenOver(AuthenticationFailed):
    """The session is valid but a newer connection holds it. On the wire its code is AuthenticationFailed's."""


class Refused(DomainError):
    """The request is well-formed but not allowed."""

    code = "REFUSED"
    http_status = 403


class AmountTooLarge(Refused):
    """The amount, or the balance after it, is larger than a wallet can hold."""


class FactorNeeded(Refused):
    """The act needs a second factor that was shown a moment ago. It may be sent again after that."""


class CsrfFailed(Refused):
    """A browser's request without the token that proves it came from our page."""

    code = "CSRF_FAILED"


class ScopeMissing(Refused):
    """The API key is valid and was not given this right."""

    code = "SCOPE_MISSING"


class ForeignConfig(Refused):
    """The configuration is not this partner's."""

    code = "FOREIGN_CONFIG"


class InvalidGameType(Refused):
    """No such bet, or one that the partner does not offer."""

    code = "INVALID_GAME_TYPE"


class DuplicateGameType(Refused):
    """The same bet twice on one deal."""

    code = "DUPLICATE_GAME_TYPE"


class TooManyBets(Refused):
    """More bets on one deal than are allowed, or none."""

    code = "INVALID_BET_COUNT"


class InvalidBetAmount(Refused):
    """An amount outside the limits, not positive, or with too many decimals."""

    code = "INVALID_BET_AMOUNT"


class InvalidCurrency(Refused):
    """No such currency, or one that the player has no wallet in."""

    code = "INVALID_CURRENCY"


class InvalidGame(Refused):
    """No such game."""

    code = "INVALID_GAME_ID"


class InsufficientFunds(Refused):
    """The wallet's balance is too low."""

    code = "INSUFFICIENT_FUNDS"


class RefillRefused(Refused):
    """No play money now. `possible_from` is the time of the next possible refill; None: never."""

    def __init__(self, message: str, *, possible_from: datetime | None = None) -> None:
        super().__init__(message)
        self.possible_from = possible_from


class RefillNotOffered(RefillRefused):
    """The currency is not play money."""

    code = "REFILL_NOT_OFFERED"


class RefillNotNeeded(RefillRefused):
    """The balance is enough for a bet, or no bet is offered."""

    code = "REFILL_NOT_NEEDED"


class RefillTaken(RefillRefused):
    """The player has already had this day's refill."""

    code = "REFILL_TAKEN"


class RefillRoundOpen(RefillRefused):
    """A round of the player is open: its stake may still be returned."""

    code = "REFILL_ROUND_OPEN"


class PlayerBlocked(Refused):
    """The player or the wallet was blocked by the operator."""

    code = "PLAYER_BLOCKED"


class GameDisabled(Refused):
    """The operator has switched off new bets and rounds here."""

    code = "GAME_DISABLED"


class NotFound(DomainError):
    """There is nothing with that id, or nothing that the caller may see."""

    code = "NOT_FOUND"
    http_status = 404


class RoundDetailsNotFound(NotFound):
    """The player has no such round."""

    code = "ROUND_DETAILS_NOT_FOUND"


class MethodNotAllowed(DomainError):
    """The address exists but does not have the method; `allowed` are its methods, if the framework does not name
    them."""

    code = "METHOD_NOT_ALLOWED"
    http_status = 405

    def __init__(self, message: str, *, allowed: str = "") -> None:
        super().__init__(message)
        self.allowed = allowed


class Conflict(DomainError):
    """The request conflicts with the current state."""

    code = "CONFLICT"
    http_status = 409


class MovementRepeated(Conflict):
    """A movement of money with this source key was made before."""


class IdempotencyKeyReused(Conflict):
    """The key was used before, with another body."""

    code = "IDEMPOTENCY_KEY_REUSED"


class OutdatedVersion(Conflict):
    """The row was changed after the caller had read it."""

    code = "OUTDATED_VERSION"


class ChangeSeedFailed(Conflict):
    """The seed pair cannot be changed now: it has an open round, or has dealt."""

    code = "CHANGE_SEED_FAILED"


class BadParams(DomainError):
    """The value was read but the field may not have it."""

    code = "BAD_REQUEST_PARAMS"
    http_status = 422


class MissingQueryParam(BadParams):
    """A required query parameter is missing."""

    code = "MISSING_QUERY_PARAM"


class TryLater(DomainError):
    """The base class of temporary errors: the client should try again after `retry_after_s` whole seconds."""

    def __init__(self, message: str, *, retry_after_s: int = 1, field: str | None = None) -> None:
        super().__init__(message, field=field)
        self.retry_after_s = retry_after_s


class Busy(TryLater, Conflict):
    """A lock was not free in time."""

    code = "BUSY"


class StaleState(Busy):
    """The context of an action changed before it was written: another action was faster."""


class RateLimited(TryLater):
    """More requests than the limit allows."""

    code = "RATE_LIMITED"
    http_status = 429


class Unavailable(TryLater):
    """PostgreSQL or Redis does not answer. The request may have been carried out if only the answer was lost."""

    code = "SERVICE_UNAVAILABLE"
    http_status = 503


def error_codes() -> list[str]:
    """Return the codes of all errors, also of those beside the code of a part of the product."""
    codes: set[str] = set()
    kinds: list[type[DomainError]] = [DomainError]
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        if "code" in vars(kind):
            codes.add(kind.code)
    return sorted(codes)
