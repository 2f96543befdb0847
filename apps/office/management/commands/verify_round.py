"""`manage.py verify_round`: compares a recorded round with its seeds, or deals a round from seeds."""

from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.core import json
from apps.core.errors import DomainError
from apps.core.models import Currency
from apps.fairness.round_seeds import Seeds
from apps.office.verification.rounds import RoundCheck, redeal, round_check
from apps.rounds.explanation import Redeal
from apps.rounds.models import Round
from apps.rounds.registry import game_ids, game_of


class Command(BaseCommand):
    help = (
        "Deal a round again. With the id of a recorded round: say whether cards, results and money are as they must"
        " be, and fail if not; its server seed is not told. With seeds: print the cards."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("round_id", nargs="?", type=UUID, help="a recorded round that has ended")
        parser.add_argument("--game", choices=game_ids(), default=game_ids()[0])
        parser.add_argument("--server-seed")
        parser.add_argument("--client-seed")
        parser.add_argument("--nonce", type=int)
        parser.add_argument("--rules", default="", help="decks=8, or other options of the game, separated by commas")
        parser.add_argument("--actions", default="", help="what was decided, where the game asks for it: Hit,Stand,...")
        parser.add_argument("--currency", default="FUN", help="whose decimals count")
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            if options["round_id"] is not None:
                self._check(options["round_id"], as_json=options["json"])
            else:
                self._deal(options)
        except DomainError as error:
            raise CommandError(error.message) from error

    def _check(self, round_id: UUID, *, as_json: bool) -> None:
        found = Round.objects.select_related("seed_pair", "currency").filter(pk=round_id).first()
        if found is None:
            raise CommandError(f"there is no round {round_id}")
        checked = round_check(found)
        self.stdout.write(check_json(checked) if as_json else check_text(checked))
        if checked.faults:
            raise CommandError(f"round {round_id} is not as its seeds say")

    def _deal(self, options: dict[str, Any]) -> None:
        if None in (options["server_seed"], options["client_seed"], options["nonce"]):
            raise CommandError("give the id of a round, or --server-seed, --client-seed and --nonce")
        currency = Currency.objects.filter(code=options["currency"]).first()
        if currency is None:
            raise CommandError(f"there is no currency {options['currency']}")
        seeds = Seeds(options["server_seed"], options["client_seed"], options["nonce"])
        dealt = redeal(
            options["game"],
            seeds,
            rules=_rules(options["game"], options["rules"]),
            actions=[name for name in options["actions"].split(",") if name],
            quantum=currency.quantum,
        )
        self.stdout.write(dealt_json(seeds, dealt) if options["json"] else dealt_text(seeds, dealt))


def check_json(checked: RoundCheck) -> str:
    """Return the result of a check as one JSON object."""
    return json.encode(
        {
            "round_id": str(checked.round_id),
            "game": checked.game,
            "server_seed_hash": checked.commitment,
            "client_seed": checked.client_seed,
            "nonce": checked.nonce,
            "is_revealed": checked.is_revealed,
            "cards": checked.cards,
            "matches": not checked.faults,
            "faults": checked.faults,
        }
    ).decode()


def check_text(checked: RoundCheck) -> str:
    """Return the result of a check as lines for people."""
    seed = "revealed" if checked.is_revealed else "not revealed yet"
    lines = [
        f"round        {checked.round_id}  {checked.game}",
        f"commitment   {checked.commitment}  (server seed {seed})",
        f"client seed  {checked.client_seed}  nonce {checked.nonce}",
        f"cards        {' '.join(checked.cards)}",
    ]
    if not checked.faults:
        return "\n".join([*lines, "as recorded"])
    return "\n".join([*lines, *(f"DIFFERS      {fault}" for fault in checked.faults)])


def dealt_json(seeds: Seeds, dealt: Redeal) -> str:
    """Return a deal from seeds as one JSON object."""
    return json.encode(
        {
            "server_seed_hash": seeds.commitment,
            "client_seed": seeds.client_seed,
            "nonce": seeds.nonce,
            "rules": dealt.rules,
            "cards": dealt.cards,
            "outcome": dealt.outcome,
        }
    ).decode()


def dealt_text(seeds: Seeds, dealt: Redeal) -> str:
    """Return a deal from seeds as lines for people."""
    return "\n".join(
        [
            f"commitment   {seeds.commitment}",
            f"client seed  {seeds.client_seed}  nonce {seeds.nonce}",
            f"cards        {' '.join(dealt.cards)}",
            f"outcome      {json.encode(dealt.outcome).decode()}",
        ]
    )


def _rules(game: str, text: str) -> dict[str, Any]:
    try:
        return game_of(game).verification.rules_from_text(text)
    except ValueError as error:
        raise CommandError(f"--rules: {error}") from error
