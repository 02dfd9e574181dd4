"""What schemathesis cannot know of the service: bodies that are records, answers in lines, what no schema foretells.

QUIPU_RECORDS is the path of a JSON object with bodies of records by media type, those of JSON as its values: in `one` of
a single record each, in `many` of several. With a token in QUIPU_TOKEN every good answer that the document tells of must
be met at least once.
"""

import base64
import json
import os
import re
from collections import defaultdict
from pathlib import Path

import schemathesis
from schemathesis.core import NOT_SET
from schemathesis.openapi.checks import RejectedPositiveData

RECORDS = json.loads(Path(os.environ["QUIPU_RECORDS"]).read_text(encoding="utf-8"))
# The delimiter is found in the text, so the same scoresheets do for both media types.
for records in RECORDS.values():
    if "text/csv" in records:
        records["text/tab-separated-values"] = records["text/csv"]
TOKEN = os.environ.get("QUIPU_TOKEN")
LINES = "application/x-ndjson"
SUBMIT = "POST /v1/records"
CHECK = "POST /check"
REPAIR = "POST /v1/repair"
MERGE = "POST /v1/merge"
OPEN = "POST /v1/live"
SAVE = "PUT /v1/live/{number}"
CLOSE = "POST /v1/live/{number}/close"
FINISH = "POST /v1/live/{number}/finish"
RECORD = "GET /v1/records/{id}"
DEAL = "GET /v1/games/{game}/deal"
DOCS = "GET /docs/{group}"
MAKE_TOKEN = "POST /v1/tokens"
REVOKE = "DELETE /v1/tokens/{token}"
MAKE_WEBHOOK = "POST /v1/webhooks"
DELETE_WEBHOOK = "DELETE /v1/webhooks/{webhook}"
NEW_TOURNAMENT = "POST /v1/tournaments"
CHANGE_TOURNAMENT = "POST /v1/tournaments/{number}/changes"
PAIR = "POST /v1/tournaments/{number}/pairings"
# Fields of the forms of organisers; each gets a token, `NUMBER` is that of the request, and `RECORD` a record.
FORMS_OF_ORGANISERS = {
    "POST /tournaments/new": {"name": "Copa NUMBER", "game": "andes", "system": "swiss", "encounter": "single", "rounds": "3"},
    "POST /tournaments/{number}/organise": {"do": "names-check", "names": "Eva Paz; 1650"},
    "POST /tournaments/{number}/rounds/{round}/results": {"do": "save"},
    "POST /tournaments/{number}/tie-breaks": {
        "order-1": "buchholz-cut1",
        "order-2": "buchholz",
        "order-3": "sonneborn-berger",
        "order-4": "direct-encounter",
        "reason": "x",
    },
    "POST /webhooks": {},
    "POST /tournaments/{number}/files": {"do": "check", "sheet": "quipu RECORD a.quipu"},
}
# Good answers that the archive of these requests does not have: no board has sheets that contradict each other, codes
# with tokens are for public services, and a change is undone only once.
UNMET = {
    "POST /tournaments/{number}/history",
    "POST /tournaments/{number}/rounds/{round}/boards/{board}",
    "POST /tournaments/{number}/rounds/{round}/sheets.pdf",
}

# Codes of requests that are as the document says and refused nevertheless: for what is in the archive, or in a record.
BEYOND_SCHEMAS = {
    "api.cursor",  # a cursor is one that this very list gave
    "api.idempotency",  # the key came before with something else
    "api.position",  # the text is no position of the game, or the game has no such rule set
    "api.picture",  # the text is no position, or the game is too long
    "api.merge",  # the records are not sheets of one game
    "api.incomplete",  # the game of the record is not over
    "api.unreadable",  # the record was kept and cannot be read
    "api.version",  # the game in progress was saved since
}
# Requests that were made, in their order: of each operation, and of each operation with a media type of the body.
MADE = defaultdict(dict)
# Games in progress that were opened, and the bodies that opened them, by media type.
OPENED = defaultdict(list)
# Games in progress that are not closed, for requests that finish them.
KEPT = 4
# The forms that a body of a media type can be said to be in; others make something else of it.
FORMS = {"text/plain": ["quipu"], "text/csv": ["csv"], "text/tab-separated-values": ["csv"], "application/json": ["json"], LINES: ["json", "ndjson"]}
FORMS_OF_PAGES = ["multipart/form-data", "application/x-www-form-urlencoded"]
GAMES = ["andes", "pastores", "querni", "brandubh"]
ALL_FORMS = ["quipu", "json", "ndjson", "csv", "otg", "hnefatafl", "pgn"]
# Ids of records that were stored, and numbers of decisions that can be undone, in their order.
STORED, DECIDED = [], []
# Ids of tokens and of webhooks that were made.
TOKENS, WEBHOOKS = [], []
# Numbers of tournaments with players and without a round.
UNPAIRED = []
DECISIONS = ("/corrections", "/retractions", "/merges")


