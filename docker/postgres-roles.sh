#!/bin/sh
# Run once by the database's image, on empty data: the owner makes tables, the servers may only use them.
set -eu
psql --username "${POSTGRES_USER:-postgres}" --dbname postgres --no-psqlrc --set ON_ERROR_STOP=1 \
    --set owner_password="$PUNTO_OWNER_PASSWORD" --set app_password="$PUNTO_APP_PASSWORD" <<'SQL'
CREATE ROLE punto_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE punto_app LOGIN PASSWORD :'app_password';
CREATE DATABASE punto OWNER punto_owner;
SQL
