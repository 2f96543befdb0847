-- The second person of an act is known to the transaction that approves it (`apps.approvals.services`).
CREATE FUNCTION significant_event_authorise() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.authorised_by := coalesce(current_setting('punto.authorised_by', true), '');
    RETURN NEW;
END $$;
CREATE TRIGGER significant_event_authorise BEFORE INSERT ON significant_event
    FOR EACH ROW EXECUTE FUNCTION significant_event_authorise();

-- All events are one chain. An event is linked at the commit: the chain's lock is the last one of its transaction, so no
-- other lock is waited for while it is held.
CREATE FUNCTION significant_event_link() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    former event_link;
    linked_at timestamptz;
    content text;
BEGIN
    PERFORM pg_advisory_xact_lock(7305808869231650932);
    SELECT * INTO former FROM event_link ORDER BY number DESC LIMIT 1;
    linked_at := clock_timestamp();
    content := jsonb_build_array(
        NEW.id, NEW.ctime, NEW.kind, NEW.component, NEW.actor, NEW.authorised_by, NEW.partner_id, NEW.subject,
        NEW.reason, NEW.before, NEW.after, NEW.round_id, NEW.amount, NEW.currency, NEW.once)::text;
    INSERT INTO event_link (number, event_id, ctime, hash)
    VALUES (coalesce(former.number, 0) + 1, NEW.id, linked_at, sha256(coalesce(former.hash, '') || convert_to(
        concat_ws('|', coalesce(former.number, 0) + 1, (extract(epoch FROM linked_at) * 1000000)::bigint, content),
        'UTF8')));
    RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION significant_event_link FROM PUBLIC;
CREATE CONSTRAINT TRIGGER significant_event_link AFTER INSERT ON significant_event
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION significant_event_link();
