//! The catalogue of a server: which tables, indexes, constraints and triggers a schema has.

/// Name, table and definition of everything in a schema, without the name of the schema and the parts of extensions. The schema is a
/// parameter; null stands for the temporary tables of the session.
pub(in crate::store::database) const OBJECTS: &str = "
  WITH place AS (
    SELECT oid, quote_ident(nspname) || '.' AS prefix FROM pg_namespace
    WHERE oid = coalesce(CAST(to_regnamespace(CAST(?1 AS text)) AS oid), pg_my_temp_schema())
  ), relation AS (
    SELECT pg_class.oid, relname, relkind FROM pg_class JOIN place ON relnamespace = place.oid
    WHERE relkind <> 't' AND NOT EXISTS (SELECT 1 FROM pg_depend
      WHERE classid = CAST('pg_class' AS regclass) AND objid = pg_class.oid AND deptype = 'e')
  ), object (name, owner, definition) AS (
    SELECT CAST(relname AS text), coalesce((
      SELECT indexed.relname FROM pg_index JOIN pg_class AS indexed ON indexed.oid = indrelid WHERE indexrelid = relation.oid
    ), relname), concat_ws(' ', relkind, CASE WHEN relkind = 'i' THEN pg_get_indexdef(relation.oid) ELSE (
      SELECT string_agg(concat_ws(' ', attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated,
        (SELECT collname FROM pg_collation WHERE pg_collation.oid = attcollation), pg_get_expr(adbin, adrelid)), ', '
        ORDER BY attname)
      FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
      WHERE attrelid = relation.oid AND attnum > 0 AND NOT attisdropped) END)
    FROM relation
    UNION ALL SELECT CAST(conname AS text), relname, concat_ws(' ', relname, contype, pg_get_constraintdef(pg_constraint.oid))
    FROM pg_constraint JOIN relation ON relation.oid = conrelid WHERE contype <> 'n'
    UNION ALL SELECT CAST(tgname AS text), relname, pg_get_triggerdef(pg_trigger.oid)
    FROM pg_trigger JOIN relation ON relation.oid = tgrelid WHERE NOT tgisinternal
  )
  SELECT name, CAST(owner AS text),
    replace(replace(string_agg(definition, '; ' ORDER BY definition), min(prefix), ''), 'pg_temp.', '')
  FROM object, place GROUP BY name, owner";

/// The columns of a temporary table that are stored, with commas between them.
pub(in crate::store::database) const COLUMNS: &str = "
  SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
  WHERE attrelid = to_regclass('pg_temp.' || CAST(? AS text)) AND attnum > 0 AND attgenerated = '' AND NOT attisdropped";
