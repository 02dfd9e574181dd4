"""`quipu lsp` answers clients with the abilities of real editors, and has the verdicts of `quipu verify`."""

import json
import subprocess

import pytest
from conftest import PROGRAM, ROOT, edits_of
from lsprotocol import types

FIXTURES = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("fixtures/*/*.quipu"))

GAME = """[Game "andes"]
[Sol "Quispe, Ana"]
[Luna "Mamani, Luis"]

1. 0d3 2A3
2. 2a1 0D0
*
"""


def at(line: int, character: int) -> types.Position:
    return types.Position(line=line, character=character)


def span(line: int, start: int, end: int) -> types.Range:
    return types.Range(start=at(line, start), end=at(line, end))


def verdict(text: str) -> dict:
    """The verdict of `quipu verify`."""
    return json.loads(subprocess.run([PROGRAM, "verify", "--json", "-"], input=text, capture_output=True, text=True).stdout)


async def test_findings_follow_each_change(opened) -> None:
    file = opened(GAME)
    found = await file.findings()
    assert [(each.code, each.range) for each in found] == [("andes.3.6", span(5, 3, 6))]
    assert found[0].code_description.href == "https://games.example.org/rules/andes.3.6?lang=en"
    file.change(span(5, 3, 6), "2a0")
    assert await file.findings() == []
    file.change(span(4, 3, 6), "{")
    assert [each.code for each in await file.findings()] == ["record.syntax"]


async def test_a_hover_shows_board_points_and_article(client, opened) -> None:
    file = opened(GAME)
    await file.findings()
    hover = await client.text_document_hover_async(types.HoverParams(file.identifier, at(4, 8)))
    assert hover.contents.kind == types.MarkupKind.Markdown
    assert hover.contents.value.startswith("**2. Luna 2A3**") and "points: 9-9" in hover.contents.value
    replayed = subprocess.run(
        [PROGRAM, "--lang", "en", "replay", "--ply", "2", "-"], input=GAME, capture_output=True, text=True
    ).stdout
    board = replayed.split("\n", 1)[1].strip("\n")
    assert f"```text\n{board}\n```" in hover.contents.value
    hover = await client.text_document_hover_async(types.HoverParams(file.identifier, at(5, 4)))
    assert "andes.3.6" in hover.contents.value and "the light squares of the border" in hover.contents.value


async def test_completion_has_the_legal_moves(client, opened) -> None:
    file = opened(GAME.replace("2a1 0D0\n*\n", ""))
    await file.findings()
    completion = await client.text_document_completion_async(types.CompletionParams(file.identifier, at(5, 3)))
    offered = [item.label for item in completion.items if item.kind == types.CompletionItemKind.EnumMember]
    position = subprocess.run(
        [PROGRAM, "replay", "--positions", "--ply", "2", "-"], input=file.text + "*\n", capture_output=True, text=True, check=True
    ).stdout.strip()
    legal = subprocess.run([PROGRAM, "moves", "andes", "--position", position], capture_output=True, text=True, check=True)
    assert offered == legal.stdout.split()


async def test_actions_mend_a_record(client, opened) -> None:
    file = opened(GAME)
    found = await file.findings()
    context = types.CodeActionContext(diagnostics=found)
    actions = await client.text_document_code_action_async(
        types.CodeActionParams(file.identifier, span(5, 3, 6), context)
    )
    suggestions = verdict(GAME)["diagnostics"][0]["suggestions"]
    assert [action.title for action in actions[: len(suggestions)]] == [f"Replace with {move}" for move in suggestions]
    assert any(action.title.startswith("Repair the record: ") for action in actions)
    for action in actions:
        mended = file.applied(edits_of(client, action.edit, [file])[file.uri])
        verified = subprocess.run([PROGRAM, "verify", "--json", "-"], input=mended, capture_output=True, text=True)
        assert verified.returncode == 0, f"{action.title}: {mended}"


async def test_formatting_is_that_of_fmt(client, opened) -> None:
    text = '\n[Luna "b"]\n[Game "andes"]\n1. 0d3 2A3 2. 2a0 { x }\n*\n[Game "andes"]\n\n1. 0d3\n*\n\n'
    file = opened(text)
    options = types.FormattingOptions(tab_size=4, insert_spaces=True)
    edits = await client.text_document_formatting_async(types.DocumentFormattingParams(file.identifier, options))
    formatted = subprocess.run([PROGRAM, "fmt", "-"], input=text, capture_output=True, text=True, check=True).stdout
    assert file.applied(edits) == formatted != text
    assert len(edits) == 1 and edits[0].range.end == at(5, 0), "the second record is as it must be"


