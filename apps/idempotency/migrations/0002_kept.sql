-- An answer is what a client was told: it never changes, and stays for the seven days that are promised.
CREATE TRIGGER stored_answer_written_once BEFORE UPDATE OR TRUNCATE ON stored_answer
    FOR EACH STATEMENT EXECUTE FUNCTION change_refuse();
CREATE TRIGGER stored_answer_kept BEFORE DELETE ON stored_answer
    FOR EACH ROW WHEN (OLD.ctime > now() - interval '7 days') EXECUTE FUNCTION change_refuse();
CREATE TRIGGER stored_answer_removed AFTER DELETE ON stored_answer REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION row_removal_record('ROW(scope, key)::text');
