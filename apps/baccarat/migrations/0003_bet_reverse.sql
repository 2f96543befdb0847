DROP FUNCTION baccarat_bets_settle(
    uuid[], bigint[], bigint[], bigint[], text[], bigint[], bigint[], bigint[], bigint[], jsonb[], jsonb[],
    bigint[], numeric[], numeric[], numeric[], text[], bytea[], bytea[],
    text[], text[], text[], text[], text[], text[], text[]
);
