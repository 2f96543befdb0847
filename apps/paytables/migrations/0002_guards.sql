-- A pay table's hash is that of its document, and its terms are the document's.
ALTER TABLE paytable ADD CONSTRAINT paytable_hash
    CHECK (hash = encode(sha256(convert_to(document, 'UTF8')), 'hex'));
ALTER TABLE paytable ADD CONSTRAINT paytable_terms
    CHECK (document::jsonb = terms || jsonb_build_object('game', game) AND NOT terms ? 'game');

-- The end of a use has the same offer and pay table as its beginning, and an offer has one running use.
CREATE FUNCTION paytable_use_guard() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER paytable_use_guard BEFORE INSERT ON paytable_use FOR EACH ROW EXECUTE FUNCTION paytable_use_guard();
