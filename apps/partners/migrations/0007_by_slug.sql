-- For the search of the back office: LIKE 'abc%' over the slug in small letters, whatever the collation.
CREATE INDEX partner_by_slug ON partner (lower(slug) text_pattern_ops);
