"""Writing notes on players."""

from django.db import transaction

from apps.accounts.models import Player, Role, User
from apps.audit.services import audit_record
from apps.core.errors import BadRequest, Refused
from apps.core.staff_scope import may_enter, sees_all_partners
from apps.player_files.models import PlayerNote


@transaction.atomic
def player_note_add(*, user: User, player: Player, text: str, is_internal: bool) -> PlayerNote:
    """Add a note. Partner staff write for everybody who sees the player; operators may keep theirs internal.

    Raises Refused (an auditor, or another partner's player), BadRequest (no text, too long).
    """
    if not may_enter(user) or user.role not in (Role.OPERATOR, Role.PARTNER_STAFF):
        raise Refused("only operators and partner staff write notes")
    if not sees_all_partners(user) and player.partner_id != user.partner_id:
        raise Refused("this is another partner's player")
    if not text.strip() or len(text) > PlayerNote.MAX_CHARS:
        raise BadRequest(f"text: 1 to {PlayerNote.MAX_CHARS} characters", field="text")
    internal = is_internal and sees_all_partners(user)
    note = PlayerNote.objects.create(player=player, by=user, text=text.strip(), is_internal=internal)
    audit_record(
        actor=user.get_username(),
        actor_user_id=user.pk,
        partner_id=player.partner_id,
        action="player.note",
        subject=f"player {player.pk}",
        data={"note": note.pk},
    )
    return note
