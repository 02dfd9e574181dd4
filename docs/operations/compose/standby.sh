# Copies the primary into an empty folder, and follows it. After a promotion it starts as the primary that it has become.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    install -d -o postgres -g postgres -m 0700 "$PGDATA"
    gosu postgres pg_basebackup --host primary --username quipu --write-recovery-conf --wal-method stream --slot standby \
        --checkpoint fast --pgdata "$PGDATA"
    # A promoted standby has none of its own to wait for.
    echo "synchronous_standby_names = ''" >> "$PGDATA/postgresql.auto.conf"
fi
exec gosu postgres postgres -c cluster_name=standby -c hot_standby_feedback=on
