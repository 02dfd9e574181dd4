"""`quipu.Position`."""

from __future__ import annotations

import signal
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest
from conftest import FIXTURES

import quipu

GAMES = ["andes", "pastores", "querni", "brandubh"]


def start_of(game: str, lang: Any = "en") -> quipu.Position:
    return quipu.Position.deal(game, 7, lang=lang) if game == "querni" else quipu.Position(game, lang=lang)


@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_played_from_its_start(game: str) -> None:
    start = start_of(game)
    assert start.game == game and start.rules == "base" and not start.is_over
    assert start.termination is None and start.result is None and start.last_move is None
    token = start.legal_moves()[0]
    after = start.play(token)
    assert after.last_move == token and after.turn != start.turn
    assert start == start_of(game) and hash(start) == hash(start_of(game))
    assert after != start and start != game
    assert quipu.Position(game, str(after)) == after
    assert start.perft(1) == len(start.legal_moves())


def test_several_moves_are_played_at_once() -> None:
    start = quipu.Position("andes")
    assert start.play("0d3", "0A3") == start.play("0d3").play("0A3")
    assert start.play() == start


def test_a_game_is_played_to_its_end() -> None:
    verdicts = quipu.verify(FIXTURES / "brandubh/games.quipu")
    records = [verdict.record for verdict in verdicts if verdict.termination and verdict.record]
    position = next(position for position in map(quipu.Record.position, records) if position.is_over)
    assert position.termination is not None and position.result in ("1-0", "0-1", "1/2-1/2")
    assert position.legal_moves() == []
    with pytest.raises(quipu.IllegalMoveError) as caught:
        position.play("d1d2")
    assert caught.value.code == "record.after-end"


def test_an_illegal_move_has_a_code_and_suggestions() -> None:
    with pytest.raises(quipu.IllegalMoveError) as caught:
        quipu.Position("andes", lang="es").play("0d3", "0A3", "2a1")
    assert caught.value.code == "andes.3.6" and caught.value.suggestions
    assert caught.value.message.startswith("jugada 3, 2a1: La casilla a1")
    assert caught.value.ply == 3
    with pytest.raises(quipu.PositionError) as other:
        quipu.Position("andes", "nonsense")
    assert other.value.ply is None


def test_positions_that_are_none_have_a_code_and_a_column() -> None:
    with pytest.raises(quipu.PositionError) as caught:
        quipu.Position("brandubh", "nonsense")
    assert caught.value.code.startswith("brandubh.") and caught.value.column is not None
    with pytest.raises(quipu.PositionError) as caught:
        quipu.Position("brandubh", rules="none")
    assert caught.value.code == "record.rules"
    with pytest.raises(quipu.QuipuError) as other:
        quipu.Position("chess")
    assert other.value.code == "python.game" and "andes" in other.value.message


def test_only_some_starts_are_dealt() -> None:
    for arguments, code in [(("andes", 1), "python.not-dealt"), (("chess", 1), "python.game")]:
        with pytest.raises(quipu.QuipuError) as caught:
            quipu.Position.deal(*arguments)
        assert caught.value.code == code
    with pytest.raises(quipu.QuipuError) as caught:
        quipu.Position.deal("querni", 1, first="sol")
    assert caught.value.code == "python.side"
    with pytest.raises(quipu.PositionError) as refused:
        quipu.Position("querni")
    assert refused.value.code == "record.setup"


class Stopped(BaseException):
    """An interrupt."""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="a system without timers")
def test_counting_is_interrupted() -> None:
    def stop(number: int, frame: object) -> None:
        raise Stopped

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        # It would take years.
        with pytest.raises(Stopped):
            quipu.Position("andes").perft(12)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_rule_sets_differ() -> None:
    assert quipu.Position("brandubh", rules="nielsen").rules == "nielsen"
    assert quipu.Position("brandubh", rules="nielsen") != quipu.Position("brandubh")


@pytest.mark.parametrize("game", GAMES)
def test_boards_are_drawn(game: str) -> None:
    position = start_of(game)
    for picture in (position._repr_svg_(), position.svg(width=64, theme="dark", flip=True, marks=False)):
        assert ElementTree.fromstring(picture).tag == "{http://www.w3.org/2000/svg}svg"
    assert position.svg() == position._repr_svg_()
    assert position.describe() != start_of(game, "es").describe()


@pytest.mark.parametrize(("look", "code"), [({"width": 63}, "python.width"), ({"theme": "pink"}, "python.theme")])
def test_a_look_that_is_none_is_an_error(look: dict[str, Any], code: str) -> None:
    with pytest.raises(quipu.QuipuError) as caught:
        quipu.Position("andes").svg(**look)
    assert caught.value.code == code


def test_points_are_counted_in_games_that_have_them() -> None:
    points = quipu.Position("andes").points
    assert points is not None and list(points) == ["sol", "luna"]
    assert quipu.Position("brandubh").points is None
