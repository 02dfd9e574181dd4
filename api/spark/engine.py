"""What the three scripts share: the session, and functions on Arrow batches as steps of Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import judging
import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

Step = Callable[[judging.Batches], Iterator[pa.RecordBatch]]


def session(name: str) -> SparkSession:
    """The session of `spark-submit`. The executors get `judging`; they need the package `quipu` installed."""
    spark = SparkSession.builder.appName(f"quipu {name}").getOrCreate()
    spark.sparkContext.addPyFile(str(Path(judging.__file__)))
    return spark


def mapped(frame: DataFrame, step: Step, schema: pa.Schema) -> DataFrame:
    """The rows that a step makes of each partition."""
    return frame.mapInArrow(step, from_arrow_schema(schema))


def grouped(frame: DataFrame, keys: dict[str, Column], step: Step, schema: pa.Schema) -> DataFrame:
    """The same of the entries with equal keys: one shuffle; a group must fit into the memory of a task."""
    keyed = frame.select(*(key.alias(name) for name, key in keys.items()), "place", "entry")
    return mapped(keyed.repartition(*keys).sortWithinPartitions(*keys, "place"), step, schema)


def of_entry(path: str) -> Column:
    """A value in the text of an entry."""
    return F.get_json_object("entry", f"$.{path}")
