CREATE OR REPLACE FUNCTION row_change_append(changed text, changed_key text, op text, content jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
    former row_change;
    written_at timestamptz := statement_timestamp();
BEGIN
    SELECT * INTO former FROM row_change WHERE table_name = changed AND row_key = changed_key ORDER BY number DESC LIMIT 1;
    INSERT INTO row_change (table_name, row_key, number, op, content, ctime, hash)
    VALUES (changed, changed_key, coalesce(former.number, 0) + 1, op, content, written_at,
            row_change_hash(coalesce(former.hash, ''), changed, changed_key, coalesce(former.number, 0) + 1, op,
                            written_at, content));
END $$;
