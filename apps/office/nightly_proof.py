"""The proof of every night and of the button "Run reconciliation": who may start it, and the events of its findings.

proof.py runs the checks; that of the rounds, dealt again from their seeds, is redeal_check.py.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from operator import call
from pathlib import Path
from threading import Event, Thread
from typing import Any, Final

import structlog
from celery import current_app
from django.conf import settings
from django.core.cache import cache
from django.db import connection, transaction
from django.db.models import Q, QuerySet
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from apps.accounts.models import User
from apps.audit.models import AuditEntry
from apps.audit.services import audit_record
from apps.core.each_alone import each_alone
from apps.core.errors import Unavailable
from apps.core.findings import Finding
from apps.core.staff_scope import AUDITOR, OPERATOR, in_scope, may_enter, sees_all_partners
from apps.core.task_limits import LONG_TASK_S
from apps.events.models import EventKind
from apps.events.services import event_record
from apps.office.proof import Proof, proof_run
from apps.office.redeal_check import rounds_in_scope
from apps.partners.models import Partner
from apps.rounds.bulk_check import RoundScope
from apps.wallet.models import DailySeal
from apps.wallet.seals import yesterday_seal_take
from apps.wallet.seals_check import NOT_IN_DATABASE

ACTION: Final = "ledger.reconcile"
MAX_ROWS_AT_ONCE: Final = 50_000
"""The most movements to check while a browser waits: about two seconds."""
MAX_ROUNDS_AT_ONCE: Final = 3_000
"""Rounds that are dealt again while a browser waits: about two seconds, if none is checked in bulk."""
CLAIM_S: Final = 300
"""Seconds after which the next proof may be asked for, though the process of the last one was killed."""
CLAIM_RENEWED_S: Final = 60
FINDINGS_KEPT: Final = 20
RUNS_SHOWN: Final = 20
NIGHTLY_ACTOR: Final = "nightly proof"
LATE_COMMITS: Final = timedelta(hours=1)
"""A round's end is the time at which its transaction began, so a round whose transaction was running belongs to the
next proof."""

log = structlog.get_logger(__name__)


def may_reconcile(viewer: Any) -> bool:
    """Return whether the viewer may prove the ledger: operators and auditors, each for what they may see."""
    return may_enter(viewer) and viewer.role in (AUDITOR, OPERATOR)


def proof_is_short(*, user: User) -> bool:
    """Return whether the proof for this user is short enough for a browser to wait for it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples FROM pg_class WHERE oid = 'wallet_transaction'::regclass")
        (rows,) = cursor.fetchone()
    if rows > MAX_ROWS_AT_ONCE:
        return False
    partner_id = _partner_id(user)
    asked = rounds_in_scope(RoundScope(partner_id, rounds_unproven_since(partner_id=partner_id)))
    return len(asked.values("pk")[: MAX_ROUNDS_AT_ONCE + 1]) <= MAX_ROUNDS_AT_ONCE


def proof_claim(*, user: User) -> str:
    """Claim the user's proof for a worker, and return the claim: empty while a proof of the same partner, or of
    everything, waits or runs. Each takes a process of the worker for up to hours."""
    claim = f"proof-asked:{_partner_id(user)}"
    return claim if cache.add(claim, True, LONG_TASK_S) else ""


def proof_send(*, user: User) -> bool:
    """Have a worker run the user's proof; return False if one waits or runs already. Raises Unavailable."""
    claim = proof_claim(user=user)
    if not claim:
        return False
    try:
        # By name, since the module of the tasks imports this one.
        current_app.tasks["apps.office.tasks.ledger_reconcile"].delay(user.pk, claim)
    except OperationalError as error:
        proof_unclaim(claim)
        raise Unavailable("the worker cannot be asked now; try again in a moment") from error
    return True


@contextmanager
def proof_claim_hold(claim: str) -> Iterator[None]:
    """Hold the claim during the block, in the process that runs the proof, and end it then."""
    ended = Event()
    renewing = Thread(target=_claim_renew, args=(claim, ended), daemon=True)
    renewing.start()
    try:
        yield
    finally:
        ended.set()
        renewing.join()
        proof_unclaim(claim)


def proof_unclaim(claim: str) -> None:
    """Let the next proof of the same partner, or of everything, be asked for."""
    cache.delete(claim)


def reconciliation_run(*, user: User) -> None:
    """Prove everything, of all partners or of the user's own, and store the findings.

    Only rounds that ended since the last proof without findings are dealt again. Opens transactions of its
    own.
    """
    partner = None if sees_all_partners(user) else user.partner
    proof = _prove(partner_id=_partner_id(user))
    _proof_write(proof, actor=user.get_username(), actor_user_id=user.pk, partner=partner)


