"""Read by mypy alone: each operation is written once, and has the right type in both clients."""

from pathlib import Path

from typing_extensions import assert_type

from atoll import (
    AsyncProcess,
    AsyncSandbox,
    AsyncStream,
    FileInfo,
    Job,
    Process,
    ProcessInfo,
    RunEvent,
    RunResult,
    Sandbox,
    Stream,
)


def waits(sb: Sandbox) -> None:
    assert_type(sb.run("1"), RunResult)
    assert_type(sb.stream("1"), Stream[RunEvent])
    assert_type(sb.fork(), list[Sandbox])
    assert_type(sb.files.list(), list[FileInfo])
    assert_type(sb.files.download("x"), Path)
    assert_type(sb.processes.start("x"), Process)
    assert_type(sb.processes.start("x").wait(), ProcessInfo)
    assert_type(sb.client.jobs.wait("x"), Job)
    sb.run(1)  # type: ignore[arg-type]
    sb.files.write("x")  # type: ignore[call-arg]


async def awaits(sb: AsyncSandbox) -> None:
    assert_type(await sb.run("1"), RunResult)
    assert_type(sb.stream("1"), AsyncStream[RunEvent])
    assert_type(await sb.fork(), list[AsyncSandbox])
    assert_type(await sb.files.list(), list[FileInfo])
    process = await sb.processes.start("x")
    assert_type(process, AsyncProcess)
    assert_type(await process.wait(), ProcessInfo)
    await sb.run(1)  # type: ignore[arg-type]