def can_be_a_number(value):
    """Whether the document allows this for a number in a path. Some phases have made text of it by then, others not."""
    return re.fullmatch("[1-9][0-9]*", str(value)) is not None and int(value) < 2**53


def place(case):
    """The number of a request among those of its operation, and among those of its media type too: the same for the same
    request, another for each other."""
    asked = json.dumps([case.path_parameters, case.query, case.headers, case.body], default=repr, sort_keys=True)
    label = case.operation.label
    return [made.setdefault(asked, len(made)) for made in (MADE[label], MADE[label, case.media_type])]


def good_answers(operation):
    """Statuses and media types of the good answers that the document tells of."""
    for status, answer in operation.definition.raw["responses"].items():
        if status.startswith("2"):
            for media in answer["content"]:
                yield status, media.split(";")[0]


def another_board(record, board):
    """The record of a game on another board."""
    return re.sub(r'\[Board "[0-9]+"\]', f'[Board "{board}"]', record)


def in_progress(case, some, number):
    """Leads a request to a game in progress that there is, and has it say that any version will do."""
    label, media = case.operation.label, case.media_type
    if label.startswith("GET"):
        case.path_parameters["number"] = 1
        return
    if label == FINISH:
        # Of those that were opened with a text no game is stored yet.
        media = "application/json" if number % 2 else "text/plain"
    opened = OPENED[media] if label in (SAVE, FINISH) else [one for all in OPENED.values() for one in all]
    if not opened:
        if label == SAVE and case.body is not NOT_SET and media in RECORDS["one"]:
            # None was opened from such a body yet: what is as the document says is told that there is no such game.
            case.path_parameters["number"], case.body = 10**9, RECORDS["one"][media][0]
            case.query.pop("from", None)
        return
    if label == CLOSE and len(opened) <= KEPT:
        return
    case.path_parameters["number"], body = some(opened)
    # A request without the header is to find out that it is required.
    if "If-Match" in case.headers:
        case.headers["If-Match"] = "*"
    if label == SAVE and case.body is not NOT_SET:
        case.body = body
        case.query.pop("from", None)


@schemathesis.hook
def after_call(context, case, response):
    """Keeps in mind which games were opened, and forgets those that were closed: nobody is led to them any more."""
    if case.operation.label == OPEN and response.status_code == 201:
        OPENED[case.media_type].append((response.json()["live"], case.body))
    if case.operation.label == CLOSE and response.status_code == 200:
        closed = response.json()["live"]
        for opened in OPENED.values():
            opened[:] = [one for one in opened if one[0] != closed]


@schemathesis.serializer("text/csv", "text/tab-separated-values", LINES)
def as_it_is(context, value):
    """The bytes of a body. Anything but bytes and a text, which only a wrong body is, goes as JSON."""
    if isinstance(value, bytes):
        return value
    return (value if isinstance(value, str) else json.dumps(value)).encode()


