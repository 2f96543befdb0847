"""What is done to players."""

from django.db import transaction

from apps.accounts.models import Player, PlayerStatus, Role, User
from apps.audit.services import audit_record
from apps.core.errors import BadRequest, Refused


@transaction.atomic(durable=True)
def player_status_set(*, operator: User, player: Player, status: PlayerStatus, reason: str) -> None:
    """Block a player or let it play again. It holds from the next bet or session on; open rounds play on.

    Raises Refused (not an operator), BadRequest (no reason).
    """
    if operator.role != Role.OPERATOR or not operator.is_active:
        raise Refused("only an operator blocks players")
    if not reason.strip():
        raise BadRequest("reason: say why", field="reason")
    held = Player.objects.select_for_update().get(pk=player.pk)
    before = held.status
    held.status = status
    held.save(update_fields=["status"])
    audit_record(
        actor=operator.get_username(),
        actor_user_id=operator.pk,
        partner_id=held.partner_id,
        action="player.status",
        subject=f"player {held.pk}",
        data={"before": before, "after": str(status)},
        reason=reason.strip(),
    )