@pytest.mark.parametrize("path", FIXTURES)
async def test_formatting_of_each_fixture_is_that_of_fmt(client, opened, path: str) -> None:
    # Formatting is the same whatever the columns are, so lines are ASCII.
    text = (ROOT / path).read_text(encoding="utf-8", errors="replace").encode("ascii", errors="replace").decode()
    file = opened(text, path)
    options = types.FormattingOptions(tab_size=4, insert_spaces=True)
    params = types.DocumentFormattingParams(file.identifier, options)
    run = subprocess.run([PROGRAM, "fmt", "-"], input=text, capture_output=True, text=True)
    if run.returncode == 0:
        assert file.applied(await client.text_document_formatting_async(params)) == run.stdout
    else:
        with pytest.raises(Exception, match="cannot be read"):
            await client.text_document_formatting_async(params)


async def test_symbols_hints_and_names(client, opened) -> None:
    text = GAME.replace("2a1", "2a0") + "\n" + GAME.replace("Quispe, Ana", "ANA QUISPE")
    file, other = opened(text), opened(GAME, "other")
    symbols = await client.text_document_document_symbol_async(types.DocumentSymbolParams(file.identifier))
    assert [symbol.name for symbol in symbols] == ["Quispe, Ana – Mamani, Luis", "ANA QUISPE – Mamani, Luis"]
    hints = await client.text_document_inlay_hint_async(
        types.InlayHintParams(file.identifier, types.Range(start=at(0, 0), end=at(7, 0)))
    )
    points = verdict(GAME.replace("2a1", "2a0"))["points"]
    last = f"{points['sol']}-{points['luna']}"
    assert [(hint.position.line, hint.label) for hint in hints] == [(4, "9-9"), (5, last)] and last != "9-9"
    place = await client.text_document_prepare_rename_async(types.PrepareRenameParams(file.identifier, at(1, 7)))
    assert place.placeholder == "Quispe, Ana"
    edit = await client.text_document_rename_async(types.RenameParams(file.identifier, at(1, 7), "Quispe Mamani, Ana"))
    edits = edits_of(client, edit, [file, other])
    assert set(edits) == {file.uri, other.uri}
    renamed = file.applied(edits[file.uri])
    assert renamed.count('[Sol "Quispe Mamani, Ana"]') == 2 and renamed.count("Mamani, Luis") == 2


SLIPS = """[Game "brandubh"]
[Evnet "Ñandú 𝄞"]
[Date "3/4/2026"]

1. d3-c3 d2-c2 3. c3-d3 {[%clk 9:37]} c2-d2 4. d3-c3 d2-c2 *

[Game "brandubh"]

[Round "uno"]

*
[Game "brandubh"]
[Sol "a"]
[Sol "b"]

1. ) $x
"""


@pytest.mark.parametrize("path", [*FIXTURES, "slips.quipu"])
async def test_findings_are_those_of_verify(client, opened, tmp_path, path: str) -> None:
    # The text of an editor is Unicode, so a byte that is none is replaced in both.
    text = (ROOT / path).read_text(encoding="utf-8", errors="replace") if path in FIXTURES else SLIPS
    (tmp_path / "file.quipu").write_text(text, encoding="utf-8")
    file = opened(text, path)
    found = await file.findings()
    assert len(found) < 1000, "all findings are shown"
    lines = text.split("\n")

    def column(position: types.Position) -> int:
        """The column in characters, from 1, as verify counts it."""
        encoding = "utf-16-le" if client.encoding == types.PositionEncodingKind.Utf16 else "utf-8"
        width = 2 if encoding == "utf-16-le" else 1
        before = lines[position.line].encode(encoding)[: position.character * width].decode(encoding)
        return len(before) + 1

    shown = sorted((each.range.start.line + 1, column(each.range.start), each.code, each.message) for each in found)
    short = subprocess.run(
        [PROGRAM, "--lang", "en", "verify", "--output-format", "short", "file.quipu"], cwd=tmp_path, capture_output=True, text=True
    ).stdout
    expected = []
    for line in short.splitlines():
        place, rest = line.split(": ", 1)
        _, number, character = place.rsplit(":", 2)
        _, code, message = rest.split(" ", 2)
        # Relations between records are left to verify.
        if code not in ("sheets.same", "sheets.contradicts", "advice.player"):
            expected.append((int(number), int(character), code, message))
    assert shown == sorted(expected), path
    assert expected or "mutants" not in path and path in FIXTURES, "there is something to compare"
