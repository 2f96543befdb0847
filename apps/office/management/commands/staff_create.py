"""`manage.py staff_create USERNAME --role operator`: a user of the back office; asks for the password."""

import getpass
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.accounts.models import Role
from apps.accounts.services import staff_create
from apps.core.errors import DomainError
from apps.partners.models import Partner


class Command(BaseCommand):
    help = "Create a user of the back office. It asks for the password, or reads it as one line without a terminal."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--role", required=True, choices=[role for role in Role.values if role != Role.PLAYER])
        parser.add_argument("--partner", metavar="SLUG", help="whose staff it is; an auditor without one sees all")
        parser.add_argument("--email", default="")

    def handle(self, *_: Any, **options: Any) -> None:
        slug = options["partner"]
        partner = Partner.objects.filter(slug=slug).first() if slug else None
        if slug and partner is None:
            raise CommandError(f"there is no partner {slug}")
        try:
            user = staff_create(
                username=options["username"],
                email=options["email"],
                password=_password(),
                role=Role(options["role"]),
                partner=partner,
                actor="manage.py",
            )
        except DomainError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"{user.username} may log in as {user.get_role_display()}.")


def _password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    password = getpass.getpass("Password: ")
    if getpass.getpass("Again: ") != password:
        raise CommandError("the two passwords differ")
    return password
