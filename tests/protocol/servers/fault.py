"""MCP servers with one fault each, over stdio, without dependencies: python3 fault.py MODE [ARGUMENT]

All of them implement 2025-11-25 and have the tool `echo`, which returns its arguments as JSON text, unless
the comment of a mode states otherwise.
"""
import json
import os
import signal
import subprocess
import sys
import time

MODE, *REST = sys.argv[1:]
SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}}


def tool(name, **more):
    return {"name": name, "description": f"The tool {name}.", "inputSchema": SCHEMA, **more}


def write(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def send(**message):
    write(json.dumps({"jsonrpc": "2.0", **message}))


def text(words):
    return {"content": [{"type": "text", "text": words}]}


def die(code, words):
    print(words, file=sys.stderr, flush=True)
    os._exit(code)


class Server:
    """The server without a fault."""

    version = "2025-11-25"
    capabilities = {"tools": {"listChanged": True}, "logging": {}}
    tools = [tool("echo")]

    def start(self):
        pass

    def end(self):
        pass

    def initialize(self, params):
        info = {"name": "fault", "version": "1"}
        return {"protocolVersion": self.version, "capabilities": self.capabilities, "serverInfo": info}

    def list(self, cursor):
        return {"tools": self.tools}

    def call(self, name, arguments):
        return text(json.dumps(arguments))

    def unknown(self, id, method):
        send(id=id, error={"code": -32601, "message": f"no method {method}"})

    def answer(self, id, result):
        send(id=id, result=result)

    def request(self, id, method, params):
        if method == "initialize":
            self.answer(id, self.initialize(params))
        elif method == "ping":
            self.answer(id, {})
        elif method == "tools/list":
            self.answer(id, self.list(params.get("cursor")))
        elif method == "tools/call":
            self.called(id, params)
        else:
            self.unknown(id, method)

    def called(self, id, params):
        self.answer(id, self.call(params["name"], params.get("arguments", {})))

    def serve(self):
        self.start()
        for line in sys.stdin:
            message = json.loads(line)
            if "method" in message and "id" in message:
                self.request(message["id"], message["method"], message.get("params") or {})
        self.end()


class Silent(Server):
    """`silent`: reads, and never responds."""

    def request(self, id, method, params):
        pass


class SilentDiscover(Server):
    """`silent-discover`: ignores `server/discover`, and responds to all other requests."""

    def unknown(self, id, method):
        if method != "server/discover":
            super().unknown(id, method)


class Garbage(Server):
    """`garbage`: prints lines that are not messages before each response."""

    def request(self, id, method, params):
        for line in ["Listening on stdio", "", "[1, 2]", "{'id': 0}", '{"level": 30, "id": 0, "msg": "hi"}', "{"]:
            write(line)
        super().request(id, method, params)


class Exit(Server):
    """`exit`: ends immediately with code 1 and a message on standard error."""

    def start(self):
        die(1, "Error: EXAMPLE_KEY is not set")


class ExitOnDiscover(Server):
    """`exit-on-discover`: ends with code 2 on an unknown method."""

    def unknown(self, id, method):
        die(2, f"unknown method {method}")


class ForeignId(Server):
    """`foreign-id`: the error of an unknown method has another id."""

    def unknown(self, id, method):
        super().unknown(987654, method)


class EmptyResult(Server):
    """`empty-result`: responds to unknown methods with `{}`."""

    def unknown(self, id, method):
        self.answer(id, {})


class EchoVersion(Server):
    """`echo-version`: responds to `initialize` with the version of the client."""

    def initialize(self, params):
        self.version = params["protocolVersion"]
        return super().initialize(params)


class Ancient(Server):
    """`ancient`: responds to `initialize` with a version that never existed."""

    version = "1999-01-01"


class StderrFlood(Server):
    """`stderr-flood`: writes 10 MB to standard error before it reads, and again in each call. If
    HANG is set, it prints a message and waits."""

    def start(self):
        if os.environ.get("HANG"):
            print("waiting for the moon", file=sys.stderr, flush=True)
            time.sleep(1000)
        for _ in range(10_000):
            sys.stderr.write("x" * 999 + "\n")
        sys.stderr.flush()

    def call(self, name, arguments):
        self.start()
        return super().call(name, arguments)


class LongLine(Server):
    """`long-line`: the tool `big` returns 100 MB, or the number of bytes in `bytes`."""

    tools = [tool("echo"), tool("big")]

    def call(self, name, arguments):
        if name == "big":
            return text("x" * int(arguments.get("bytes", 100_000_000)))
        return super().call(name, arguments)


class Many(Server):
    """`many`: 10,000 tools, `tool_0` to `tool_9999`, in pages of 100."""

    def list(self, cursor):
        first = int(cursor or 0)
        page = {"tools": [tool(f"tool_{n}") for n in range(first, first + 100)]}
        return page if first + 100 == 10_000 else {**page, "nextCursor": str(first + 100)}


class Cycle(Server):
    """`cycle`: an endless list of the pages a, b, a, b, .., each with one tool."""

    def list(self, cursor):
        page, after = ("a", "b") if cursor in (None, "a") else ("b", "a")
        return {"tools": [tool(f"tool_{page}")], "nextCursor": after}


class Endless(Server):
    """`endless`: a new cursor and a new tool on each page, forever."""

    def list(self, cursor):
        number = int(cursor or 0)
        return {"tools": [tool(f"tool_{number}")], "nextCursor": str(number + 1)}


class Changing(Server):
    """`changing`: two pages, `echo` and `change`, then `version_N`. N grows between the two pages of
    the first listing and with each call of `change`; `list_changed` is sent each time."""

    number = 0

    def change(self):
        self.number += 1
        send(method="notifications/tools/list_changed")

    def list(self, cursor):
        if cursor is None:
            return {"tools": [tool("echo"), tool("change")], "nextCursor": "2"}
        if self.number == 0:
            self.change()
        return {"tools": [tool(f"version_{self.number}")]}

    def call(self, name, arguments):
        if name == "change":
            self.change()
        return super().call(name, arguments)


class NoSchema(Server):
    """`no-schema`: the tool `bare` has no `inputSchema`; `echo` and `good` have theirs."""

    tools = [tool("echo"), {"name": "bare", "description": "No schema."}, tool("good")]


class Odd(Server):
    """`odd`: tools with wrong types among valid ones, and four with unusual results: `blocks` has
    unknown kinds of content, `lists` has `tools` and `prompts` too, `kind` an unknown `resultType`,
    `shape` is an array."""

    tools = [
        tool("echo"), tool("blocks"), tool("lists"), tool("kind"), tool("shape"),
        tool(5), tool("odd_schema_type", inputSchema={"type": 5}), tool("bad_description", description=7), tool("bad_schema", inputSchema="none"),
        tool("bad_schema_type", inputSchema={"type": "string"}), tool("bad_annotations", annotations=[1]),
        {"description": "no name"}, None, "text",
    ]

    def call(self, name, arguments):
        if name == "blocks":
            unknown = [{"type": "hologram", "points": [1, 2]}, {"text": "no type"}, "no object"]
            return {"content": [*text("known")["content"], *unknown]}
        if name == "lists":
            return {**text("known"), "tools": [tool("x")], "prompts": [], "structuredContent": {"a": 1}}
        if name == "kind":
            return {**text("known"), "resultType": "hologram"}
        if name == "shape":
            return [1, 2]
        return super().call(name, arguments)


class NoIdError(Server):
    """`no-id-error`: calls fail with an error that has no id."""

    def called(self, id, params):
        send(error={"code": -32600, "message": "which request?"})


class WrongJsonrpc(Server):
    """`wrong-jsonrpc`: the responses to calls are in the format of JSON-RPC 1.0."""

    def called(self, id, params):
        send(id=id, result=text("old"), jsonrpc="1.0")


class StringError(Server):
    """`string-error`: calls fail with an error that is a text."""

    def called(self, id, params):
        send(id=id, error="boom")


class Flood(Server):
    """`flood`: 200,000 log messages before each response to a call, numbered from 0."""

    def called(self, id, params):
        for number in range(200_000):
            data = {"level": "info", "data": number}
            sys.stdout.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": data}) + "\n")
        super().called(id, params)


class MrtrForever(Server):
    """`mrtr-forever [SECONDS]`: 2026-07-28; reads nothing for this time; each call asks the user
    repeatedly."""

    def start(self):
        if REST and REST[0] != "-":
            time.sleep(float(REST[0]))

    def request(self, id, method, params):
        self.more = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
        if method == "server/discover":
            found = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
            meta = {"io.modelcontextprotocol/serverInfo": {"name": "fault", "version": "1"}}
            self.answer(id, {**found, **self.more, "_meta": meta})
        elif method == "initialize":
            self.unknown(id, method)
        else:
            super().request(id, method, params)

    def list(self, cursor):
        return {**super().list(cursor), **self.more}

    def call(self, name, arguments):
        schema = {"type": "object", "properties": {"ok": {"type": "boolean"}}}
        question = {"mode": "form", "message": "Again?", "requestedSchema": schema}
        requests = {"again": {"method": "elicitation/create", "params": question}}
        return {"resultType": "input_required", "inputRequests": requests, "requestState": "again"}


class UnknownResult(MrtrForever):
    """`unknown-result`: 2026-07-28; a call returns a result of an unknown type."""

    def call(self, name, arguments):
        return {"resultType": "promise", "taskId": "7", "status": "working"}


class HangCall(Server):
    """`hang-call`: never responds to calls."""

    def called(self, id, params):
        pass


class HangList(Server):
    """`hang-list`: never responds to `tools/list`."""

    def request(self, id, method, params):
        if method != "tools/list":
            super().request(id, method, params)


class IgnoreTerm(Server):
    """`ignore-term`: ignores the end of input and SIGTERM, and has a child that does too. The tool
    `echo` returns the process ids of both, as JSON."""

    def start(self):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        self.child = subprocess.Popen(["sleep", "1000"])

    def call(self, name, arguments):
        return text(json.dumps([os.getpid(), self.child.pid]))

    def end(self):
        while True:
            time.sleep(1)


class DieInCall(Server):
    """`die-in-call`: a call ends the server with code 3 and a message on standard error."""

    def called(self, id, params):
        die(3, "panic: out of cheese")


class ManyValues(Server):
    """`many-values`: the tool `many` returns 300,000 values."""

    tools = [tool("echo"), tool("many")]

    def called(self, id, params):
        if params["name"] == "echo":
            return super().called(id, params)
        values = ",".join(["0"] * 300_000)
        content = '[{"type":"text","text":""}]'
        result = f'{{"content":{content},"structuredContent":{{"a":[{values}]}}}}'
        write(f'{{"jsonrpc":"2.0","id":{json.dumps(id)},"result":{result}}}')


class Twice(Server):
    """`twice`: lists the tool `echo` twice, with two descriptions."""

    tools = [tool("echo"), tool("other"), tool("echo", description="The second.")]


class SlowStart(Server):
    """`slow-start SECONDS`: reads nothing for this time."""

    def start(self):
        time.sleep(float(REST[0]))


class Good(Server):
    """`good`: no fault."""


def mode(server):
    """`SilentDiscover` is `silent-discover`."""
    return "".join("-" + c.lower() if c.isupper() else c for c in server.__name__).strip("-")


def servers(server):
    found = {}
    for s in server.__subclasses__():
        found |= {mode(s): s, **servers(s)}
    return found


if __name__ == "__main__":
    try:
        servers(Server)[MODE]().serve()
    except BrokenPipeError:
        os._exit(0)
