DROP TRIGGER approval_insert_guard ON approval;
DROP FUNCTION approval_insert_guard();
