-- A slug is unique and has no parentheses, so the new names are, too.
UPDATE partner SET name = left(name, 57) || ' (' || slug || ')'
WHERE EXISTS (SELECT FROM partner AS earlier WHERE lower(earlier.name) = lower(partner.name) AND earlier.id < partner.id);