@schemathesis.hook
def before_call(context, case, kwargs):
    """Puts records where records belong, asks for each form of an answer, and has a key for each request."""
    label, media = case.operation.label, case.media_type
    number, number_of_media = place(case)

    def some(values):
        return values[number % len(values)]

    if label == CHECK and media in FORMS_OF_PAGES:
        case.body = {"text": some(RECORDS["one"]["text/plain"])}
    if label == MERGE and case.body is not NOT_SET and media in ("text/plain", LINES):
        # A sheet and its copy are sheets of one game.
        case.body = some(RECORDS["one"][media]).rstrip("\n") + "\n\n" + some(RECORDS["one"][media])
        case.query.pop("from", None)
    if label in ("POST /v1/verify", REPAIR, CHECK, SUBMIT) and case.body is not NOT_SET and media in RECORDS["one"]:
        # Repairs would take most of the time of all requests; these records are repaired in a tenth of a second, at most.
        is_repaired = label in (REPAIR, CHECK)
        one, many = RECORDS["one"][media], RECORDS["many"][media]
        case.body = some(one[::7] + many[1:3] if is_repaired else one + many)
        form = case.query.get("from")
        if form in ALL_FORMS and form not in FORMS.get(media, []):
            del case.query["from"]
    if label in ("POST /v1/desk", OPEN) and case.body is not NOT_SET and media in RECORDS["one"]:
        case.body = some(RECORDS["one"][media])
        case.query.pop("from", None)
        if label == OPEN and media == "text/plain":
            # A game that is not stored yet, so that the first one to finish it stores it.
            case.body = another_board(case.body, 2000 + number)
    if label in FORMS_OF_ORGANISERS and media in FORMS_OF_PAGES:
        record = base64.b64encode(RECORDS["one"]["text/plain"][0].encode()).decode()
        filled = {"NUMBER": str(number), "RECORD": record}
        fields = {
            name: re.sub("NUMBER|RECORD", lambda found: filled[found[0]], text)
            for name, text in FORMS_OF_ORGANISERS[label].items()
        }
        case.body = fields | ({"token": TOKEN} if TOKEN is not None else {})
        if can_be_a_number(case.path_parameters.get("number")):
            case.path_parameters["number"] = 1
        if can_be_a_number(case.path_parameters.get("round")):
            case.path_parameters["round"] = 1
    # A number that cannot be one stays what it is.
    counted = can_be_a_number(case.path_parameters.get("number"))
    if counted and "/live/{number}" in label:
        in_progress(case, some, number)
    if label == CHANGE_TOURNAMENT and media == "text/csv" and isinstance(case.body, (str, bytes)):
        case.body = f"name;rating\nEva Paz {number};1650\n"
    if counted and label == PAIR and UNPAIRED and number % 2 and isinstance(case.body, dict):
        case.path_parameters["number"] = UNPAIRED[-1]
        case.query["dry_run"] = "yes"
        case.headers.pop("If-Match", None)
        for field in ("round", "boards", "bye", "force"):
            case.body.pop(field, None)
    if label == DEAL and number % 2 and case.path_parameters.get("game") in GAMES:
        case.path_parameters["game"] = "querni"
        case.query.pop("first", None)
    if label == DOCS and number % 2:
        case.path_parameters["group"] = "records"
    if label == "POST /v1/records/{id}/corrections" and isinstance(case.body, dict):
        record = case.body.get("record")
        if isinstance(record, str) and record.strip():
            # A record that is not stored yet: its board is another.
            case.body["record"] = another_board(some(RECORDS["one"]["text/plain"]), 1000 + number)
        if STORED and re.fullmatch("[0-9a-f]{64}", str(case.path_parameters.get("id"))):
            case.path_parameters["id"] = some(STORED)
    # Pages say nothing that leads from one to the other but links, which are not followed.
    if STORED and (not case.operation.path.startswith("/v1/") or label == RECORD) and number % 2:
        if re.fullmatch("[0-9a-f]{64}", str(case.path_parameters.get("id"))):
            case.path_parameters["id"] = some(STORED)
    if DECIDED and counted and label == "POST /v1/changes/{number}/undo":
        case.path_parameters["number"] = some(DECIDED)
    if label == REVOKE and re.fullmatch("[!-~]{1,8}", str(case.path_parameters.get("token"))):
        # Never the token of these requests.
        case.path_parameters["token"] = some(TOKENS) if TOKENS and number % 2 else "abcdefgh"
    if label == MAKE_WEBHOOK and isinstance(case.body, dict):
        url = case.body.get("url")
        if isinstance(url, str) and re.fullmatch("https?://[!-~]+", url) and len(url) <= 2000:
            # Nobody listens there, so each attempt fails at once.
            case.body["url"] = f"http://127.0.0.1:9/{number}"
    if "{webhook}" in label and re.fullmatch("[!-~]{1,8}", str(case.path_parameters.get("webhook"))):
        # The first one stays for the other routes.
        made = WEBHOOKS[1:] if label == DELETE_WEBHOOK else WEBHOOKS
        if case.path_parameters["webhook"] not in WEBHOOKS:
            case.path_parameters["webhook"] = some(made) if made and number % 2 else "abcdefgh"
    key = case.headers.get("Idempotency-Key")
    if isinstance(key, str) and re.fullmatch("[!-~]{1,200}", key):
        case.headers["Idempotency-Key"] = f"{key}{number}"
    # Each media type of a body is answered in each media type, whatever the order of the bodies.
    answers = [media for _, media in good_answers(case.operation)]
    case.headers.setdefault("Accept", answers[number_of_media % len(answers)])


