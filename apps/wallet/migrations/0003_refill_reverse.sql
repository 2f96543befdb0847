DROP TRIGGER currency_keeps_kind ON currency;
DROP FUNCTION currency_keeps_kind();
DROP INDEX wallet_refill_one_a_day;
DROP TRIGGER wallet_transaction_refill ON wallet_transaction;
DROP FUNCTION wallet_transaction_refill();
CREATE OR REPLACE FUNCTION wallet_transaction_append() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    IF (NEW.change <> 'NaN' AND (
            NEW.change > 0 AND NEW.kind IN ('deposit', 'reward', 'refund')
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
