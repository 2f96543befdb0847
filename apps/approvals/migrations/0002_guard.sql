-- An approval is decided once, in time, by two persons who have both just shown a second factor. What was asked for
-- stays as it is.
CREATE FUNCTION approval_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'UPDATE' THEN
        RAISE EXCEPTION 'approvals are kept: % is refused', TG_OP USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF OLD.status <> 'waiting' THEN
        RAISE EXCEPTION 'approval % is decided', OLD.id USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF (NEW.id, NEW.act, NEW.subject, NEW.partner_id, NEW.payload, NEW.why, NEW.reason, NEW.asked_by_id,
            NEW.asked_factor_at, NEW.ctime, NEW.expires_at)
        IS DISTINCT FROM (OLD.id, OLD.act, OLD.subject, OLD.partner_id, OLD.payload, OLD.why, OLD.reason,
            OLD.asked_by_id, OLD.asked_factor_at, OLD.ctime, OLD.expires_at)
    THEN
        RAISE EXCEPTION 'what approval % asks for is fixed', OLD.id USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF NEW.status = 'approved' AND (
        now() > OLD.expires_at
        OR OLD.asked_factor_at < OLD.ctime - interval '16 minutes'
        OR NEW.decided_factor_at IS NULL OR NEW.decided_factor_at < now() - interval '16 minutes'
    ) THEN
        RAISE EXCEPTION 'approval % is too late, or a second factor is too old', OLD.id
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER approval_guard BEFORE UPDATE OR DELETE ON approval FOR EACH ROW EXECUTE FUNCTION approval_guard();
CREATE TRIGGER approval_guard_truncate BEFORE TRUNCATE ON approval FOR EACH STATEMENT EXECUTE FUNCTION approval_guard();
