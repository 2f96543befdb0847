DROP INDEX player_by_reference;
