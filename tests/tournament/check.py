"""Checks the pairings of report files (TRF16) with caissify-pairings, and explains differences.

Usage: check.py FOLDER [CUP]

The checker is used as it is first. Where it differs, it is asked again with what it leaves out: forbidden pairs (XXP), virtual
points by player (XXA, of which it knows two rounds of its own), the criteria in round 1, and the rules of 2026 that a player who
scores nothing in a round without a game gets no float (C.04.3, 1.4.3) and that only full points take the right to the bye (C2).
A difference that stays is asked of py4swiss, which knows the edition of 2017, and printed. One that both find fails.

CUP is the file of a tournament with encounters of two legs, which the browser test of a whole cup writes. Both programs must pair
each of its rounds as it is. They get it without the colours of earlier rounds: a player of two legs has both, so that none is
preferred, but the format has no field for legs, and names the colour of the first. Points and bonus decide no pairing.
"""

import itertools
import os
import re
import sys
import tempfile
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

from caissify_pairings import fpc
from caissify_pairings.engines.dutch import DutchEngine
from py4swiss.engines.common import ColorPreference, ColorPreferenceSide, ColorPreferenceStrength
from py4swiss.engines.dutch import Engine, engine as py4swiss_engine
from py4swiss.trf import TrfParser


def forbidden(text):
    """The forbidden pairs of a file, each with the last round in which it met, or 0: a pair that met was forbidden later."""
    pairs = {}
    for line in text.splitlines():
        if line.startswith("XXP"):
            numbers = sorted(int(word) for word in line[3:].split())
            pairs.update((pair, 0) for pair in itertools.combinations(numbers, 2))
    rounds = max((len(line[89:]) + 9) // 10 for line in text.splitlines() if line.startswith("001"))
    for round in range(1, rounds + 1):
        pairs.update((pair, round) for pair in paired(text, round) if pair in pairs)
    return pairs


def mismatches(report):
    return [round for round in report["rounds"] if not round["match"]]


def virtual_points(text):
    """The virtual points of each player by round, from 0."""
    points = {}
    for line in text.splitlines():
        if line.startswith("XXA"):
            number, *values = line[3:].split()
            points[int(number)] = [float(value) for value in values]
    return points


POINTS = {"1": 1.0, "+": 1.0, "U": 1.0, "F": 1.0, "=": 0.5, "H": 0.5}
PLAYED = ("1", "0", "=")


def completed(text, colours=True):
    """The report of the checker with what it leaves out; without colours if they are not preferred."""
    pairs, virtual = forbidden(text), virtual_points(text)
    can_pair, players, point = DutchEngine._can_pair, fpc._build_engine_players, DutchEngine.BAKU_VIRTUAL_POINT
    now = 0

    def with_forbidden(engine, one, two):
        met = pairs.get((min(one.id, two.id), max(one.id, two.id)))
        return (met is None or now <= met) and can_pair(engine, one, two)

    def score(player_map, number, round):
        """The score before a round, with virtual points."""
        results = player_map[number]["results"]
        scores = sum(POINTS.get(results[r]["result"], 0) for r in range(1, round) if r in results)
        more = virtual.get(number, [])
        return scores + (more[round - 1] if round <= len(more) else 0)

    def float_of(player_map, number, round):
        result = player_map[number]["results"].get(round)
        if result is None or result["opponent"] is None or result["result"] not in PLAYED:
            return "down" if result and result["result"] in POINTS else "none"
        own, other = (score(player_map, one, round) for one in (number, result["opponent"]))
        return "down" if own > other else "up" if own < other else "none"

    def by_the_rules(player_map, round):
        nonlocal now
        now = round
        found = players(player_map, round)
        for player in found:
            results = player_map[player["id"]]["results"]
            player["color_hist"] = player["color_hist"] if colours else []
            player["score"] = score(player_map, player["id"], round)
            player["float_history"] = [float_of(player_map, player["id"], r) for r in range(1, round)]
            player["bye_count"] = sum(
                results[r]["opponent"] is None and results[r]["result"] in ("U", "F") for r in range(1, round) if r in results
            )
        return found

    DutchEngine._can_pair, fpc._build_engine_players = with_forbidden, by_the_rules
    # A round that counts as accelerated is paired by the criteria, and virtual points are those above.
    DutchEngine.BAKU_VIRTUAL_POINT = 0.0
    try:
        return fpc.check_trf(text + "XXA 1\n")
    finally:
        DutchEngine._can_pair, fpc._build_engine_players, DutchEngine.BAKU_VIRTUAL_POINT = can_pair, players, point


def second_opinion(text, round):
    """The pairs of py4swiss for a round, by starting numbers; nothing if it fails."""
    lines = []
    for line in text.splitlines():
        if line.startswith("001"):
            cells = line[89:].ljust(10 * round)
            cell = cells[10 * (round - 1) : 10 * round]
            now = cell if re.search(r"[HZF]\s*$", cell) else ""
            if not cell.strip() or not line[89:][10 * (round - 1) :].strip():
                now = "  0000 - Z"
            before = cells[: 10 * (round - 1)]
            before = "".join(
                before[i : i + 10] if before[i : i + 10].strip() else "  0000 - Z" for i in range(0, len(before), 10)
            )
            # The points that the file gives are those with the bye of the round to be paired.
            points = sum(POINTS.get(letter, 0) for letter in (before + now)[9::10])
            line = line[:80] + f"{points:4.1f}" + line[84:89] + before + now
        if line.startswith("XXA"):
            line = line[: 8 + 5 * round]
        if not line.startswith("XXP"):
            lines.append(line.rstrip())
    lines.extend(f"XXP {one} {two}" for (one, two), met in forbidden(text).items() if met < round)
    with tempfile.NamedTemporaryFile("w", suffix=".trf", delete=False) as file:
        file.write("\n".join(lines) + "\n")
    try:
        pairs = Engine.generate_pairings(TrfParser.parse(Path(file.name)))
    except Exception as error:  # it is a second opinion only
        return repr(error)
    finally:
        os.unlink(file.name)
    return {(min(p.white, p.black), max(p.white, p.black)) for p in pairs}


@contextmanager
def without_colours():
    """Lets py4swiss forget the colours of earlier rounds."""
    read = py4swiss_engine.get_player_infos_from_trf

    def players(trf):
        found = read(trf)
        for player in found:
            player.color_preference = ColorPreference(side=ColorPreferenceSide.NONE, strength=ColorPreferenceStrength.NONE)
            player.color_difference, player.color_double, player.colors = 0, False, []
        return found

    py4swiss_engine.get_player_infos_from_trf = players
    try:
        yield
    finally:
        py4swiss_engine.get_player_infos_from_trf = read


def check_cup(path):
    """True if both programs pair each round of a tournament with two legs as it is."""
    text = path.read_text()
    report = completed(text, colours=False)
    with without_colours():
        others = {round["round"]: second_opinion(text, round["round"]) for round in report["rounds"]}
    rejected = [f"round {round['round']}: {round['discrepancies']}" for round in mismatches(report)]
    for round, pairs in others.items():
        if pairs != paired(text, round):
            rejected.append(f"round {round}: py4swiss has {pairs}, the file {paired(text, round)}")
    for problem in rejected:
        print(f"{path.name}: {problem}")
    if not rejected:
        print(f"{len(others):7} rounds of {path.name} accepted by both programs")
    return bool(others) and not rejected


def paired(text, round):
    """The pairs of a file in a round."""
    pairs = set()
    for line in text.splitlines():
        if line.startswith("001"):
            cell = line[89:][10 * (round - 1) : 10 * round]
            if cell.strip() and re.search(r"[10=+\-WDLU]\s*$", cell):
                own, other = int(line[4:8]), int(cell[2:6])
                pairs.add((min(own, other), max(own, other)))
    return pairs


def main():
    counts = Counter()
    failed = False
    for path in sorted(Path(sys.argv[1]).glob("*.trf"), key=lambda path: int(path.stem)):
        text = path.read_text()
        counts["tournaments"] += 1
        report = fpc.check_trf(text)
        counts["rounds"] += len(report["rounds"])
        if not mismatches(report):
            counts["passed as they are"] += 1
            continue
        rest = mismatches(completed(text))
        if not rest:
            counts["passed with what the checker leaves out"] += 1
            continue
        counts["differ from the checker"] += 1
        for round in rest:
            other = second_opinion(text, round["round"])
            agrees = other == paired(text, round["round"])
            failed |= not agrees
            opinion = "agrees with the file" if agrees else other if isinstance(other, str) else "differs too"
            print(f"{path.name}: round {round['round']}: {round['discrepancies']}; py4swiss {opinion}")
    for name, count in counts.items():
        print(f"{count:7} {name}")
    if len(sys.argv) > 2:
        failed |= not check_cup(Path(sys.argv[2]))
    sys.exit(failed)


main()
