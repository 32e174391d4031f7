"""A LangGraph graph with the tool `code_sandbox`, ephemeral or pinned to the conversation.

    pip install './sdk/python[langchain]' langgraph langchain-openai
    OPENAI_API_KEY=… python examples/langgraph_sandbox.py --pinned

Ephemeral: each call gets a fresh sandbox. Pinned: variables and files below /session stay for the
next question of the same `thread_id`, also while other conversations go on.
"""

import os
import sys

from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from atoll.langchain import code_sandbox


def graph_with_sandbox(pinned: bool) -> CompiledStateGraph:
    tools = [code_sandbox(pinned=pinned)]
    name = os.environ.get("OPENAI_MODEL", "gpt-4.1-mini")
    model = ChatOpenAI(model=name).bind_tools(tools)

    def ask(state: MessagesState) -> dict:
        return {"messages": [model.invoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("model", ask)
    graph.add_node("tools", ToolNode(tools))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    return graph.compile(checkpointer=InMemorySaver())


def ask(graph: CompiledStateGraph, thread: str, question: str) -> str:
    config = {"configurable": {"thread_id": thread}}
    answer = graph.invoke({"messages": [{"role": "user", "content": question}]}, config)
    return str(answer["messages"][-1].content)


if __name__ == "__main__":
    graph = graph_with_sandbox(pinned="--pinned" in sys.argv)
    print(ask(graph, "chat-1", "Let x be 41. Store it in the sandbox."))
    print(ask(graph, "chat-1", "What is x + 1? Compute it in the sandbox."))
