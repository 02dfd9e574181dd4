"""Repaired records, merged sheets and standings.

The classes only hold results. Their fields are those of the public JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional

from quipu import _quipu
from quipu._quipu import Record, Verdict
from quipu.types import Format, Language, Outcome, Source, Status


@dataclass(frozen=True)
class Edit:
    """A change that makes a record legal."""

    ply: int
    """The ply of the repaired game, from 1."""
    kind: str
    """The slip that is undone, or the tag whose value is corrected."""
    written: Optional[str]
    """The written text; ``None`` for a ply that is not written."""
    read: Optional[str]
    """The text read instead; ``None`` for a ply that was written twice."""


@dataclass(frozen=True)
class Reading:
    """A legal game that a record may be of."""

    cost: int
    """The cost of its edits. Ten more is ten times less likely."""
    moves: list[str]
    """Canonical tokens."""
    edits: list[Edit]
    """The changes, in the order of the plies."""
    record: Record
    """The repaired record, with the written tokens in its comments."""
    verdict: Verdict
    """The verdict on it."""


@dataclass(frozen=True)
class Repair:
    """The readings of a record."""

    status: Status
    """The status of the record as it was written."""
    readings: list[Reading]
    """The readings, the cheapest first."""
    clear: bool
    """True if the first reading may be trusted."""
    complete: bool
    """False if the search hit its bound, so that there may be cheaper readings."""


@dataclass(frozen=True)
class Account:
    """One account of a disputed ply."""

    sheet: Optional[int]
    """The number of the sheet, from 1; ``None`` for a move of another game."""
    written: Optional[str]
    """The text of the sheet, or the other move; ``None`` if the sheet has no such ply."""
    cost: Optional[int]
    """The cost of the other game beyond that of the merged one; ``None`` for a sheet."""


@dataclass(frozen=True)
class Disputed:
    """A ply that is not beyond doubt."""

    ply: int
    """The ply of the merged game, from 1."""
    accounts: list[Account]
    """The text of every sheet, then other moves that explain the sheets nearly as well."""


@dataclass(frozen=True)
class DifferingTag:
    """A tag whose value differs between sheets."""

    tag: str
    """Its name."""
    values: list[Optional[str]]
    """Its value in each sheet; ``None`` if the sheet does not have it."""


@dataclass(frozen=True)
class MergedGame:
    """The game of several sheets."""

    moves: list[str]
    """Canonical tokens."""
    record: Record
    """The merged record, with the tokens of the sheets at disputed plies in its comments."""
    verdict: Verdict
    """The verdict on it."""
    disputed: list[Disputed]
    """The plies that are not beyond doubt."""
    agreed: int
    """The number of plies on which all sheets agree."""
    tags: list[DifferingTag]
    """The tags in which the sheets differ; the record has one of their values."""
    complete: bool
    """False if the search hit its bound."""


@dataclass(frozen=True)
class Played:
    """A game as a player sees it."""

    game: int
    """The place of its record in all sources together, from 1."""
    score: float
    """1, 0.5 or 0."""


@dataclass(frozen=True)
class Meeting:
    """A cell of the crosstable."""

    name: str
    """The opponent."""
    score: float
    """The score in all games against the opponent."""
    games: list[Played]
    """The games in the order of the sources."""


@dataclass(frozen=True)
class Row:
    """A player's place."""

    place: int
    """From 1; players equal in everything share a place."""
    name: str
    """The name."""
    games: int
    """Games played."""
    wins: int
    """Games won."""
    draws: int
    """Games drawn."""
    losses: int
    """Games lost."""
    score: float
    """One for each win, a half for each draw."""
    tie_breaks: dict[str, Optional[float]]
    """The tie-breaks by their names; ``None`` where one does not apply to the player."""
    opponents: list[Meeting]
    """The row of the crosstable."""


@dataclass(frozen=True)
class Standings:
    """The standings of one game in one event."""

    game: str
    """The game."""
    event: Optional[str]
    """The event, if its records name one."""
    tie_breaks: list[str]
    """The tie-breaks, the first one first."""
    players: list[Row]
    """The best first."""


