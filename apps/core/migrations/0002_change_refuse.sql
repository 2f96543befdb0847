-- Append-only tables call this before UPDATE, DELETE and TRUNCATE: whoever asks, the answer is no.
CREATE FUNCTION change_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% on % is refused: its rows are written once', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END $$;
