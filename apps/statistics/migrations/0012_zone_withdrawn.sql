-- What was chosen stays as it is. A zone can be withdrawn, once, while its first day has not begun, there and in UTC: no
-- day has been counted in it yet. One that is withdrawn does not hinder the choice of another one.
CREATE OR REPLACE FUNCTION partner_zone_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF OLD.withdrawn_at IS NOT NULL THEN
            RAISE EXCEPTION 'the time zone % is withdrawn', OLD.id USING ERRCODE = 'check_violation';
        END IF;
        IF to_jsonb(NEW) - '{withdrawn_at,withdrawn_by,withdrawn_reason}'::text[]
           IS DISTINCT FROM to_jsonb(OLD) - '{withdrawn_at,withdrawn_by,withdrawn_reason}'::text[] THEN
            RAISE EXCEPTION 'a time zone that was chosen is not changed' USING ERRCODE = 'restrict_violation';
        END IF;
        IF OLD.from_day <= (clock_timestamp() AT TIME ZONE OLD.zone)::date
           OR OLD.from_day <= (clock_timestamp() AT TIME ZONE 'UTC')::date THEN
            RAISE EXCEPTION 'the time zone % has begun', OLD.id USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END IF;
    IF NEW.withdrawn_at IS NOT NULL THEN
        RAISE EXCEPTION 'a time zone is not chosen as withdrawn' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.zone <> 'UTC'
       AND NOT EXISTS (SELECT FROM partner_zone WHERE zone = NEW.zone)
       AND NOT EXISTS (SELECT FROM pg_timezone_names WHERE name = NEW.zone) THEN
        RAISE EXCEPTION 'there is no time zone %', NEW.zone USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.from_day <= (now() AT TIME ZONE NEW.zone)::date
       OR NEW.from_day <= (now() AT TIME ZONE 'UTC')::date
       OR NEW.from_day <= (
           SELECT max(from_day) FROM partner_zone WHERE partner_id = NEW.partner_id AND withdrawn_at IS NULL
       ) THEN
        RAISE EXCEPTION 'a time zone begins on a coming day, after those before it' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
DROP TRIGGER partner_zone_guard ON partner_zone;
CREATE TRIGGER partner_zone_guard BEFORE INSERT OR UPDATE ON partner_zone
    FOR EACH ROW EXECUTE FUNCTION partner_zone_guard();
DROP TRIGGER partner_zone_append_only ON partner_zone;
CREATE TRIGGER partner_zone_kept BEFORE DELETE OR TRUNCATE ON partner_zone
    FOR EACH STATEMENT EXECUTE FUNCTION change_refuse();
