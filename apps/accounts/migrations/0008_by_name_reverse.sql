DROP INDEX account_user_by_name;
