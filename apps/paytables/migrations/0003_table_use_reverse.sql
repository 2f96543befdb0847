CREATE OR REPLACE FUNCTION paytable_use_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    begun paytable_use;
BEGIN
    IF NEW.game <> (SELECT game FROM paytable WHERE id = NEW.paytable_id) THEN
        RAISE EXCEPTION 'pay table % is of another game', NEW.paytable_id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.ends_id IS NULL THEN
        IF EXISTS (
            SELECT FROM paytable_use AS other
             WHERE (other.partner_id, other.currency_id, other.game) = (NEW.partner_id, NEW.currency_id, NEW.game)
               AND other.ends_id IS NULL
               AND NOT EXISTS (SELECT FROM paytable_use AS ended WHERE ended.ends_id = other.id)
        ) THEN
            RAISE EXCEPTION 'the offer has a pay table in use' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END IF;
    SELECT * INTO begun FROM paytable_use WHERE id = NEW.ends_id AND ends_id IS NULL;
    IF (NEW.partner_id, NEW.currency_id, NEW.game, NEW.paytable_id, NEW.available_from) IS DISTINCT FROM
       (begun.partner_id, begun.currency_id, begun.game, begun.paytable_id, begun.available_from) THEN
        RAISE EXCEPTION 'the end of use % is not of the same offer', NEW.ends_id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
