-- For the search of the back office: LIKE 'abc%' over the reference in small letters, whatever the collation.
CREATE INDEX player_by_reference ON player (lower(reference) text_pattern_ops);
