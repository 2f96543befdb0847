"""How log-ins, what they may do, and players came to be as they are is kept."""

from django.db import migrations

from apps.core.sql import history_kept


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0001_initial"),
        ("account", "0009_emailaddress_unique_primary_email"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("mfa", "0003_authenticator_type_uniq"),
        ("audit", "0003_row_change"),
    ]
    operations = [
        history_kept(
            "account_user", left_out=["last_login"], hashed=["password", "email", "first_name", "last_name"]
        ),
        history_kept("account_user_groups"),
        history_kept("account_user_user_permissions"),
        history_kept("auth_group"),
        history_kept("auth_group_permissions"),
        history_kept("account_emailaddress", hashed=["email"]),
        history_kept("mfa_authenticator", left_out=["last_used_at"], hashed=["data"]),
        history_kept("player"),
    ]
