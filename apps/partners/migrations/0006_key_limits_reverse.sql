ALTER TABLE api_key DROP CONSTRAINT api_key_expires_later;
ALTER TABLE api_key DROP CONSTRAINT api_key_allowed_addresses;
