-- A round that has ended never changes, and what it was dealt with does not change before.
CREATE FUNCTION round_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.how_ended <> '' THEN
        RAISE EXCEPTION 'round % has ended' , OLD.id USING ERRCODE = 'restrict_violation';
    END IF;
    IF (NEW.id, NEW.partner_id, NEW.player_id, NEW.currency_id, NEW.game, NEW.started_at, NEW.seed_pair_id, NEW.nonce,
        NEW.config_version, NEW.terms, NEW.balance_before) IS DISTINCT FROM
       (OLD.id, OLD.partner_id, OLD.player_id, OLD.currency_id, OLD.game, OLD.started_at, OLD.seed_pair_id, OLD.nonce,
        OLD.config_version, OLD.terms, OLD.balance_before) OR NEW.stake < OLD.stake OR NEW.payout < OLD.payout THEN
        RAISE EXCEPTION 'round % keeps what it was dealt with', OLD.id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- Called where there may be something to refuse: not for every action of a round that goes on.
CREATE TRIGGER round_guard BEFORE UPDATE ON game_round FOR EACH ROW
    WHEN (OLD.how_ended <> '' OR NEW.stake < OLD.stake OR NEW.payout < OLD.payout) EXECUTE FUNCTION round_guard();
CREATE TRIGGER round_keeps_terms BEFORE UPDATE OF
    id, partner_id, player_id, currency_id, game, started_at, seed_pair_id, nonce, config_version, terms, balance_before
    ON game_round FOR EACH ROW EXECUTE FUNCTION round_guard();
CREATE TRIGGER round_stays BEFORE DELETE OR TRUNCATE ON game_round FOR EACH STATEMENT EXECUTE FUNCTION change_refuse();

-- Who knew the server seed of an open round would know its hidden cards.
CREATE FUNCTION open_round_keeps_seed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM game_round WHERE player_id = NEW.player_id AND how_ended = '' AND seed_pair_id = NEW.id) THEN
        RAISE EXCEPTION 'a round that seed pair % deals is open', NEW.id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER open_round_keeps_seed BEFORE UPDATE OF status ON seed_pair FOR EACH ROW
    WHEN (NEW.status = 'revealed') EXECUTE FUNCTION open_round_keeps_seed();
