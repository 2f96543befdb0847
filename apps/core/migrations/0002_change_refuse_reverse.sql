DROP FUNCTION change_refuse();
