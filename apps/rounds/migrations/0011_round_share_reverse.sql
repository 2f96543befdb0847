DROP TRIGGER round_share_stays ON round_share;
DROP TRIGGER round_share_guard ON round_share;
DROP FUNCTION round_share_guard();
