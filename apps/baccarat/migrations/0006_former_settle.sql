-- `baccarat_rounds_settle` (0005_store.sql) has taken its place.
DROP FUNCTION baccarat_bets_settle(
    uuid[], bigint[], bigint[], bigint[], text[], bigint[], bigint[], bigint[], bigint[], jsonb[], jsonb[],
    bigint[], numeric[], numeric[], numeric[], text[], bytea[], bytea[],
    text[], text[], text[], text[], text[], text[], text[]
);
