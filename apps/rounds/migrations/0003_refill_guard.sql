-- It fires after `wallet_transaction_append`, whose lock on the wallet keeps a first stake out.
CREATE FUNCTION wallet_transaction_refill_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM game_round JOIN wallet ON wallet.player_id = game_round.player_id
                WHERE wallet.id = NEW.wallet_id AND game_round.how_ended = '') THEN
        RAISE EXCEPTION 'wallet_refill_no_open_round: a round of the player is open'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'wallet_refill_no_open_round';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER wallet_transaction_refill_guard BEFORE INSERT ON wallet_transaction
    FOR EACH ROW WHEN (NEW.kind = 'refill') EXECUTE FUNCTION wallet_transaction_refill_guard();
