"""List the differences between two editions of the rules with Spark: ``spark-submit compare.py KIND BEFORE AFTER CHANGES``.

KIND is verdicts, for folders of verify.py, or standings or ratings, for those of standings.py. The two folders come from two
rule sets (``verify.py --rules``) or from two versions of the package. CHANGES is a new folder of Parquet files with a row for
each value that differs.
"""

from __future__ import annotations

from argparse import ArgumentParser

from engine import session
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

KEYS = {"verdicts": ["number", "index"], "standings": ["game", "event", "name"], "ratings": ["game", "name"]}

VALUES = {
    "verdicts": ["status", "code", "plies", "termination", "result", "winner", "points"],
    "standings": ["place", "score", "games", "wins", "draws", "losses"],
    "ratings": ["games", "wins", "draws", "points", "bonus", "level", "tier"],
}
"""The values that are compared. The winner of an event is at place 1."""


def changes(before: DataFrame, after: DataFrame, keys: list[str], values: list[str]) -> DataFrame:
    """The values that differ: keys, value, before, after. A row that one side does not have counts as nulls."""

    def side(frame: DataFrame, name: str) -> DataFrame:
        if "code" in values:
            error = F.filter("diagnostics", lambda found: found["severity"] == "error")
            frame = frame.withColumn("code", F.get(error, F.lit(0))["code"])
        shown = [_text(frame, value).alias(f"{name}_{value}") for value in values]
        return frame.select(*keys, *shown)

    both = side(before, "before").join(side(after, "after"), keys, "full_outer")
    pairs = [
        F.struct(F.lit(value).alias("value"), F.col(f"before_{value}").alias("before"), F.col(f"after_{value}").alias("after"))
        for value in values
    ]
    differing = F.filter(F.array(*pairs), lambda pair: ~pair["before"].eqNullSafe(pair["after"]))
    return both.select(*keys, F.explode(differing).alias("found")).select(*keys, "found.*")


def _text(frame: DataFrame, value: str) -> Column:
    is_list = frame.schema[value].dataType.typeName() == "array"
    return F.to_json(value) if is_list else F.col(value).cast("string")


def main() -> None:
    """Run the script."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=sorted(KEYS))
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("changes")
    parser.add_argument("--keys", metavar="LIST", help="columns that name a record (number,index)")
    options = parser.parse_args()
    spark = session("compare")
    keys = options.keys.split(",") if options.keys else KEYS[options.kind]
    before, after = (spark.read.parquet(folder) for folder in (options.before, options.after))
    changes(before, after, keys, VALUES[options.kind]).write.parquet(options.changes)
    spark.stop()


if __name__ == "__main__":
    main()
