DROP TRIGGER partner_zone_kept ON partner_zone;
CREATE TRIGGER partner_zone_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON partner_zone
    FOR EACH STATEMENT EXECUTE FUNCTION change_refuse();
DROP TRIGGER partner_zone_guard ON partner_zone;
CREATE TRIGGER partner_zone_guard BEFORE INSERT ON partner_zone FOR EACH ROW EXECUTE FUNCTION partner_zone_guard();
CREATE OR REPLACE FUNCTION partner_zone_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.zone <> 'UTC'
       AND NOT EXISTS (SELECT FROM partner_zone WHERE zone = NEW.zone)
       AND NOT EXISTS (SELECT FROM pg_timezone_names WHERE name = NEW.zone) THEN
        RAISE EXCEPTION 'there is no time zone %', NEW.zone USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.from_day <= (now() AT TIME ZONE NEW.zone)::date
       OR NEW.from_day <= (now() AT TIME ZONE 'UTC')::date
       OR NEW.from_day <= (SELECT max(from_day) FROM partner_zone WHERE partner_id = NEW.partner_id) THEN
        RAISE EXCEPTION 'a time zone begins on a coming day, after those before it' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
