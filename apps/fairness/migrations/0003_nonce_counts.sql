-- A nonce that is taken is every bet's update; nothing else changes then, and the guard need not be called.
DROP TRIGGER seed_pair_guard ON seed_pair;
CREATE TRIGGER seed_pair_guard BEFORE UPDATE ON seed_pair FOR EACH ROW
    WHEN (NOT (NEW.next_nonce = OLD.next_nonce + 1 AND NEW.status = OLD.status AND OLD.status <> 'revealed'
        AND NEW.player_id = OLD.player_id AND NEW.commitment = OLD.commitment AND NEW.sealed_seed = OLD.sealed_seed
        AND NEW.client_seed = OLD.client_seed))
    EXECUTE FUNCTION seed_pair_guard();
