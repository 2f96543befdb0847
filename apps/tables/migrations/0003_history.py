"""How tables, their chains, sessions, players and seats came to be as they are is kept."""

from django.db import migrations

from apps.core.sql import history_kept


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0002_store"),
        ("audit", "0003_row_change"),
    ]
    operations = [
        history_kept("game_table", left_out=["version", "deadline", "state", "is_open"], by_columns=True),
        history_kept("table_chain", hashed=["sealed_seed"]),
        history_kept("table_player", key="player_id"),
        history_kept("table_seat"),
        history_kept(
            "table_session",
            left_out=["active_at", "socket", "server_id", "dropped_at", "sequence", "changes"],
            hashed=["token_hash"],
            by_columns=True,
        ),
    ]
