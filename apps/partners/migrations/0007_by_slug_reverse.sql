DROP INDEX partner_by_slug;
