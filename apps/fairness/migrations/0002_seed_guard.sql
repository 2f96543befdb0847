-- A seed pair moves forward: committed, dealing, revealed. What is revealed is what was committed, and what was dealt
-- with stays as it was. Every round counts the nonce up; the guard is called for what changes besides.

-- Room beside each pair, so that no index has to hear of a nonce.
ALTER TABLE seed_pair SET (fillfactor = 70);

CREATE FUNCTION seed_pair_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND (
        OLD.status = 'revealed' OR NEW.player_id <> OLD.player_id OR NEW.commitment <> OLD.commitment
        OR NEW.sealed_seed <> OLD.sealed_seed
        OR (NEW.client_seed <> OLD.client_seed AND OLD.next_nonce > 0)
        OR (OLD.status = 'active' AND NEW.status = 'next') OR (OLD.status = 'next' AND NEW.status = 'revealed')) THEN
        RAISE EXCEPTION 'a seed pair does not go back' USING ERRCODE = 'restrict_violation';
    END IF;
    IF (NEW.status = 'revealed') IS DISTINCT FROM (NEW.server_seed <> '')
        OR (NEW.status = 'revealed') IS DISTINCT FROM (NEW.revealed_at IS NOT NULL)
        OR (NEW.status <> 'next' AND NEW.client_seed = '') OR NEW.next_nonce < 0 THEN
        RAISE EXCEPTION 'seed_pair_status: this is no % seed pair', NEW.status
            USING ERRCODE = 'check_violation', CONSTRAINT = 'seed_pair_status';
    END IF;
    IF NEW.server_seed <> '' AND encode(sha256(convert_to(NEW.server_seed, 'UTF8')), 'hex') <> NEW.commitment THEN
        RAISE EXCEPTION 'seed_pair_reveals_commitment: the seed is not what was committed'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'seed_pair_reveals_commitment';
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION seed_pair_counts_up() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a seed pair does not go back: its nonce counts up as long as it deals' USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER seed_pair_guard BEFORE INSERT OR UPDATE OF
    player_id, status, commitment, sealed_seed, server_seed, client_seed, revealed_at ON seed_pair
    FOR EACH ROW EXECUTE FUNCTION seed_pair_guard();
CREATE TRIGGER seed_pair_counts_up BEFORE UPDATE OF next_nonce ON seed_pair
    FOR EACH ROW WHEN (NEW.next_nonce < OLD.next_nonce OR OLD.status = 'revealed') EXECUTE FUNCTION seed_pair_counts_up();
CREATE TRIGGER seed_pair_stays BEFORE DELETE OR TRUNCATE ON seed_pair
    FOR EACH STATEMENT EXECUTE FUNCTION change_refuse();
