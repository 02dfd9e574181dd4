"""Compute standings, levels and ratings with Spark: ``spark-submit standings.py VERDICTS TABLES``.

VERDICTS is a folder of ``verify.py --entries``. TABLES is a new folder with standings and ratings. One shuffle leaves one sheet of
each game, one more makes each kind of table; entries are shuffled, not records.
"""

from __future__ import annotations

from argparse import ArgumentParser

import judging
from engine import grouped, of_entry, session
from pyspark.sql import DataFrame
from pyspark.sql import functions as F


def counted(verdicts: DataFrame, place: str) -> DataFrame:
    """The entries that count: place, entry. `place` is the column with the order of entry."""
    entries = verdicts.where("entry is not null").select(F.col(place).alias("place"), "entry")
    return grouped(entries, {"key": of_entry("sheet.key")}, judging.counted, judging.COUNTED)


def standings(entries: DataFrame, tie_breaks: list[str] | None = None) -> DataFrame:
    """The standings of all events with a name."""
    keys = {"game": of_entry("game"), "event": of_entry("event")}
    return grouped(entries.where(keys["event"].isNotNull()), keys, judging.tabled(tie_breaks), judging.STANDINGS)


def ratings(entries: DataFrame) -> DataFrame:
    """The ratings of all players, with their levels."""
    players = F.explode(F.array(of_entry("players[0]"), of_entry("players[1]")))
    of_both = entries.select("place", "entry", players.alias("player"))
    return grouped(of_both, {"game": of_entry("game"), "player": F.col("player")}, judging.rated, judging.RATINGS)


def main() -> None:
    """Run the script."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("verdicts")
    parser.add_argument("tables")
    parser.add_argument("--place", default="number", help="column with the order of entry (number)")
    parser.add_argument("--tie-breaks", metavar="LIST", help="tie-breaks of standings, such as direct,wins")
    options = parser.parse_args()
    spark = session("standings")
    entries = counted(spark.read.parquet(options.verdicts), options.place).persist()
    tie_breaks = options.tie_breaks.split(",") if options.tie_breaks else None
    standings(entries, tie_breaks).write.parquet(f"{options.tables}/standings")
    ratings(entries).write.parquet(f"{options.tables}/ratings")
    spark.stop()


if __name__ == "__main__":
    main()
