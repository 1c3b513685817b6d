"""Prints what the client of the Python SDK receives from the server `notes`, as one JSON document.

python notes.py MODE http URL | python notes.py MODE stdio COMMAND ARGUMENT...
MODE is `legacy`, `auto`, or the required version.
"""

import asyncio
import json
import os
import sys

import jsonschema
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp_types import ElicitResult, PromptReference, ResourceTemplateReference

MODE, KIND, *REST = sys.argv[1:]


def plain(result):
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)


async def outcome(request):
    """Returns the outcome of a request: its result or its error."""
    try:
        return plain(await request)
    except MCPError as error:
        return {"error": {"code": error.code, "message": error.message, "data": error.data}}


def user(questions):
    """Accepts the first question, and declines all others."""

    async def answer(_context, params):
        questions.append(params.message)
        if len(questions) == 1:
            return ElicitResult(action="accept", content={})
        return ElicitResult(action="decline")

    return answer


def check_schemas(tools, results):
    """Checks that schemas are valid, and that results match them. Returns the names of the checked tools."""
    checked = []
    for tool in tools:
        for schema in filter(None, (tool.get("inputSchema"), tool.get("outputSchema"))):
            jsonschema.Draft202012Validator.check_schema(schema)
            jsonschema.Draft7Validator.check_schema(schema)
    outputs = {tool["name"]: tool.get("outputSchema") for tool in tools}
    for name, result in results:
        jsonschema.Draft202012Validator(outputs[name]).validate(result["structuredContent"])
        checked.append(name)
    return checked


async def visit(client, seen):
    """Uses every feature, in the order that the Rust test expects, and records all observations."""

    def call(name, arguments, **options):
        return outcome(client.call_tool(name, arguments, **options))

    async def complete(ref, name, value):
        return plain(await client.complete(ref, {"name": name, "value": value}))["completion"]

    async def on_progress(progress, total, message):
        seen["progress"].append({"progress": progress, "total": total, "message": message})

    seen["protocol"] = client.protocol_version
    seen["instructions"] = client.instructions
    seen["tools"] = plain(await client.list_tools())["tools"]
    seen["server"] = client.server_info and plain(client.server_info)
    seen["added"] = await call("add_note", {"text": "buy milk", "topic": "shop"})
    seen["addedWithDefault"] = await call("add_note", {"text": "pay rent"})
    seen["found"] = await call("search_notes", {"query": "milk"})
    seen["wrongType"] = await call("add_note", {"text": {"no": "text"}})
    seen["missingArgument"] = await call("add_note", {"topic": "shop"})
    seen["refusedByTheTool"] = await call("add_note", {"text": "  "})
    seen["unknownTool"] = await call("no_such_tool", {})

    seen["resources"] = plain(await client.list_resources())["resources"]
    seen["templates"] = plain(await client.list_resource_templates())["resourceTemplates"]
    seen["recent"] = await outcome(client.read_resource("notes://recent"))
    seen["note"] = await outcome(client.read_resource("note://1"))
    seen["unknownNote"] = await outcome(client.read_resource("note://99"))
    seen["unknownResource"] = await outcome(client.read_resource("nothing://here"))

    seen["prompts"] = plain(await client.list_prompts())["prompts"]
    seen["prompt"] = await outcome(client.get_prompt("summarize", {"topic": "shop", "sentences": "2"}))
    seen["promptWithout"] = await outcome(client.get_prompt("summarize", {}))
    seen["promptWithBad"] = await outcome(client.get_prompt("next_step", {"id": "first"}))
    seen["unknownPrompt"] = await outcome(client.get_prompt("no_such_prompt", {}))
    seen["topics"] = await complete(PromptReference(name="summarize"), "topic", "s")
    seen["ids"] = await complete(ResourceTemplateReference(uri="note://{id}"), "id", "")

    seen["progress"] = []
    seen["imported"] = await call("import_notes", {"texts": ["one", "two"]}, progress_callback=on_progress)
    seen["deleted"] = await call("delete_note", {"id": 2})
    seen["afterDelete"] = await outcome(client.read_resource("note://2"))
    seen["declined"] = await call("delete_note", {"id": 1})
    seen["afterDecline"] = await outcome(client.read_resource("note://1"))
    seen["validated"] = check_schemas(
        seen["tools"],
        [
            ("add_note", seen["added"]),
            ("search_notes", seen["found"]),
            ("import_notes", seen["imported"]),
            ("delete_note", seen["deleted"]),
        ],
    )


async def main():
    if KIND == "http":
        target = REST[0]
    else:
        program = StdioServerParameters(command=REST[0], args=REST[1:], env=dict(os.environ))
        target = stdio_client(program, errlog=sys.stderr)
    seen = {"questions": []}
    answer = user(seen["questions"])
    async with Client(target, mode=MODE, read_timeout_seconds=30, elicitation_callback=answer) as client:
        await visit(client, seen)
    print(json.dumps(seen))


asyncio.run(main())
