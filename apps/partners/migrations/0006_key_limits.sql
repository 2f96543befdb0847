-- The cast refuses what is no network.
ALTER TABLE api_key ADD CONSTRAINT api_key_allowed_addresses CHECK (
    cardinality(allowed_addresses) <= 20
    AND array_position(allowed_addresses, NULL) IS NULL
    AND allowed_addresses::text[]::cidr[] IS NOT NULL
);
ALTER TABLE api_key ADD CONSTRAINT api_key_expires_later CHECK (expires_at > ctime);
