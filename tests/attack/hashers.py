"""The hash of passwords in an attack."""

from django.contrib.auth.hashers import PBKDF2PasswordHasher


class QuickHasher(PBKDF2PasswordHasher):
    """The production hash with fewer iterations: hundreds of log-ins would take longer than all else."""

    iterations = 1_000
