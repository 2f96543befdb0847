-- A closed day's rows never change, and none is added to it. A month's rows are written once.
CREATE FUNCTION statistics_day_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' AND OLD.closed_at IS NOT NULL THEN
        RAISE EXCEPTION 'the day % in % is closed', OLD.period, OLD.zone USING ERRCODE = 'restrict_violation';
    END IF;
    IF TG_OP = 'INSERT' AND coalesce(to_jsonb(NEW) ->> 'level', 'day') = 'day'
       AND EXISTS (SELECT FROM statistics_day WHERE day = NEW.period AND zone = NEW.zone) THEN
        RAISE EXCEPTION 'the day % in % is closed', NEW.period, NEW.zone USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
END $$;
CREATE TRIGGER play_stat_guard BEFORE INSERT OR UPDATE OR DELETE ON play_stat
    FOR EACH ROW EXECUTE FUNCTION statistics_day_guard();
CREATE TRIGGER player_day_guard BEFORE INSERT OR UPDATE OR DELETE ON player_day
    FOR EACH ROW EXECUTE FUNCTION statistics_day_guard();
CREATE TRIGGER movement_day_guard BEFORE INSERT OR UPDATE OR DELETE ON movement_day
    FOR EACH ROW EXECUTE FUNCTION statistics_day_guard();

-- A partner's time zone is one that PostgreSQL knows, and begins with a day that has not begun there yet.
CREATE FUNCTION partner_zone_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_timezone_names WHERE name = NEW.zone) THEN
        RAISE EXCEPTION 'there is no time zone %', NEW.zone USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.from_day <= (now() AT TIME ZONE NEW.zone)::date
       OR NEW.from_day <= (SELECT max(from_day) FROM partner_zone WHERE partner_id = NEW.partner_id) THEN
        RAISE EXCEPTION 'a time zone begins on a coming day, after those before it' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER partner_zone_guard BEFORE INSERT ON partner_zone FOR EACH ROW EXECUTE FUNCTION partner_zone_guard();