def nightly_proof_run() -> None:
    """Seal yesterday, prove everything, and store the findings; findings are logged as an error.

    Everything is proven without the seal too, as when its file cannot be written; then raises ExceptionGroup at the
    end.
    """
    steps: list[Callable[[], object]] = [yesterday_seal_take, _everything_prove]
    each_alone(steps, call, what="a step of the nightly proof")


def _everything_prove() -> None:
    proof = _prove(partner_id=None)
    _proof_write(proof, actor=NIGHTLY_ACTOR)
    if proof.findings:
        log.error("proof_found", found=len(proof.findings), first=_sentences(proof)[0])


def rounds_unproven_since(*, partner_id: int | None = None) -> datetime | None:
    """Return the time from which rounds must be dealt again; None means all rounds.

    That is the last seal before the last proof without a finding about rounds: what ended later was proven by it, but a
    superuser could have altered it before the next seal.
    """
    runs = AuditEntry.objects.filter(action=ACTION, data__rounds_found=0, data__has_key="until")
    # A proof of everything also counts as a proof of each partner.
    whole = Q(partner_id__isnull=True)
    last = runs.filter(whole if partner_id is None else whole | Q(partner_id=partner_id)).order_by("-id").first()
    if last is None:
        return None
    proven_at = min(datetime.fromisoformat(last.data["until"]), last.ctime)
    seal = DailySeal.objects.filter(ctime__lte=proven_at).order_by("-ctime").first()
    return None if seal is None else seal.ctime - LATE_COMMITS


def reconciliation_list(*, viewer: User) -> QuerySet[AuditEntry]:
    """Return the newest proofs that the viewer may see; operators of all partners see each partner's too."""
    runs = in_scope(AuditEntry.objects.filter(action=ACTION), viewer=viewer, partner_path="partner_id")
    return runs.order_by("-id")[:RUNS_SHOWN]


def _claim_renew(claim: str, ended: Event) -> None:
    while True:
        with suppress(RedisError):
            cache.set(claim, True, CLAIM_S)
        if ended.wait(CLAIM_RENEWED_S):
            return


def _partner_id(user: User) -> int | None:
    return None if sees_all_partners(user) else user.partner_id


def _prove(*, partner_id: int | None) -> Proof:
    seal_file = Path(settings.PUNTO_SEAL_FILE) if settings.PUNTO_SEAL_FILE else None
    return proof_run(
        seal_file=seal_file if seal_file and seal_file.exists() else None,
        partner_id=partner_id,
        rounds_since=rounds_unproven_since(partner_id=partner_id),
    )


def _proof_write(proof: Proof, *, actor: str, actor_user_id: int | None = None, partner: Partner | None = None) -> None:
    with transaction.atomic():
        audit_record(
            actor=actor,
            actor_user_id=actor_user_id,
            action=ACTION,
            partner_id=partner.pk if partner else None,
            subject=f"the ledger and the rounds of {partner.slug}" if partner else "the ledger and the rounds",
            data={
                "until": proof.until,
                "movements": proof.movement_count,
                "seals": proof.seal_count,
                "sealed_rows": proof.sealed_row_count,
                "versions": proof.version_count,
                "rounds": proof.round_count,
                "redealt": proof.redealt_count,
                "rounds_found": proof.round_finding_count,
                "found": len(proof.findings),
                "findings": _sentences(proof)[:FINDINGS_KEPT],
            },
        )
        if proof.findings:
            _event_write(proof, actor=actor, partner=partner)


def _event_write(proof: Proof, *, actor: str, partner: Partner | None) -> None:
    """Record the findings of the proof as significant events: seals that are lost, seals and chains that do not match,
    and altered rows.
    """
    found = [(_event_kind(finding), f"{finding.where}: {finding.what}") for finding in proof.findings]
    for kind in (EventKind.DATA_LOST, EventKind.AUTHENTICATION_MISMATCH, EventKind.DATA_CHANGED):
        sentences = [sentence for kind_of_it, sentence in found if kind_of_it is kind]
        if sentences:
            event_record(
                kind=kind,
                component="proof",
                actor=actor,
                subject="the ledger and the rounds",
                reason=sentences[0],
                partner_id=partner.pk if partner else None,
                after={"found": len(sentences), "findings": sentences[:FINDINGS_KEPT]},
            )


def _event_kind(finding: Finding) -> EventKind:
    """Return the kind of a finding. A seal or a chain that does not match is a mismatch, anything else altered data.

    "wallet 12" is the chain of a wallet's movements; "wallet row 12" is its row, as the row of any table.
    """
    if finding.what == NOT_IN_DATABASE:
        return EventKind.DATA_LOST
    is_mismatch = re.match(r"seal |significant_event |wallet \d", finding.where) is not None
    return EventKind.AUTHENTICATION_MISMATCH if is_mismatch else EventKind.DATA_CHANGED


def _sentences(proof: Proof) -> list[str]:
    return [f"{finding.where}: {finding.what}" for finding in proof.findings]
