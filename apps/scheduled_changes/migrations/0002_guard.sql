-- What is scheduled stays as it is. A change ends once, and is carried out at its time and not before.
CREATE FUNCTION scheduled_change_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.status <> 'waiting' THEN
            RAISE EXCEPTION 'a scheduled change begins as waiting, not as %', NEW.status
                USING ERRCODE = 'integrity_constraint_violation';
        END IF;
        RETURN NEW;
    END IF;
    IF TG_OP <> 'UPDATE' THEN
        RAISE EXCEPTION 'scheduled changes are kept: % is refused', TG_OP
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF OLD.status <> 'waiting' THEN
        RAISE EXCEPTION 'scheduled change % has ended', OLD.id USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF (NEW.id, NEW.kind, NEW.subject, NEW.partner_id, NEW.payload, NEW.apply_at, NEW.asked_by_id, NEW.ctime)
        IS DISTINCT FROM
        (OLD.id, OLD.kind, OLD.subject, OLD.partner_id, OLD.payload, OLD.apply_at, OLD.asked_by_id, OLD.ctime)
    THEN
        RAISE EXCEPTION 'what scheduled change % does is fixed', OLD.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF NEW.status IN ('done', 'refused') AND clock_timestamp() < OLD.apply_at THEN
        RAISE EXCEPTION 'scheduled change % is not due yet', OLD.id USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER scheduled_change_guard BEFORE INSERT OR UPDATE OR DELETE ON scheduled_change
FOR EACH ROW EXECUTE FUNCTION scheduled_change_guard();
CREATE TRIGGER scheduled_change_guard_truncate BEFORE TRUNCATE ON scheduled_change
FOR EACH STATEMENT EXECUTE FUNCTION scheduled_change_guard();
