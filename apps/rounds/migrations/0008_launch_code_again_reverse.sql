CREATE OR REPLACE FUNCTION game_session_code_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.code_spent_at IS NOT NULL
       AND (NEW.code_hash, NEW.code_expires_at, NEW.code_spent_at)
           IS DISTINCT FROM (OLD.code_hash, OLD.code_expires_at, OLD.code_spent_at) THEN
        RAISE EXCEPTION 'the code of session % is spent', OLD.id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
