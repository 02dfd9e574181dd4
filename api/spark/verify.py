"""Judge records with Spark: ``spark-submit verify.py RECORDS VERDICTS``.

RECORDS is a Parquet file or folder with a column record, such as `quipu archive export --to parquet` writes, or with ``--text`` a
file or folder of texts in quipu's own format and UTF-8. VERDICTS is a new folder of Parquet files, partitioned by game. Judging
needs no shuffle.
"""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence

import judging
from engine import mapped, session
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import to_arrow_schema


def ranges(spark: SparkSession, uri: str, size: int) -> DataFrame:
    """The ranges of text files that are divided every `size` bytes."""
    divided = judging.divided(uri, size)
    schema = "uri string, path string, start long, end long, before long"
    return spark.createDataFrame(divided, schema).repartition(len(divided) or 1)


def judged_texts(ranges: DataFrame, how: judging.Judging) -> DataFrame:
    """The verdicts on the records of ranges of texts."""
    # In one step: between two, Spark would make batches of its own.
    return mapped(ranges, lambda batches: how.judged(judging.parts(batches)), how.schema(judging.PARTS))


def judged(records: DataFrame, how: judging.Judging) -> DataFrame:
    """The verdicts on records."""
    columns = list(dict.fromkeys([*how.keep, *(how.players or ()), "record"]))
    schema = how.schema(to_arrow_schema(records.schema))
    return mapped(records.select(*columns), how.judged, schema)


def mebibytes(text: str) -> int:
    """A number of MiB, at least one."""
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise ArgumentTypeError(f"{text!r} is no number of MiB from 1")


def game_rules(text: str) -> tuple[str, str]:
    """A game and its rule set."""
    game, _, rules = text.partition("=")
    if game and rules and "=" not in rules:
        return game, rules
    raise ArgumentTypeError(f"{text!r} is not GAME=NAME, such as brandubh=cuervo")


def arguments(given: Sequence[str] | None = None) -> Namespace:
    """The arguments of the script."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("records")
    parser.add_argument("verdicts")
    parser.add_argument("--text", action="store_true", help="RECORDS are texts, not Parquet")
    parser.add_argument("--split", type=mebibytes, default=64, metavar="MIB", help="divide texts every so many MiB")
    parser.add_argument("--entries", action="store_true", help="add the column entry, for standings.py")
    parser.add_argument(
        "--rules", type=game_rules, metavar="GAME=NAME", help="judge the records of a game under this rule set; not with --text"
    )
    parser.add_argument("--lang", choices=["en", "es"], default="en", help="language of messages")
    options = parser.parse_args(given)
    if options.text and options.rules:
        parser.error("--rules needs the table of quipu archive export")
    return options


def main() -> None:
    """Run the script."""
    options = arguments()
    spark = session("verify")
    records = None if options.text else spark.read.parquet(options.records)
    own = {"record", *judging.VERDICTS.names}
    columns = judging.PARTS.names if records is None else records.columns
    keep = tuple(name for name in columns if name not in own)
    how = judging.Judging(
        keep,
        entries=options.entries,
        players=("player_1", "player_2") if {"player_1", "player_2"} <= set(keep) else None,
        rules=options.rules,
        lang=options.lang,
    )
    if records is None:
        verdicts = judged_texts(ranges(spark, options.records, options.split * 1024 * 1024), how)
    else:
        verdicts = judged(records, how)
    verdicts.write.partitionBy("game").parquet(options.verdicts)
    spark.stop()


if __name__ == "__main__":
    main()
