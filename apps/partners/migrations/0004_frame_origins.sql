-- Each origin is written into a header, so it has neither a wildcard nor a path, space or semicolon. The setting
-- PUNTO_FRAME_LOOPBACK decides whether the service accepts the second form.
ALTER TABLE partner ADD CONSTRAINT partner_frame_origins CHECK (
    cardinality(frame_origins) <= 20
    AND array_position(frame_origins, NULL) IS NULL
    AND (cardinality(frame_origins) = 0 OR array_to_string(frame_origins, ' ')
        ~ '^((https://[a-z0-9]([a-z0-9.-]*[a-z0-9])?|http://(localhost|127\.0\.0\.1))(:[0-9]{1,5})?( (?=h)|$))+$')
);
