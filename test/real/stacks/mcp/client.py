#!/usr/bin/env python3
# PyPI mcp: client.py URL TOOL ARGUMENTS [MODE]
# Prints what the server says of itself, its tools, and the result of a call. It confirms what it is asked.
import asyncio
import json
import sys

from mcp import Client, types


async def confirm(context, params):
    return types.ElicitResult(action="accept", content={})


def plain(result):
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)


async def main(url, tool, values, mode="auto"):
    async with Client(url, mode=mode, elicitation_callback=confirm) as client:
        tools = (await client.list_tools()).tools
        result = await client.call_tool(tool, json.loads(values))
        bad = await client.call_tool(tool, {"no": "such argument"})
        print(
            json.dumps(
                {
                    "server": plain(client.server_info or types.Implementation(name="not told", version="")),
                    "protocol": client.protocol_version,
                    "tools": [each.name for each in tools],
                    "result": plain(result),
                    "bad": plain(bad),
                }
            )
        )


asyncio.run(main(*sys.argv[1:]))
