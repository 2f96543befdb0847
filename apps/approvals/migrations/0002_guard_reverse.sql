DROP TRIGGER approval_guard_truncate ON approval;
DROP TRIGGER approval_guard ON approval;
DROP FUNCTION approval_guard();
