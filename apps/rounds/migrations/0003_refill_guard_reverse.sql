DROP TRIGGER wallet_transaction_refill_guard ON wallet_transaction;
DROP FUNCTION wallet_transaction_refill_guard();
