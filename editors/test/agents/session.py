"""A session of the Python client of the Model Context Protocol with isadiff-mcp: session.py SERVER PROJECT

PROJECT has the sides "before" and "dumps". Each outcome is a line of JSON.
"""
import asyncio
import json
import sys
from pathlib import Path

import mcp
from mcp import types
from mcp.client.stdio import StdioServerParameters, stdio_client


def outcome(name, hold, said=""):
    print(json.dumps({"name": name, "error": None if hold else f"not so: {said}"}), flush=True)


async def main(server, project):
    asked = []

    async def roots(context):
        asked.append(1)
        return types.ListRootsResult(roots=[types.Root(uri=Path(project).as_uri(), name="project")])

    said = []

    async def progress(done, total, message):
        said.append(message)

    async with stdio_client(StdioServerParameters(command=server, args=[])) as (read, write):
        async with mcp.ClientSession(read, write, list_roots_callback=roots) as session:
            ready = await session.initialize()
            outcome("initialize", "NOT TRUSTWORTHY" in ready.instructions, ready)
            tools = {t.name: t for t in (await session.list_tools()).tools}
            outcome("tools", set(tools) == {"summarize", "diff", "why", "where", "compare", "snapshot", "explain", "status"}, list(tools))
            sides = {"before": "before", "after": "dumps"}
            result = await session.call_tool("diff", sides, progress_callback=progress)
            answer = result.structured_content
            outcome("diff", answer["verdict"] == "REGRESSION" and answer["kernels"][0]["figures"][0]["after"] == 136, result)
            outcome("short text", result.content[0].text.count("\n") < 40 and result.content[0].text.startswith("REGRESSION: "), result.content)
            outcome("the client was asked for its roots", asked, asked)
            outcome("progress", "comparing" in said, said)
            result = await session.call_tool("why", sides | {"kernels": "window_filter_0"})
            outcome("why", "live VGPRs peak at 82 -> 122" in result.content[0].text, result.content)
            result = await session.call_tool("summarize", {"path": "/"})
            outcome("outside of the roots", result.is_error and "is outside of what this server may use" in result.content[0].text, result.content)
            result = await session.call_tool("explain", {"topic": "target-differs"})
            outcome("explain", "build both sides for one target" in result.content[0].text, result.content)
            page = await session.read_resource("isadiff://reference/problem-codes")
            outcome("a resource", "target-differs" in page.contents[0].text, page.contents[0].text[:200])
    outcome("the end", True)


asyncio.run(main(*sys.argv[1:]))
print(json.dumps({"done": True}))
