"""Tools for LangChain and LangGraph agents (the extra `langchain`).

    from atoll.langchain import AtollToolkit, code_sandbox

    tools = AtollToolkit(session="chat-1").get_tools()    # shell, scripts, files, a browser
    tools = [code_sandbox()]                              # a fresh sandbox for each call
    tools = [code_sandbox(pinned=True)]                   # one for each conversation

Names, descriptions and arguments are the server's own (`GET /v1/tools`), so agents see what the
server can do. The model never sees or chooses a session: it is that of the toolkit, or else of the
conversation (`thread_id` of the config, as LangGraph's checkpointers use it).

What the model can do better comes back to it as text: code that failed, a file that is not there.
What it cannot (no server, no key) is raised.
"""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool, ToolException

from .client import AsyncClient, Client
from .errors import ApiError, Forbidden, NotFound, ServerError, ToolFailed, Unauthenticated
from .models import ToolInfo, ToolResult

__all__ = ["TOOL_NAMES", "AtollToolkit", "code_sandbox"]

TOOL_NAMES = (
    "execute_shell",
    "execute_python_script",
    "list_files",
    "read_file",
    "write_file",
    "delete_file",
    "make_directory",
    "browser_tool",
    "screenshot_browser",
)

# As servers with a browser describe them, for those without one.
_BROWSER = {
    "browser_tool": ToolInfo(
        "browser_tool",
        "Do a task in a web browser, described in natural language: navigate, fill forms, extract.",
        {
            "type": "object",
            "properties": {"task": {"type": "string", "description": "What to do."}},
            "required": ["task"],
        },
    ),
    "screenshot_browser": ToolInfo(
        "screenshot_browser",
        "Take a picture of what the web browser shows.",
        {"type": "object", "properties": {}},
    ),
}

_NAME_CHARACTERS_MAX = 128  # of a session, in a tool's arguments


class AtollToolkit:
    """The tools of one server, for one session or one session a conversation.

    `session` is an id, or a name of yours, which makes a session at its first use. Without it, the
    conversation's `thread_id` is the name; without that, the toolkit has a session of its own,
    which `close()` (or the end of a `with`) deletes.
    """

    def __init__(
        self,
        session: str | None = None,
        *,
        url: str | None = None,
        api_key: str | None = None,
        local: bool = False,
    ) -> None:
        self.session = session
        self._client = Client(url, api_key, local=local)
        self._key = api_key
        self._own = f"toolkit-{uuid.uuid4().hex}"

    def get_tools(self, names: Sequence[str] = TOOL_NAMES) -> list[BaseTool]:
        """These tools, in this order. A browser tool is there even if the server has no browser;
        it then says so when it is called."""
        offered = {one.name: one for one in self._client.tools()}
        found: list[BaseTool] = []
        for name in names:
            if name in offered:
                found.append(self._tool(offered[name], self._session_of))
            elif name in _BROWSER:
                found.append(_absent(_BROWSER[name], self._client.url))
            else:
                raise ToolFailed(
                    f"the server at {self._client.url} has no tool {name!r}; it has: "
                    + ", ".join(sorted(offered))
                )
        return found

    def close(self) -> None:
        """Deletes the session that nobody named, if it was used."""
        with contextlib.suppress(NotFound):
            self._client.sessions.delete(self._own)
        self._client.close()

    def __enter__(self) -> AtollToolkit:
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def _session_of(self, config: RunnableConfig) -> str:
        return self.session or _thread_of(config) or self._own

    def _tool(
        self, info: ToolInfo, session_of: Callable[[RunnableConfig], str | None]
    ) -> BaseTool:
        def arguments(given: Mapping[str, Any], config: RunnableConfig) -> dict[str, Any]:
            said = {k: v for k, v in given.items() if v is not None and k != "session_id"}
            session = session_of(config)
            return said if session is None else {**said, "session_id": session}

        def call(config: RunnableConfig, **given: Any) -> tuple[str, ToolResult]:
            try:
                return _said(self._client.call_tool(info.name, arguments(given, config)))
            except ApiError as error:
                raise _for_the_model(error) from error

        async def call_async(config: RunnableConfig, **given: Any) -> tuple[str, ToolResult]:
            # One for each call: connections belong to an event loop, and there may be several.
            async with AsyncClient(self._client.url, self._key) as client:
                try:
                    return _said(await client.call_tool(info.name, arguments(given, config)))
                except ApiError as error:
                    raise _for_the_model(error) from error

        return StructuredTool(
            name=info.name,
            description=info.description,
            args_schema=_without_session(info.parameters),
            func=call,
            coroutine=call_async,
            response_format="content_and_artifact",
            handle_tool_error=True,
        )


def code_sandbox(
    session: str | None = None,
    *,
    pinned: bool = False,
    url: str | None = None,
    api_key: str | None = None,
    local: bool = False,
) -> BaseTool:
    """The tool `code_sandbox`: runs Python.

    Ephemeral by default: each call has a fresh sandbox, and what it writes to /work/artifacts is
    kept. With `session`, or `pinned` to the conversation's `thread_id`, variables and files below
    /session stay. The tool message's `artifact` is a ToolResult with stdout, stderr and
    `artifact_map`.
    """
    toolkit = AtollToolkit(session, url=url, api_key=api_key, local=local)

    def session_of(config: RunnableConfig) -> str | None:
        found = session or (_thread_of(config) if pinned else None)
        if pinned and found is None:
            raise ToolFailed(
                'code_sandbox(pinned=True) needs a conversation: call with a config such as '
                '{"configurable": {"thread_id": "chat-1"}}, or name a session'
            )
        return found

    for info in toolkit._client.tools():
        if info.name == "code_sandbox":
            return toolkit._tool(info, session_of)
    raise ToolFailed(f"the server at {toolkit._client.url} has no tool 'code_sandbox'")


def _thread_of(config: RunnableConfig) -> str | None:
    thread = (config.get("configurable") or {}).get("thread_id")
    return None if thread is None else str(thread)[:_NAME_CHARACTERS_MAX]


def _without_session(parameters: Mapping[str, Any]) -> dict[str, Any]:
    properties = {k: v for k, v in parameters.get("properties", {}).items() if k != "session_id"}
    required = [name for name in parameters.get("required", []) if name != "session_id"]
    return {**parameters, "properties": properties, "required": required}


def _said(result: ToolResult) -> tuple[str, ToolResult]:
    return result.output, result


def _for_the_model(error: ApiError) -> Exception:
    if isinstance(error, (Unauthenticated, Forbidden, ServerError)):
        return error
    return ToolException(error.message)


def _absent(info: ToolInfo, url: str) -> BaseTool:
    sentence = (
        f"{info.name} is not available: the Atoll server at {url} offers no browser. Sandboxes "
        "have no network either; work with the files and programs that are there."
    )

    def refuse(**given: Any) -> tuple[str, None]:
        raise ToolException(sentence)

    async def refuse_async(**given: Any) -> tuple[str, None]:
        raise ToolException(sentence)

    return StructuredTool(
        name=info.name,
        description=f"{info.description} (This server has no browser.)",
        args_schema=info.parameters,
        func=refuse,
        coroutine=refuse_async,
        response_format="content_and_artifact",
        handle_tool_error=True,
    )
