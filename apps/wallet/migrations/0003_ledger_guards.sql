-- To PostgreSQL NaN is greater than every number: it would pass the checks of sign and balance.
ALTER TABLE wallet_transaction ADD CONSTRAINT wallet_transaction_change_is_a_number CHECK (change <> 'NaN');
