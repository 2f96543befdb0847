-- Only what anybody may check is shown: a round that has ended and whose seed is revealed. At a table the seed is
-- revealed with the round's end. A share is withdrawn once, and nothing else of it ever changes.
CREATE FUNCTION round_share_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF (NEW.id, NEW.round_id, NEW.code, NEW.ctime) IS DISTINCT FROM (OLD.id, OLD.round_id, OLD.code, OLD.ctime)
           OR OLD.withdrawn_at IS NOT NULL OR NEW.withdrawn_at IS NULL THEN
            RAISE EXCEPTION 'a share is withdrawn once, and nothing else of it changes'
                USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NEW;
    END IF;
    IF NEW.withdrawn_at IS NOT NULL OR length(NEW.code) < 22 OR NOT EXISTS (
        SELECT FROM game_round AS played LEFT JOIN seed_pair AS pair ON pair.id = played.seed_pair_id
        WHERE played.id = NEW.round_id AND played.how_ended <> ''
          AND (played.seed_pair_id IS NULL OR pair.status = 'revealed')
    ) THEN
        RAISE EXCEPTION 'round_share_revealed: only a round that has ended and is revealed is shown'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'round_share_revealed';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER round_share_guard BEFORE INSERT OR UPDATE ON round_share
    FOR EACH ROW EXECUTE FUNCTION round_share_guard();
CREATE TRIGGER round_share_stays BEFORE DELETE OR TRUNCATE ON round_share
    FOR EACH STATEMENT EXECUTE FUNCTION change_refuse();
