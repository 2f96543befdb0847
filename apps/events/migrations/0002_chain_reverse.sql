DROP TRIGGER significant_event_link ON significant_event;
DROP FUNCTION significant_event_link();
DROP TRIGGER significant_event_authorise ON significant_event;
DROP FUNCTION significant_event_authorise();
