-- A zone that a partner has is known. PostgreSQL reads a file for each name to list the names that it knows.
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
