-- The history of rows that may change, written by trigger in the transaction of the change: who switches the triggers
-- off leaves rows that are not as their history ends. Each row's history is a chain of hashes.

-- A row as its history has it: without what changes with every bet, and of what is secret or personal a hash alone.
CREATE FUNCTION row_change_content(held jsonb, left_out text[], hashed text[]) RETURNS jsonb
LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(jsonb_object_agg(key, CASE WHEN key = ANY (hashed)
        THEN to_jsonb('sha256:' || encode(sha256(convert_to(value::text, 'UTF8')), 'hex')) ELSE value END), '{}')
    FROM jsonb_each(held) WHERE key <> ALL (left_out)
$$;

CREATE FUNCTION row_change_hash(
    previous bytea, table_name text, row_key text, number bigint, op text, ctime timestamptz, content jsonb
) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
    SELECT sha256(previous || convert_to(concat_ws('|',
        table_name, octet_length(row_key), row_key, number, op,
        (extract(epoch FROM ctime) * 1000000)::bigint, content::text
    ), 'UTF8'))
$$;

-- Not for the servers to call: only triggers do, and migrations.
CREATE FUNCTION row_change_append(changed text, changed_key text, op text, content jsonb) RETURNS void
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
REVOKE EXECUTE ON FUNCTION row_change_append FROM PUBLIC;

-- Arguments: the columns of the key, those that are left out, those of which a hash is kept; each parted by commas.
CREATE FUNCTION row_change_record() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' SET bytea_output = 'hex' AS $$
DECLARE
    key_columns text[] := string_to_array(TG_ARGV[0], ',');
    left_out text[] := string_to_array(TG_ARGV[1], ',');
    hashed text[] := string_to_array(TG_ARGV[2], ',');
    before jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END;
    after jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END;
    key_before text;
    key_after text;
BEGIN
    SELECT string_agg(before ->> name, ',' ORDER BY place), string_agg(after ->> name, ',' ORDER BY place)
      INTO key_before, key_after FROM unnest(key_columns) WITH ORDINALITY AS part (name, place);
    before := row_change_content(before, left_out, hashed);
    after := row_change_content(after, left_out, hashed);
    IF TG_OP = 'DELETE' OR key_after <> key_before THEN
        PERFORM row_change_append(TG_TABLE_NAME, key_before, '-', '{}');
    END IF;
    IF TG_OP = 'INSERT' OR key_after <> key_before THEN
        PERFORM row_change_append(TG_TABLE_NAME, key_after, '+', after);
    ELSIF TG_OP = 'UPDATE' AND after <> before THEN
        PERFORM row_change_append(TG_TABLE_NAME, key_after, '~', after);
    END IF;
    RETURN NULL;
END $$;

-- Begin the history of a table, with the rows that are there. With `by_columns` an UPDATE of columns that are left out
-- does not even call the trigger.
CREATE FUNCTION row_changes_begin(changed regclass, key_columns text, left_out text, hashed text, by_columns boolean)
RETURNS void LANGUAGE plpgsql SET timezone = 'UTC' SET bytea_output = 'hex' AS $$
DECLARE
    watched text;
    held record;
BEGIN
    SELECT ' OF ' || string_agg(quote_ident(attname), ', ') INTO watched FROM pg_attribute
     WHERE by_columns AND attrelid = changed AND attnum > 0 AND NOT attisdropped
       AND attname <> ALL (string_to_array(left_out, ','));
    EXECUTE format(
        'CREATE TRIGGER %I AFTER INSERT OR DELETE OR UPDATE %s ON %s FOR EACH ROW EXECUTE FUNCTION row_change_record(%L, %L, %L)',
        changed::text || '_history', coalesce(watched, ''), changed, key_columns, left_out, hashed);
    FOR held IN EXECUTE format('SELECT to_jsonb(held) AS content FROM %s AS held', changed) LOOP
        PERFORM row_change_append(
            changed::text,
            (SELECT string_agg(held.content ->> name, ',' ORDER BY place)
               FROM unnest(string_to_array(key_columns, ',')) WITH ORDINALITY AS part (name, place)),
            '=', row_change_content(held.content, string_to_array(left_out, ','), string_to_array(hashed, ',')));
    END LOOP;
END $$;
REVOKE EXECUTE ON FUNCTION row_changes_begin FROM PUBLIC;

-- What is removed because its time has passed is written down by its key, in the same transaction. Argument: the key.
CREATE FUNCTION row_removal_record() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    EXECUTE format(
        'INSERT INTO row_removal (table_name, row_keys) SELECT %L, array_agg(%s) FROM gone HAVING count(*) > 0',
        TG_TABLE_NAME, TG_ARGV[0]);
    RETURN NULL;
END $$;