@dataclass(frozen=True)
class Rating:
    """The sums of a player in one game, as in the rankings of the service."""

    game: str
    """The game."""
    name: str
    """The player."""
    games: int
    """Games that count."""
    wins: int
    """Games won."""
    draws: int
    """Games drawn."""
    points: Optional[int]
    """Points without bonus; ``None`` in games that do not count points."""
    bonus: float
    """The bonuses of encounters, in halves."""
    points_with_bonus: Optional[float]
    """Points plus bonuses."""
    level: Optional[int]
    """0 to 360; ``None`` before the second won game and in games without levels."""
    tier: Optional[str]
    """``"cobre"``, ``"plata"`` or ``"oro"``, if there is a level."""


@dataclass(frozen=True)
class Uncounted:
    """A record that does not count."""

    place: int
    """The place of the record in all sources together, from 1."""
    reason: str
    """Its status if it is not verified; else ``"unnamed"``, ``"alone"`` or ``"duplicate"``."""
    code: Optional[str]
    """The code of its first error, if it has one."""


@dataclass(frozen=True)
class SheetDifference:
    """Two records that should be of one game and are not."""

    games: tuple[int, int]
    """Their places."""
    ply: Optional[int]
    """The first ply that differs, from 1; ``None`` if only the results differ."""
    moves: Optional[tuple[Optional[str], Optional[str]]]
    """Both moves there."""
    results: Optional[tuple[Outcome, Outcome]]
    """Both results, if only these differ."""


@dataclass(frozen=True)
class SourceFile:
    """One of several sources."""

    file: Optional[str]
    """Its path, if it has one."""
    first: int
    """The place of its first record."""
    records: int
    """The number of its records."""


@dataclass(frozen=True)
class Competition:
    """The standings of all games and events, and the records that do not count."""

    tables: list[Standings]
    """In the order of their first games."""
    uncounted: list[Uncounted]
    """In the order of the sources. Further sheets of a game that counts are not among them."""
    sheets: list[list[int]]
    """The places of the sheets of games with several sheets, the counted one first."""
    contradictions: list[SheetDifference]
    """In the order of the later sheets."""
    files: list[SourceFile]
    """The sources, if there are several."""


def repair(record: Record, *, by: Optional[str] = None) -> Repair:
    """Find the legal games that a rejected record may be of.

    Parameters
    ----------
    record : Record
        The record. One that is not rejected is its own only reading.
    by : str, optional
        The person who chooses a reading, for the comments of the repaired records.

    Returns
    -------
    Repair
        The readings, the cheapest first.
    """
    found, made = _quipu.readings(record, by)
    report: dict[str, Any] = json.loads(found)
    readings = [
        Reading(reading["cost"], reading["moves"], [_edit(edit) for edit in reading["edits"]], *results)
        for reading, results in zip(report["readings"], made)
    ]
    return Repair(report["status"], readings, report["clear"], report["complete"])


def _edit(edit: Mapping[str, Any]) -> Edit:
    return Edit(edit["ply"], edit["kind"], edit["from"], edit["to"])


def merge(
    records: Iterable[Record],
    *,
    chosen: Optional[Mapping[int, str]] = None,
    by: Optional[str] = None,
    lang: Language = "en",
) -> MergedGame:
    """Find the game that several sheets of it explain best.

    Parameters
    ----------
    records : iterable of Record
        The sheets, 2 to 16.
    chosen : mapping of int to str, optional
        The tokens that a person chose at some plies of the merged game, counted from 1.
    by : str, optional
        That person, for the comments of the merged record.
    lang : {"en", "es"}, default "en"
        The language of messages.

    Returns
    -------
    MergedGame
        The game, with the plies that are not beyond doubt.

    Raises
    ------
    MergeError
        The sheets are not of one game, or no legal game is near them.
    """
    found, record, verdict = _quipu.merged(list(records), sorted((chosen or {}).items()), by, lang)
    report: dict[str, Any] = json.loads(found)
    disputed = [
        Disputed(ply["ply"], [Account(**account) for account in ply["readings"]]) for ply in report["disputed"]
    ]
    tags = [DifferingTag(**tag) for tag in report["tags"]]
    return MergedGame(report["moves"], record, verdict, disputed, report["agreed"], tags, report["complete"])


