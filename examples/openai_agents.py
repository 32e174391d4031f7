"""The OpenAI Agents SDK with a sandbox as its tool.

    pip install ./sdk/python openai-agents
    OPENAI_API_KEY=… python examples/openai_agents.py 'How many primes are below 1000?'

OPENAI_BASE_URL and OPENAI_MODEL choose another model: anything with an OpenAI-compatible API.
"""

import asyncio
import os
import sys

from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI

from atoll import AsyncSandbox


async def main(question: str) -> str:
    set_tracing_disabled(True)  # traces would go to OpenAI, whatever model answers
    async with AsyncSandbox() as sandbox:

        @function_tool
        async def run_python(code: str) -> str:
            """Run Python in a sandbox. Variables stay for the next call.

            Args:
                code: What to run; the value of the last expression is shown.
            """
            return str(await sandbox.run(code, timeout=60)) or "(no output)"

        @function_tool
        async def run_shell(command: str) -> str:
            """Run a line of bash in the same sandbox.

            Args:
                command: What bash runs.
            """
            return str(await sandbox.shell(command, timeout=60)) or "(no output)"

        name = os.environ.get("OPENAI_MODEL", "gpt-4.1-mini")
        agent = Agent(
            name="analyst",
            instructions="Use the tools; never guess a result.",
            model=OpenAIChatCompletionsModel(model=name, openai_client=AsyncOpenAI()),
            tools=[run_python, run_shell],
        )
        return str((await Runner.run(agent, question)).final_output)


if __name__ == "__main__":
    text = " ".join(sys.argv[1:]) or "How many primes are below 1000?"
    print(asyncio.run(main(text)))
