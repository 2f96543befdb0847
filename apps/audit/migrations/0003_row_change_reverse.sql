DROP FUNCTION row_removal_record();
DROP FUNCTION row_changes_begin(regclass, text, text, text, boolean);
DROP FUNCTION row_change_record();
DROP FUNCTION row_change_append(text, text, text, jsonb);
DROP FUNCTION row_change_hash(bytea, text, text, bigint, text, timestamptz, jsonb);
DROP FUNCTION row_change_content(jsonb, text[], text[]);
