-- The state beside a round is as much its record as the round's own row: what has ended stays.
-- `blackjack_play_save` ends the round's row first and writes the last state after it, in one transaction: that one
-- write is told from a later one by the time, which is the transaction's.
CREATE FUNCTION blackjack_round_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM game_round r
                WHERE r.id = OLD.round_id AND r.how_ended <> '' AND r.ended_at IS DISTINCT FROM now()) THEN
        RAISE EXCEPTION 'round % has ended', OLD.round_id USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.round_id <> OLD.round_id OR NEW.terms_id <> OLD.terms_id OR NEW.action_count <= OLD.action_count THEN
        RAISE EXCEPTION 'round % goes on from where it was', OLD.round_id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER blackjack_round_guard BEFORE UPDATE ON blackjack_round
    FOR EACH ROW EXECUTE FUNCTION blackjack_round_guard();
CREATE TRIGGER blackjack_round_stays BEFORE DELETE OR TRUNCATE ON blackjack_round
    FOR EACH STATEMENT EXECUTE FUNCTION change_refuse();
