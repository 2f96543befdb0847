ALTER TABLE partner DROP CONSTRAINT partner_frame_origins;
