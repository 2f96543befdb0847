DROP FUNCTION table_balances_load(json);
DROP FUNCTION table_messages_take(json);
DROP FUNCTION table_sessions_hold(json);