def standings(
    *sources: Source,
    event: Optional[str] = None,
    tie_breaks: Optional[Sequence[str]] = None,
    aliases: Optional[Mapping[str, Sequence[str]]] = None,
    lang: Language = "en",
    jobs: Optional[int] = None,
    format: Optional[Format] = None,
    encoding: Optional[str] = None,
) -> Competition:
    """Compute the standings of each game and event, with tie-breaks and crosstables.

    Only verified games between two named players count, and each game once. Memory grows by some hundred bytes for each game.

    Parameters
    ----------
    *sources : str, bytes, bytearray, memoryview, os.PathLike or file object
        The records, as for `verify`.
    event : str, optional
        Only games of this event.
    tie_breaks : sequence of str, optional
        The tie-breaks, the first one first, such as ``["direct", "wins"]``.
    aliases : mapping of str to sequence of str, optional
        Other spellings of the names of players, by the name that they are counted under.
    lang, jobs, format, encoding
        As for `verify`.

    Returns
    -------
    Competition
        The standings, and the records that do not count.

    Raises
    ------
    QuipuError
        An argument is not valid, or no record is of the event.
    TypeError
        A ``str`` is passed for a sequence of them.
    OSError
        A file cannot be opened or read.
    """
    selection: dict[str, Any] = {
        "event": event,
        "tie_breaks": None if tie_breaks is None else _names(tie_breaks),
        "aliases": {name: _names(others) for name, others in (aliases or {}).items()},
        "format": format,
        "encoding": encoding,
    }
    found, uncounted = _quipu.counted(list(sources), selection, lang, jobs)
    report: dict[str, Any] = json.loads(found)
    return Competition(
        [_table(table) for table in report["tables"]],
        [Uncounted(*record) for record in uncounted],
        [game["games"] for game in report.get("sheets", [])],
        [_difference(found) for found in report.get("contradictions", [])],
        [SourceFile(**source) for source in report.get("files", [])],
    )


def _names(names: Iterable[str]) -> Iterable[str]:
    # A str is refused and not taken for a list of its letters.
    return names if isinstance(names, str) else list(names)


def standings_of(
    entries: Sequence[tuple[int, str]], *, tie_breaks: Optional[Sequence[str]] = None, lang: Language = "en"
) -> list[Standings]:
    """Compute the standings of entries, as `standings` does of records.

    All entries of an event must be passed together, after `distinct_games` has removed further sheets of a game.

    Parameters
    ----------
    entries : sequence of tuple of int and str
        The place of each record in the order of entry, and its ``entry`` of `verify_batch`.
    tie_breaks : sequence of str, optional
        The tie-breaks, the first one first.
    lang : {"en", "es"}, default "en"
        The language of messages.

    Returns
    -------
    list of Standings
        In the order of their first games.

    Raises
    ------
    QuipuError
        An entry is another text, two entries have the same place, or there is no such tie-break.
    """
    report: list[dict[str, Any]] = json.loads(_quipu.tables(entries, tie_breaks, lang))
    return [_table(table) for table in report]


def ratings_of(entries: Sequence[tuple[int, str]], *, lang: Language = "en") -> list[Rating]:
    """Compute the ratings of players from entries, as the service does.

    All entries of a player must be passed together, after `distinct_games` has removed further sheets of a game. The ratings of
    other players in them are those of the passed games alone.

    Parameters
    ----------
    entries : sequence of tuple of int and str
        The place of each record in the order of entry, and its ``entry`` of `verify_batch`.
    lang : {"en", "es"}, default "en"
        The language of messages.

    Returns
    -------
    list of Rating
        By game and name.

    Raises
    ------
    QuipuError
        An entry is another text, or two entries have the same place.
    """
    report: list[dict[str, Any]] = json.loads(_quipu.ratings_in(entries, lang))
    return [Rating(**rating) for rating in report]


def _table(table: Mapping[str, Any]) -> Standings:
    return Standings(table["game"], table["event"], table["tie_breaks"], [_row(row) for row in table["players"]])


def _row(row: Mapping[str, Any]) -> Row:
    fields: dict[str, Any] = {**row, "opponents": [_meeting(meeting) for meeting in row["opponents"]]}
    return Row(**fields)


def _meeting(meeting: Mapping[str, Any]) -> Meeting:
    return Meeting(meeting["name"], meeting["score"], [Played(**game) for game in meeting["games"]])


def _difference(found: Mapping[str, Any]) -> SheetDifference:
    moves, results = found.get("moves"), found.get("results")
    return SheetDifference(
        (found["games"][0], found["games"][1]),
        found["ply"],
        None if moves is None else (moves[0], moves[1]),
        None if results is None else (results[0], results[1]),
    )
