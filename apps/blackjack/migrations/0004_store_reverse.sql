DROP FUNCTION blackjack_actions_save(jsonb);
DROP FUNCTION blackjack_may_stake(json);
DROP FUNCTION blackjack_platform_contexts_load(json);
DROP FUNCTION blackjack_move_contexts_load(json);
DROP FUNCTION blackjack_bet_contexts_load(json);
DROP TYPE blackjack_action_context;
