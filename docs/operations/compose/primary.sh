# Runs once, when the primary is made: allows the standby, and has commits wait for it. Until it has been copied nothing waits.
set -eu
echo 'host replication quipu all scram-sha-256' >> "$PGDATA/pg_hba.conf"
psql --username quipu --dbname quipu --set ON_ERROR_STOP=1 <<'SQL'
SELECT pg_create_physical_replication_slot('standby');
ALTER SYSTEM SET max_slot_wal_keep_size = '10GB';
ALTER SYSTEM SET synchronous_standby_names = 'standby';
SQL
