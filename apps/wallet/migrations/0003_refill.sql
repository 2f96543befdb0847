-- As in 0002_ledger.sql; a refill is one more kind that goes into the wallet.
CREATE OR REPLACE FUNCTION wallet_transaction_append() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    -- To PostgreSQL NaN is greater than every number.
    IF (NEW.change <> 'NaN' AND (
            NEW.change > 0 AND NEW.kind IN ('deposit', 'reward', 'refund', 'refill')
            OR NEW.change < 0 AND NEW.kind IN ('withdrawal', 'bet')
            OR NEW.change <> 0 AND NEW.kind = 'adjustment' AND NEW.reason <> '')) IS NOT TRUE THEN
        RAISE EXCEPTION 'wallet_transaction_sign: no % of %', NEW.kind, NEW.change
            USING ERRCODE = 'check_violation', CONSTRAINT = 'wallet_transaction_sign';
    END IF;
    UPDATE wallet
       SET balance = wallet.balance + NEW.change,
           row_count = wallet.row_count + 1,
           head = wallet_transaction_hash(
               wallet.head, NEW.id, NEW.ctime, wallet.id, wallet.house_account_id, wallet.row_count + 1, NEW.kind,
               NEW.change, wallet.balance + NEW.change, NEW.round_id, NEW.record_id, NEW.source_key, NEW.reason)
     WHERE id = NEW.wallet_id
    RETURNING house_account_id, row_count, balance, head
      INTO NEW.house_account_id, NEW.number, NEW.balance_after, NEW.hash;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no wallet %', NEW.wallet_id USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NEW;
END $$;

-- What else holds for a refill. Triggers fire in the order of their names, so this one sees the balance after.
CREATE FUNCTION wallet_transaction_refill() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    granted numeric;
BEGIN
    SELECT currency.play_grant INTO granted
      FROM wallet JOIN currency ON currency.code = wallet.currency_id
     WHERE wallet.id = NEW.wallet_id AND currency.is_play;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'wallet_refill_play_money: wallet % holds no play money', NEW.wallet_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'wallet_refill_play_money';
    END IF;
    IF NEW.balance_after <> granted THEN
        RAISE EXCEPTION 'wallet_refill_amount: a refill brings the balance to %, not to %', granted, NEW.balance_after
            USING ERRCODE = 'check_violation', CONSTRAINT = 'wallet_refill_amount';
    END IF;
    -- The day that a refill counts for is the day on which it is made.
    IF NEW.ctime <> statement_timestamp() OR NEW.round_id IS NOT NULL OR NEW.record_id IS NOT NULL THEN
        RAISE EXCEPTION 'wallet_refill_plain: a refill is made now and belongs to no round'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'wallet_refill_plain';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER wallet_transaction_refill BEFORE INSERT ON wallet_transaction
    FOR EACH ROW WHEN (NEW.kind = 'refill') EXECUTE FUNCTION wallet_transaction_refill();
CREATE UNIQUE INDEX wallet_refill_one_a_day ON wallet_transaction (wallet_id, ((ctime AT TIME ZONE 'UTC')::date))
    WHERE kind = 'refill';

-- Money that is held does not turn into play money, nor the other way round.
CREATE FUNCTION currency_keeps_kind() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM wallet WHERE currency_id = OLD.code) THEN
        RAISE EXCEPTION 'currency % is held: it stays %', OLD.code, CASE WHEN OLD.is_play THEN 'play money' ELSE 'money' END
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER currency_keeps_kind BEFORE UPDATE OF is_play ON currency
    FOR EACH ROW WHEN (NEW.is_play <> OLD.is_play) EXECUTE FUNCTION currency_keeps_kind();
