-- What is revealed is what was committed, and what was dealt with stays as it was.
ALTER TABLE seed_pair ADD CONSTRAINT seed_pair_reveals_commitment
    CHECK (server_seed = '' OR encode(sha256(convert_to(server_seed, 'UTF8')), 'hex') = commitment);

CREATE FUNCTION seed_pair_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.status = 'revealed' OR NEW.player_id <> OLD.player_id OR NEW.commitment <> OLD.commitment
        OR NEW.sealed_seed <> OLD.sealed_seed OR NEW.next_nonce < OLD.next_nonce
        OR (NEW.client_seed <> OLD.client_seed AND OLD.next_nonce > 0)
        OR (OLD.status = 'active' AND NEW.status = 'next') OR (OLD.status = 'next' AND NEW.status = 'revealed') THEN
        RAISE EXCEPTION 'a seed pair does not go back' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER seed_pair_guard BEFORE UPDATE ON seed_pair FOR EACH ROW EXECUTE FUNCTION seed_pair_guard();
CREATE TRIGGER seed_pair_stays BEFORE DELETE OR TRUNCATE ON seed_pair
    FOR EACH STATEMENT EXECUTE FUNCTION change_refuse();
