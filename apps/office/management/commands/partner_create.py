"""`manage.py partner_create SLUG NAME [--house]`: a new partner; players of our own portal belong to the house."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.core.errors import DomainError
from apps.partners.services import partner_create


class Command(BaseCommand):
    help = (
        "Create a partner. Without a house nobody can sign up in the portal; limits and keys come in the back office."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="short name for addresses and reports: letters, digits, - and _")
        parser.add_argument("name")
        parser.add_argument("--house", action="store_true", help="players who sign up in the portal belong to it")

    def handle(self, *_: Any, **options: Any) -> None:
        try:
            partner = partner_create(
                slug=options["slug"], name=options["name"], is_house=options["house"], actor="manage.py"
            )
        except DomainError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"{partner.name} is partner {partner.pk}.")
