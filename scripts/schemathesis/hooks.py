"""
Authenticates the requests of Schemathesis, and says what deletes and what does not.

Its requests delete tokens too, that of the run among them, so a new one is made over the local socket
whenever the service refuses the last.
"""
import itertools
import json
import os
import socket
from http.client import HTTPConnection

import schemathesis
from schemathesis.specs.openapi.checks import use_after_free

numbers = itertools.count(1)


class SocketConnection(HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(os.environ["ZONEBOOK_SOCKET"])


@schemathesis.auth(refresh_interval=2)
class Token:
    def get(self, case, context):
        body = {"name": f"schemathesis-{os.getpid()}-{next(numbers)}", "role_name": "admin"}
        connection = SocketConnection("localhost")
        connection.request(
            "POST", "/tokens", json.dumps(body), {"Content-Type": "application/json"}
        )
        return json.load(connection.getresponse())["secret"]

    def set(self, case, data, context):
        case.headers = case.headers or {}
        case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.hook
def before_call(context, case, kwargs):
    """
    A number in the place of a header is written as a text, and taken for one that fits the document, whatever
    its pattern says (4.32.5). Such a request would be refused, and rightly; it goes without the header.
    """
    for name in ("If-Match", "If-None-Match"):
        value = (case.headers or {}).get(name)
        if value is not None and value.isdigit():
            del case.headers[name]
    # Minutes for secondaries that answer nobody find no more than a second.
    if (case.headers or {}).get("Prefer") == "wait=30":
        case.headers["Prefer"] = "wait=1"
    wait = str((case.query or {}).get("wait", ""))
    if wait.isdigit() and 1 < int(wait) <= 300:
        case.query["wait"] = "1"
    # What was deleted for the sake of a later request has to be gone: a dry run leaves it where it is.
    if case.meta is not None and case.meta.phase.name == "stateful" and case.method == "DELETE":
        (case.query or {}).pop("dry_run", None)
    # A stream of what is to come has no end of its own.
    if case.operation.path == "/events/stream":
        case.query = case.query or {}
        if str(case.query.get("before", "0")).isdigit():
            case.query["before"] = "1"
    # A header that nobody knows is no fault (RFC 9110 5.1), and held for none unless a number stands beside it.
    if "x-schemathesis-unknown-property" in (case.headers or {}):
        case.headers.pop("Zonebook-Allow-Deletes", None)


# They bring back what was deleted, which Schemathesis expects of nothing but a POST or PUT of its path or one above.
restoring = {"restoreZone", "revertEvent", "rollbackVersion", "rollbackZone"}
# What may be read after a delete: the history of a record, and that a zone is not signed any more.
outlives = {"getRecordHistory": "deleteRecord", "getDnssec": "disableDnssec"}


def operation_of(case):
    return case.operation.definition.raw["operationId"]


@schemathesis.check
def gone_unless_restored(ctx, response, case):
    """What use_after_free judges, which is off, but for what was brought back or outlives the delete."""
    known = ctx.internals
    answers = [(operation_of(one), known.find_response(case_id=one.id)) for one in known.find_all_cases()]
    done = {name for name, answer in answers if answer is not None and 200 <= answer.status_code < 300}
    if done & restoring or outlives.get(operation_of(case)) in done:
        return None
    return use_after_free(ctx, response, case)
