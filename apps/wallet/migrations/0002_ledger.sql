-- The ledger keeps itself: an INSERT into wallet_transaction is checked, numbers the row, carries the balance on,
-- chains the hash and moves the wallet, all under the wallet's row lock. The servers' role may change
-- neither balance, row_count nor head of a wallet by any other way.

-- A wallet is rewritten with every movement: room beside it, so that no index has to hear of it.
ALTER TABLE wallet SET (fillfactor = 60);

-- The length of source_key stands before it: the two free texts at the end can be told apart in one way only.
CREATE FUNCTION wallet_transaction_hash(
    previous bytea, id bigint, ctime timestamptz, wallet_id bigint, house_account_id bigint, number bigint, kind text,
    change numeric, balance_after numeric, round_id uuid, record_id bigint, source_key text, reason text
) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT sha256(previous || convert_to(concat_ws('|',
        id, (extract(epoch FROM ctime) * 1000000)::bigint, wallet_id, house_account_id,
        number, kind, change, balance_after,
        coalesce(round_id::text, ''), coalesce(record_id::text, ''),
        octet_length(source_key), source_key, reason
    ), 'UTF8'))
$$;

-- One UPDATE locks the wallet, moves it and says where it stands; what it may not hold the wallet's own CHECK refuses.
CREATE FUNCTION wallet_transaction_append() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    -- To PostgreSQL NaN is greater than every number.
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

CREATE TRIGGER wallet_transaction_append BEFORE INSERT ON wallet_transaction
    FOR EACH ROW EXECUTE FUNCTION wallet_transaction_append();

-- A wallet begins empty, keeps its owner, and is never deleted.
CREATE FUNCTION wallet_begins_empty() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.balance <> 0 OR NEW.row_count <> 0 OR NEW.head <> '' THEN
        RAISE EXCEPTION 'a wallet begins empty' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION wallet_keeps_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.player_id, NEW.currency_id, NEW.house_account_id)
        IS DISTINCT FROM (OLD.player_id, OLD.currency_id, OLD.house_account_id) THEN
        RAISE EXCEPTION 'a wallet keeps its player, currency and house account' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION wallet_follows_ledger() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.balance, NEW.row_count, NEW.head) IS DISTINCT FROM (OLD.balance, OLD.row_count, OLD.head) THEN
        RAISE EXCEPTION 'a wallet''s balance follows its ledger alone' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER wallet_begins_empty BEFORE INSERT ON wallet FOR EACH ROW EXECUTE FUNCTION wallet_begins_empty();
CREATE TRIGGER wallet_keeps_owner BEFORE UPDATE OF player_id, currency_id, house_account_id ON wallet
    FOR EACH ROW EXECUTE FUNCTION wallet_keeps_owner();
CREATE TRIGGER wallet_follows_ledger BEFORE UPDATE OF balance, row_count, head ON wallet
    FOR EACH ROW WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION wallet_follows_ledger();
CREATE TRIGGER wallet_stays BEFORE DELETE OR TRUNCATE ON wallet FOR EACH STATEMENT EXECUTE FUNCTION change_refuse();
