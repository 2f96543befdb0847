CREATE OR REPLACE FUNCTION round_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.how_ended <> '' THEN
        RAISE EXCEPTION 'round % has ended' , OLD.id USING ERRCODE = 'restrict_violation';
    END IF;
    IF (NEW.id, NEW.partner_id, NEW.player_id, NEW.currency_id, NEW.game, NEW.started_at, NEW.seed_pair_id, NEW.nonce,
        NEW.config_version, NEW.terms, NEW.balance_before, NEW.table_round, NEW.seat) IS DISTINCT FROM
       (OLD.id, OLD.partner_id, OLD.player_id, OLD.currency_id, OLD.game, OLD.started_at, OLD.seed_pair_id, OLD.nonce,
        OLD.config_version, OLD.terms, OLD.balance_before, OLD.table_round, OLD.seat)
       OR NEW.stake < OLD.stake AND OLD.table_round IS NULL OR NEW.payout < OLD.payout THEN
        RAISE EXCEPTION 'round % keeps what it was dealt with', OLD.id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

DROP TRIGGER round_keeps_terms ON game_round;
CREATE TRIGGER round_keeps_terms BEFORE UPDATE OF
    id, partner_id, player_id, currency_id, game, started_at, seed_pair_id, nonce, config_version, terms,
    balance_before, table_round, seat
    ON game_round FOR EACH ROW EXECUTE FUNCTION round_guard();
