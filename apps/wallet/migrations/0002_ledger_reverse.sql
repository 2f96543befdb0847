DROP TRIGGER wallet_stays ON wallet;
DROP TRIGGER wallet_guard ON wallet;
DROP FUNCTION wallet_guard();
DROP TRIGGER wallet_transaction_append ON wallet_transaction;
DROP FUNCTION wallet_transaction_append();
DROP FUNCTION wallet_transaction_hash(bytea, wallet_transaction);