@schemathesis.hook
def after_call(context, case, response):
    """Remembers what was stored and decided."""
    if response.status_code != 201:
        return
    if case.operation.label == MAKE_TOKEN:
        TOKENS.append(response.json()["id"])
    elif case.operation.label == MAKE_WEBHOOK:
        WEBHOOKS.append(response.json()["id"])
    elif case.operation.label == NEW_TOURNAMENT:
        steps = case.body.get("steps") or [] if isinstance(case.body, dict) else []
        if sum(step["change"] == "enter" for step in steps) > 1:
            UNPAIRED.append(response.json()["tournament"])
    elif case.operation.label == SUBMIT:
        STORED.append(response.headers["location"][0].rsplit("/", 1)[1])
    elif case.operation.path.endswith(DECISIONS):
        decided = response.json()
        DECIDED.append(decided.get("change", decided.get("number")))


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """In OpenAPI 3.1 the schema of lines is that of each line; it is checked as that of a list."""
    for path in raw_schema["paths"].values():
        for operation in path.values():
            for answer in operation["responses"].values():
                lines = answer.get("content", {}).get(LINES)
                if lines is not None:
                    lines["schema"] = {"type": "array", "items": lines["schema"]}


@schemathesis.deserializer(LINES)
def lines_of(context, response):
    return [json.loads(line) for line in response.content.split(b"\n") if line]


@schemathesis.deserializer("text/*")
def text_of(context, response):
    return response.content.decode("utf-8")


def code_of(response):
    """The code of a problem, which who prefers pages is told on one."""
    if response.headers["content-type"][0].startswith("text/html"):
        return re.search('data-code="([^"]+)"', response.content.decode("utf-8"))[1]
    return response.json()["code"]


def has_fraction(value):
    """Whether a number is written as 1.0, which is an integer for JSON Schema and none for the service."""
    if isinstance(value, (dict, list)):
        return any(map(has_fraction, value.values() if isinstance(value, dict) else value))
    return isinstance(value, float) and value.is_integer()


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Drops that a request was refused for what no schema could have told."""
    if not isinstance(failure, RejectedPositiveData):
        return True
    code = code_of(response)
    if code == "api.parameter" and case.operation.label == SUBMIT and "Idempotency-Key" in case.headers:
        # With many records, and where lines are spoken, there is no key.
        media = case.media_type
        return LINES not in (media, case.headers["Accept"]) and case.body not in RECORDS["many"][media]
    if code == "api.parameter":
        # Parameters that need each other, or do not go together.
        alone = "against" in case.query and not case.query.get("player")
        # A report file needs a game and may have a name; other bodies have both themselves.
        is_file = case.media_type == "text/plain"
        misnamed = case.operation.label == NEW_TOURNAMENT and is_file != ("game" in case.query or not is_file and "name" in case.query)
        return not alone and not misnamed and not ("ids" in case.query and "q" in case.query)
    if code == "api.body" and has_fraction(case.body):
        return False
    if case.operation.label == MAKE_TOKEN and code == "api.body":
        # The expiry is in the past.
        return not isinstance(case.body, dict) or case.body.get("expires") is None
    if case.operation.label == MERGE and code == "api.body":
        # One record, or none, is no pair of sheets.
        return False
    if not code.startswith("api."):
        # The referee's: the record is not lawful.
        return response.status_code != 422
    return code not in BEYOND_SCHEMAS


if TOKEN is not None:

    @schemathesis.auth()
    class Token:
        """The token that is sent, but where a check wants to know what happens without it."""

        def get(self, case, context):
            return TOKEN

        def set(self, case, data, context):
            case.headers["Authorization"] = f"Bearer {data}"

    @schemathesis.check
    class every_good_answer:
        """Fails if there is a good answer in the document that no request was given."""

        def __init__(self):
            self.told, self.met = set(), set()

        def after_response(self, ctx, response, case):
            media = response.headers.get("content-type", [""])[0].split(";")[0]
            told, met = good_answers(case.operation), (str(response.status_code), media)
            self.told.update((case.operation.label, *answer) for answer in told)
            self.met.add((case.operation.label, *met))

        def after_run(self, ctx):
            # The form of a source depends on the record and not on the request.
            missing = {answer for answer in self.told - self.met if not answer[0].endswith("/source") and answer[0] not in UNMET}
            assert not missing, f"never answered: {sorted(missing)}"
