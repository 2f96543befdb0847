-- Who knew the server seed of an open round would know its hidden cards.
CREATE FUNCTION open_round_keeps_seed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM game_round WHERE player_id = NEW.player_id AND how_ended = '' AND seed_pair_id = NEW.id) THEN
        RAISE EXCEPTION 'a round that seed pair % deals is open', NEW.id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER open_round_keeps_seed BEFORE UPDATE ON seed_pair FOR EACH ROW
    WHEN (NEW.status = 'revealed') EXECUTE FUNCTION open_round_keeps_seed();
