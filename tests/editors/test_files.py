"""The files that editors read are well-formed, and agree with each other and with the program."""

import json
import re
import subprocess
import tomllib

from conftest import PROGRAM, ROOT

EDITORS = ROOT / "editors"


def test_the_extension_of_vs_code_is_of_one_piece() -> None:
    folder = EDITORS / "vscode"
    package = json.loads((folder / "package.json").read_text())
    version = subprocess.run([PROGRAM, "version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    assert package["version"] == version
    contributes = package["contributes"]
    [language], [grammar] = contributes["languages"], contributes["grammars"]
    assert grammar["language"] == language["id"] == "quipu" and language["extensions"] == [".quipu"]
    for path in (language["configuration"], grammar["path"], package["main"]):
        assert (folder / path).is_file(), path
    json.loads((folder / language["configuration"]).read_text())
    assert json.loads((folder / grammar["path"]).read_text())["scopeName"] == grammar["scopeName"]
    # Each description has both languages, and the extension reads each setting.
    texts = [json.loads((folder / name).read_text()) for name in ("package.nls.json", "package.nls.es.json")]
    settings = contributes["configuration"]["properties"]
    assert all(set(text) == set(settings) for text in texts)
    source = (folder / "extension.js").read_text()
    assert set(re.findall(r'settings\.get\("(\w+)"\)', source)) == {name.removeprefix("quipu.") for name in settings}


def test_the_extension_of_vs_code_has_one_server_at_a_time() -> None:
    extension = str(EDITORS / "vscode/extension.js")
    subprocess.run(["node", str(ROOT / "tests/editors/extension.js"), extension], check=True, timeout=60)


def test_helix_and_zed_start_the_server() -> None:
    helix = tomllib.loads((EDITORS / "helix/languages.toml").read_text())
    [language] = helix["language"]
    assert language["language-servers"] == ["quipu"] and language["file-types"] == ["quipu"]
    server = helix["language-server"]["quipu"]
    assert [server["command"], *server["args"]] == ["quipu", "lsp"]
    zed = tomllib.loads((EDITORS / "zed/extension.toml").read_text())
    language = tomllib.loads((EDITORS / "zed/languages/quipu/config.toml").read_text())
    assert zed["language_servers"]["quipu"]["languages"] == [language["name"]]
    assert language["path_suffixes"] == ["quipu"]


def test_the_grammar_finds_tags_comments_and_results() -> None:
    """Its patterns are those of Oniguruma; those that Python knows as well are tried here."""
    rules = json.loads((EDITORS / "vscode/syntaxes/quipu.tmLanguage.json").read_text())["repository"]
    for name, text, found in [
        ("result", "2A3 1-0", ["1-0"]),
        ("result", "1-0b", []),
        ("number", "1. 0d3 12... 2A3", ["1.", "12..."]),
        ("annotation", "0d3!? $14", ["!?", "$14"]),
        ("rest", "0d3 ; x", ["; x"]),
        ("rest", "0d3;x", []),
        ("token", "c3-d3 (x)", ["c3-d3", "x"]),
    ]:
        pattern = rules[name]["match"]
        assert [match.group() for match in re.finditer(pattern, text)] == found, name
