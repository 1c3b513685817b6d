"""Calls the tools of a server with the Python SDK, and prints the texts of their results.

python visit.py TARGET   TARGET is JSON: {url, token, command, calls, answer}.
"""

import asyncio
import json
import os
import sys

import httpx2
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitResult

TARGET = json.loads(sys.argv[1])


async def answer(_context, _params):
    return ElicitResult(action="accept", content=TARGET["answer"])


def transport():
    if not TARGET["url"]:
        return stdio_client(StdioServerParameters(command=TARGET["command"], env=dict(os.environ)), errlog=sys.stderr)
    headers = {"authorization": f"Bearer {TARGET['token']}"} if TARGET["token"] else {}
    return streamable_http_client(TARGET["url"], http_client=httpx2.AsyncClient(headers=headers, timeout=60))


async def main():
    async with Client(transport(), read_timeout_seconds=60, elicitation_callback=answer) as client:
        tools = (await client.list_tools()).tools
        results = []
        for name, arguments in TARGET["calls"]:
            result = await client.call_tool(name, arguments)
            results.append(("error: " if result.is_error else "") + result.content[0].text)
    print(json.dumps({"tools": sorted(tool.name for tool in tools), "results": results}))


asyncio.run(main())
