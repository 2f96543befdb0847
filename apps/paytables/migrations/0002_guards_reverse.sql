DROP TRIGGER paytable_use_guard ON paytable_use;
DROP FUNCTION paytable_use_guard();
ALTER TABLE paytable DROP CONSTRAINT paytable_terms;
ALTER TABLE paytable DROP CONSTRAINT paytable_hash;
