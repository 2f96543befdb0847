-- An approval begins as one that waits: whoever inserts it decides nothing.
CREATE FUNCTION approval_insert_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.status <> 'waiting' THEN
        RAISE EXCEPTION 'an approval begins as waiting, not as %', NEW.status
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER approval_insert_guard BEFORE INSERT ON approval
FOR EACH ROW EXECUTE FUNCTION approval_insert_guard();
