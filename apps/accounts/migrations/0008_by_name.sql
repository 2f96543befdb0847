-- For the search of the back office: LIKE 'abc%' over the username in small letters, whatever the collation.
CREATE INDEX account_user_by_name ON account_user (lower(username) text_pattern_ops);
