-- The ledger keeps itself: an INSERT into wallet_transaction numbers the row, carries the balance on,
-- chains the hash and moves the wallet, all under the wallet's row lock. The servers' role may change
-- neither balance, row_count nor head of a wallet by any other way.

-- The length of source_key stands before it: the two free texts at the end can be told apart in one way only.
CREATE FUNCTION wallet_transaction_hash(previous bytea, entry wallet_transaction) RETURNS bytea
LANGUAGE sql STABLE AS $$
    SELECT sha256(previous || convert_to(concat_ws('|',
        entry.id, (extract(epoch FROM entry.ctime) * 1000000)::bigint, entry.wallet_id, entry.house_account_id,
        entry.number, entry.kind, entry.change, entry.balance_after,
        coalesce(entry.round_id::text, ''), coalesce(entry.record_id::text, ''),
        octet_length(entry.source_key), entry.source_key, entry.reason
    ), 'UTF8'))
$$;

CREATE FUNCTION wallet_transaction_append() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    holder wallet%ROWTYPE;
BEGIN
    SELECT * INTO holder FROM wallet WHERE id = NEW.wallet_id FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no wallet %', NEW.wallet_id USING ERRCODE = 'foreign_key_violation';
    END IF;
    IF holder.balance + NEW.change < 0 THEN
        RAISE EXCEPTION 'wallet % holds less than the movement takes', NEW.wallet_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'wallet_balance_not_negative';
    END IF;
    NEW.house_account_id := holder.house_account_id;
    NEW.number := holder.row_count + 1;
    NEW.balance_after := holder.balance + NEW.change;
    NEW.hash := wallet_transaction_hash(holder.head, NEW);
    UPDATE wallet SET balance = NEW.balance_after, row_count = NEW.number, head = NEW.hash WHERE id = NEW.wallet_id;
    RETURN NEW;
END $$;

CREATE TRIGGER wallet_transaction_append BEFORE INSERT ON wallet_transaction
    FOR EACH ROW EXECUTE FUNCTION wallet_transaction_append();

-- A wallet begins empty, keeps its owner, and is never deleted.
CREATE FUNCTION wallet_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.balance <> 0 OR NEW.row_count <> 0 OR NEW.head <> '' THEN
            RAISE EXCEPTION 'a wallet begins empty' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END IF;
    IF NEW.player_id <> OLD.player_id OR NEW.currency_id <> OLD.currency_id
        OR NEW.house_account_id <> OLD.house_account_id THEN
        RAISE EXCEPTION 'a wallet keeps its player, currency and house account' USING ERRCODE = 'restrict_violation';
    END IF;
    IF (NEW.balance, NEW.row_count, NEW.head) IS DISTINCT FROM (OLD.balance, OLD.row_count, OLD.head)
        AND pg_trigger_depth() < 2 THEN
        RAISE EXCEPTION 'a wallet''s balance follows its ledger alone' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER wallet_guard BEFORE INSERT OR UPDATE ON wallet FOR EACH ROW EXECUTE FUNCTION wallet_guard();
CREATE TRIGGER wallet_stays BEFORE DELETE OR TRUNCATE ON wallet FOR EACH STATEMENT EXECUTE FUNCTION change_refuse();
