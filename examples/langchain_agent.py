"""A LangChain agent that works in a sandbox: shell, scripts, files.

    pip install './sdk/python[langchain]' langchain langchain-openai
    OPENAI_API_KEY=… python examples/langchain_agent.py 'How many primes are below 1000?'

OPENAI_BASE_URL and OPENAI_MODEL choose another model; ATOLL_URL or SANDBOX_API_URL the server.
"""

import os
import sys

from langchain.agents import create_agent
from langchain_openai import ChatOpenAI

from atoll.langchain import AtollToolkit

PROMPT = "You work in a Linux sandbox without network. Use the tools; never guess a result."


def main(question: str) -> str:
    model = ChatOpenAI(model=os.environ.get("OPENAI_MODEL", "gpt-4.1-mini"))
    with AtollToolkit() as toolkit:  # a session of its own, deleted at the end
        agent = create_agent(model, toolkit.get_tools(), system_prompt=PROMPT)
        answer = agent.invoke({"messages": [{"role": "user", "content": question}]})
    return str(answer["messages"][-1].content)


if __name__ == "__main__":
    print(main(" ".join(sys.argv[1:]) or "How many primes are below 1000?"))
