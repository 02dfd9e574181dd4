"""Checks the pairings of report files (TRF16) with caissify-pairings, and explains differences.

Usage: check.py FOLDER

The checker is used as it is first. Where it differs, it is asked again with what it leaves out: pairs that are forbidden
(XXP), and the rule that a player who scores nothing in a round without a game gets no float (C.04.3, 1.4.3). Tournaments with
virtual points (XXA), which it reads otherwise, go to py4swiss. A difference that stays is asked of py4swiss, which knows the
edition of 2017, and printed.
"""

import itertools
import re
import sys
from collections import Counter
from pathlib import Path

from caissify_pairings import fpc
from caissify_pairings.engines.dutch import DutchEngine


def forbidden(text):
    """The forbidden pairs of a file."""
    pairs = set()
    for line in text.splitlines():
        if line.startswith("XXP"):
            numbers = sorted(int(word) for word in line[3:].split())
            pairs.update(itertools.combinations(numbers, 2))
    return pairs


def mismatches(report):
    return [round for round in report["rounds"] if not round["match"]]


def completed(text):
    """The report of the checker with what it leaves out."""
    pairs = forbidden(text)
    previous, players = fpc._build_previous_pairings, fpc._build_engine_players

    def with_forbidden(player_map, round):
        return previous(player_map, round) | pairs

    def without_floats(player_map, round):
        found = players(player_map, round)
        for player in found:
            results = player_map[player["id"]]["results"]
            unscored = [
                index
                for index, number in enumerate(n for n in range(1, round) if n in results)
                if results[number]["opponent"] is None and results[number]["result"] in "Z-"
            ]
            for index in unscored:
                player["float_history"][index] = "none"
            # A bye without points does not take the right to the bye of the pairing, nor does one of half a point.
            player["bye_count"] = sum(
                results[number]["opponent"] is None and results[number]["result"] in "UF"
                for number in range(1, round)
                if number in results
            )
            # The float of a round is looked up by its distance, so rounds out of the tournament count too.
            missing = [number for number in range(1, round) if number not in results]
            for number in missing:
                player["float_history"].insert(number - 1, "none")
        return found

    fpc._build_previous_pairings, fpc._build_engine_players = with_forbidden, without_floats
    try:
        return fpc.check_trf(text)
    finally:
        fpc._build_previous_pairings, fpc._build_engine_players = previous, players


def second_opinion(text, round):
    """The pairs of py4swiss for a round, by starting numbers; nothing if it fails."""
    from py4swiss.engines.dutch import Engine
    from py4swiss.trf import ParsedTrf
    import tempfile, os

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
            points = 0
            for i in range(0, len(before), 10):
                points += {"1": 10, "+": 10, "U": 10, "F": 10, "=": 5, "H": 5}.get(before[i + 9], 0)
            line = line[:80] + f"{points / 10:4.1f}" + line[84:89] + before + now
        if line.startswith("XXA"):
            line = line[: 8 + 5 * round]
        lines.append(line.rstrip())
    with tempfile.NamedTemporaryFile("w", suffix=".trf", delete=False) as file:
        file.write("\n".join(lines) + "\n")
    try:
        pairs = Engine.generate_pairings(ParsedTrf.parse(Path(file.name)))
    except Exception as error:  # it is a second opinion only
        return repr(error)
    finally:
        os.unlink(file.name)
    return {(min(p.white, p.black), max(p.white, p.black)) for p in pairs}


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
        if "XXA" in text:
            rounds = max(len(line[89:].rstrip()) + 9 for line in text.splitlines() if line.startswith("001")) // 10
            for round in range(1, rounds + 1):
                counts["rounds with virtual points"] += 1
                other = second_opinion(text, round)
                if other != paired(text, round):
                    counts["rounds with virtual points that differ from py4swiss (2017)"] += 1
                    print(f"{path.name}: accelerated round {round}: py4swiss differs: {other if isinstance(other, str) else sorted(other ^ paired(text, round))}")
            continue
        report = fpc.check_trf(text)
        counts["rounds"] += len(report["rounds"])
        if not mismatches(report):
            counts["passed as they are"] += 1
            continue
        rest = mismatches(completed(text))
        if not rest:
            counts["passed with forbidden pairs and floats of 2026"] += 1
            continue
        failed = True
        counts["differ"] += 1
        for round in rest:
            other = second_opinion(text, round["round"])
            agrees = other == paired(text, round["round"])
            print(f"{path.name}: round {round['round']}: {round['discrepancies']}; py4swiss {'agrees with quipu' if agrees else other if isinstance(other, str) else 'differs'}")
    for name, count in counts.items():
        print(f"{count:7} {name}")
    sys.exit(failed)


main()
