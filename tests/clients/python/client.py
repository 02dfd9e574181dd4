"""A client in Python, generated from the OpenAPI document: it verifies a game, submits it, and reads what is stored.

QUIPU_URL is the address of the service, QUIPU_TOKEN a token that may submit records.
"""

import os
from io import BytesIO

from quipu_client import AuthenticatedClient, Client
from quipu_client.api.events import crosstable, events, standings
from quipu_client.api.live import live_close, live_open
from quipu_client.api.pictures import arrangement_png
from quipu_client.api.players import rankings
from quipu_client.api.records import record, records, submit, verify
from quipu_client.models import NewRecord, NewRecords, NewRecordsTagsType0, NewRecordTagsType0, Problem
from quipu_client.types import File

URL = os.environ["QUIPU_URL"]
MOVES = ["0a1", "0D0", "0b0", "0D0C"]
TAGS = {"Sol": "Paredes, Inés", "Luna": "Quilla, Tomás", "Result": "1-0"}
TEXT = b'[Game "andes"]\n[Result "1-0"]\n\n1. 0a1 0D0\n2. 0b0 0D0C\n1-0\n'


def game() -> NewRecords:
    return NewRecords(game="andes", tags=NewRecordsTagsType0.from_dict(TAGS), moves=MOVES, result="1-0")


def verifies(client: Client) -> None:
    """A game in JSON, and one in another form as bytes."""
    for body in (game(), File(payload=BytesIO(TEXT))):
        found = verify.sync(client=client, body=body)
        assert found.summary.verified == 1, found
        assert found.verdicts[0].points.to_dict() == {"sol": 11, "luna": 9}, found


def submits(client: AuthenticatedClient) -> str:
    """A game with a key, twice: it is stored once. Then one that a key was used for already."""
    first, again = (submit.sync_detailed(client=client, body=game(), idempotency_key="python-1") for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201), (first, again)
    assert again.headers["Idempotency-Replayed"] == "true", again
    assert first.parsed == again.parsed and first.parsed.status == "verified", first
    other = game()
    other.result = None
    refused = submit.sync(client=client, body=other, idempotency_key="python-1")
    assert isinstance(refused, Problem) and refused.code == "api.idempotency", refused
    return first.parsed.id


def keeps_score(client: AuthenticatedClient) -> None:
    """A game in progress is opened and given up. It has a version, which must be known."""
    started = NewRecord(game="andes", tags=NewRecordTagsType0.from_dict({"Result": "*"}), moves=MOVES[:1])
    opened = live_open.sync(client=client, body=started)
    assert (opened.plies, opened.version) == (1, 1), opened
    stale = live_close.sync(opened.live, client=client, if_match='"7"')
    assert isinstance(stale, Problem) and (stale.status, stale.code) == (412, "api.version"), stale
    assert live_close.sync(opened.live, client=client, if_match='"1"').live == opened.live


def pages(client: Client, submitted: str) -> None:
    """All records, page by page; the submitted one is among them."""
    found, cursor = [], {}
    while cursor is not None:
        page = records.sync(client=client, limit=200, state=["all"], **cursor)
        found += [card.id for card in page.items]
        cursor = page.next_ and {"cursor": page.next_}
    assert len(found) == len(set(found)) > 400 and found[0] == submitted, len(found)
    assert record.sync(submitted, client=client).tags["Sol"] == TAGS["Sol"]


def reads(client: Client) -> None:
    """Standings, a crosstable, a ranking, a picture and problems."""
    event = events.sync(client=client, q="Copa de los Andes").items[0]
    table = standings.sync(event.number, client=client).tables[0]
    assert table.players[0].place == 1 and table.players[0].score > 1, table
    crossed = crosstable.sync(event.number, client=client).tables[0]
    assert {game.score for one in crossed.players[0].opponents for game in one.games} <= {0, 0.5, 1}, crossed
    assert rankings.sync(client=client, game="andes").items[0].level == 360
    # Bytes of a picture come with every response; the type that is made of them is a stream.
    assert arrangement_png.sync_detailed(client=client, game="andes").content.startswith(b"\x89PNG")
    missing = record.sync("0" * 64, client=client)
    assert isinstance(missing, Problem) and (missing.status, missing.code) == (404, "api.not-found"), missing


if __name__ == "__main__":
    reader = Client(base_url=URL)
    writer = AuthenticatedClient(base_url=URL, token=os.environ["QUIPU_TOKEN"])
    verifies(reader)
    keeps_score(writer)
    pages(reader, submits(writer))
    reads(reader)
