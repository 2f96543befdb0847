DROP TRIGGER stored_answer_removed ON stored_answer;
DROP TRIGGER stored_answer_kept ON stored_answer;
DROP TRIGGER stored_answer_written_once ON stored_answer;
