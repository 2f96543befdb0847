"""The options of a game session that a partner opens for its player.

The session is opened by `game_session_open` (game_sessions.py), the launch link is made by the partner API
(apps/office/partner_api/api.py, `SessionsView`), and a page of the portal opens the link (apps/portal/views.py).
"""

from dataclasses import dataclass

from apps.core.errors import BadRequest
from apps.partners.frame_origins import origin_of
from apps.partners.models import Partner


@dataclass(frozen=True, slots=True)
class Launch:
    """The options of a session that a partner opens. An empty text stands for an option that was not given."""

    return_url: str = ""
    cashier_url: str = ""
    """Where the player gets money; within the partner's frame origins."""
    language: str = ""
    device: str = "unknown"
    """One of `Device`, for the statistics."""
    embed: bool = False
    """Whether the table is shown in a frame of the partner's page."""
    address: str = ""
    """The player's IP address, if the player's own browser opens the session."""


def launch_check(*, partner: Partner, game: str, launch: Launch) -> None:
    """Raise BadRequest that names the field if the partner cannot have this launch."""
    if launch.cashier_url and origin_of(launch.cashier_url) not in partner.frame_origins:
        raise BadRequest("cashier_url: https, and within the partner's frame origins", field="cashier_url")
    if launch.embed and not game:
        raise BadRequest("game_id: an embedded table needs its game", field="game_id")
    if launch.embed and not partner.frame_origins:
        raise BadRequest("embed: the partner has no frame origins", field="embed")
