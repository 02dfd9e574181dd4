"""A client of `quipu lsp`, as an editor is one."""

import os
import pathlib

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ["QUIPU_PROGRAM"]


@pytest_lsp.fixture(
    params=["visual-studio-code", "neovim"],
    config=ClientServerConfig(server_command=[PROGRAM, "--lang", "en", "lsp"]),
)
async def client(request, lsp_client: LanguageClient):
    """A session with the abilities of an editor."""
    options = {"language": "en", "publicUrl": "https://games.example.org"}
    capabilities = client_capabilities(request.param)
    result = await lsp_client.initialize_session(
        types.InitializeParams(capabilities=capabilities, root_uri="file:///", initialization_options=options)
    )
    workspace_edit = capabilities.workspace.workspace_edit
    lsp_client.knows_versions = bool(workspace_edit and workspace_edit.document_changes)
    lsp_client.encoding = result.capabilities.position_encoding
    yield
    await lsp_client.shutdown_session()


class File:
    """An open file."""

    def __init__(self, client: LanguageClient, text: str, name: str = "game") -> None:
        self.client, self.text, self.version = client, text, 1
        self.uri = f"file:///{name}.quipu"
        item = types.TextDocumentItem(uri=self.uri, language_id="quipu", version=1, text=text)
        client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))

    @property
    def identifier(self) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(uri=self.uri)

    async def findings(self) -> list[types.Diagnostic]:
        """The next findings of the file."""
        await self.client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        return list(self.client.diagnostics[self.uri])

    def change(self, range: types.Range, text: str) -> None:
        self.version += 1
        document = types.VersionedTextDocumentIdentifier(uri=self.uri, version=self.version)
        change = types.TextDocumentContentChangePartial(range=range, text=text)
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(text_document=document, content_changes=[change])
        )

    def applied(self, edits: list[types.TextEdit]) -> str:
        """The text after edits. Its lines are ASCII."""
        lines = self.text.split("\n")

        def offset(position: types.Position) -> int:
            return sum(len(line) + 1 for line in lines[: position.line]) + position.character

        text = self.text
        for edit in sorted(edits, key=lambda edit: offset(edit.range.start), reverse=True):
            text = text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
        return text


def edits_of(client: LanguageClient, edit: types.WorkspaceEdit, files: list[File]) -> dict[str, list[types.TextEdit]]:
    """The edits of each file. A client that knows versions gets those of the files."""
    if not client.knows_versions:
        assert edit.document_changes is None
        return dict(edit.changes)
    assert edit.changes is None
    versions = {file.uri: file.version for file in files}
    for change in edit.document_changes:
        assert change.text_document.version == versions[change.text_document.uri]
    return {change.text_document.uri: list(change.edits) for change in edit.document_changes}


@pytest.fixture
def opened(client: LanguageClient):
    return lambda text, name="game": File(client, text, name)
