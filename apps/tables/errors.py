"""Refusals of tables, one class for each code (docs/tables.md, "Errors"); part of the tree of `apps.core.errors`."""

from apps.core.errors import AuthenticationFailed, Conflict, NotFound, Refused


class AuthRequired(AuthenticationFailed):
    """No token came with the request."""

    code = "AUTH_REQUIRED"


class AuthExpired(AuthenticationFailed):
    """The session is over."""

    code = "AUTH_EXPIRED"


class AuthInvalid(AuthenticationFailed):
    """No session has that token, or the session is another's."""

    code = "AUTH_INVALID"


class TableNotFound(NotFound):
    """No table has that id, or the caller may not see it."""

    code = "TABLE_NOT_FOUND"


class GameNotFound(NotFound):
    """No such game at tables."""

    code = "GAME_NOT_FOUND"


class RoundNotFound(NotFound):
    """The table has no such round."""

    code = "ROUND_NOT_FOUND"


class TableFull(Conflict):
    """Every seat is taken."""

    code = "TABLE_FULL"


class SeatTaken(Refused):
    """Somebody else sits there."""

    code = "SEAT_TAKEN"


class GameNotAllowed(Refused):
    """The session is not for this game."""

    code = "GAME_NOT_ALLOWED"


class LimitExceeded(Refused):
    """The session's limit, or the limit of a partner's or a player's own tables, is reached."""

    code = "LIMIT_EXCEEDED"


class ContributionRequired(Refused):
    """At a table for real money a seat contributes to the seed of its rounds."""

    code = "CONTRIBUTION_REQUIRED"


class InsufficientBalance(Refused):
    """The wallet holds less than the lowest stake."""

    code = "INSUFFICIENT_BALANCE"
