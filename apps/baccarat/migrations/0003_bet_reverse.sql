DROP FUNCTION baccarat_bet_settle(
    uuid, bigint, bigint, bigint, text, bigint, bigint, bigint, bigint, jsonb, jsonb, bigint, numeric, numeric, numeric,
    text[], text[], smallint[], numeric[], numeric[], smallint[], numeric[], text, bytea, bytea
);
