"""A wallet with very many movements, in a second."""

import psycopg


def movements_copy(superuser: psycopg.Connection, *, wallet_id: int, count: int) -> None:
    """Give the wallet this number of copies of its last movement, without a round. Their hashes are wrong."""
    superuser.execute("SET session_replication_role = replica")
    row = superuser.execute(
        "SELECT * FROM wallet_transaction WHERE wallet_id = %s ORDER BY number DESC LIMIT 1", [wallet_id]
    )
    assert row.description is not None
    columns = [column.name for column in row.description]
    last = dict(zip(columns, row.fetchone() or (), strict=True))
    changed = {"id": "id + n", "number": "number + n", "source_key": "'copy:' || n", "round_id": "NULL"}
    names, texts = ", ".join(columns), ", ".join(changed.get(name, name) for name in columns)
    copy = f"INSERT INTO wallet_transaction ({names}) OVERRIDING SYSTEM VALUE SELECT {texts}"
    superuser.execute(f"{copy} FROM wallet_transaction, generate_series(1, %s) n WHERE id = %s", [count, last["id"]])
    superuser.execute("UPDATE wallet SET row_count = row_count + %s WHERE id = %s", [count, wallet_id])
