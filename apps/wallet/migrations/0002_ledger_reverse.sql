DROP TRIGGER wallet_stays ON wallet;
DROP TRIGGER wallet_follows_ledger ON wallet;
DROP TRIGGER wallet_keeps_owner ON wallet;
DROP TRIGGER wallet_begins_empty ON wallet;
DROP FUNCTION wallet_follows_ledger();
DROP FUNCTION wallet_keeps_owner();
DROP FUNCTION wallet_begins_empty();
DROP TRIGGER wallet_transaction_append ON wallet_transaction;
DROP FUNCTION wallet_transaction_append();
DROP FUNCTION wallet_transaction_hash(
    bytea, bigint, timestamptz, bigint, bigint, bigint, text, numeric, numeric, uuid, bigint, text, text
);
ALTER TABLE wallet RESET (fillfactor);
