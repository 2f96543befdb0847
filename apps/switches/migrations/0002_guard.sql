-- No round begins where a switch is off. The statements of every game insert their round's row, so the switch is read
-- in the same statement, without a round trip, and in the snapshot of this moment. Rounds that have begun go on: they
-- are updated.
CREATE FUNCTION round_switch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM switch WHERE is_off) AND EXISTS (
        SELECT FROM switch
         WHERE is_off AND (scope, key) IN (
            ('everything', ''), ('game', NEW.game), ('pay_table', NEW.paytable_id::text),
            ('partner', NEW.partner_id::text), ('player', NEW.player_id::text),
            ('table', (SELECT table_id::text FROM table_round WHERE id = NEW.table_round)))
    ) THEN
        RAISE EXCEPTION 'a switch is off for this round' USING
            ERRCODE = 'check_violation', CONSTRAINT = 'round_switch';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER round_switch BEFORE INSERT ON game_round FOR EACH ROW EXECUTE FUNCTION round_switch();

-- A switch stays as a row, so that its history is never empty.
CREATE TRIGGER switch_stays BEFORE DELETE OR TRUNCATE ON switch FOR EACH STATEMENT EXECUTE FUNCTION change_refuse();
