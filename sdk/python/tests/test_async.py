"""The asynchronous client: the same operations, awaited, on asyncio and trio."""

import anyio
import pytest

from atoll import AsyncClient, AsyncSandbox, AtollError, Ended, NotFound, Stdout

pytestmark = pytest.mark.anyio


async def test_a_sandbox(server, tmp_path):
    async with AsyncSandbox(url=server.url) as sb:
        await sb.run("x = 6")
        assert (await sb.run("x * 7")).text == "42"
        assert (await sb.shell("echo hi")).stdout == "hi\n"
        (tmp_path / "up").mkdir()
        (tmp_path / "up/f").write_bytes(b"y" * 600_000)
        await sb.files.upload(tmp_path / "up")
        await sb.files.upload(tmp_path / "up/f", "g")
        back = await sb.files.download("up", tmp_path / "back")
        assert (back / "f").read_bytes() == b"y" * 600_000
        assert await sb.files.read_text("g") == "y" * 600_000
        process = await sb.processes.start("cat", stdin_open=True)
        await process.write("typed", end=True)
        assert (await process.wait()).exit_code == 0
        assert (await process.output()).stdout == "typed"
        (copy,) = await sb.fork()
        assert (await copy.run("x")).text == "6"
        await copy.delete()
        heard = []
        found = await sb.run("print(1)", on_stdout=heard.append)
        assert "".join(heard) == "1\n" and found.stdout == "1\n"
        name = sb.id
    async with AsyncClient(server.url) as client:
        with pytest.raises(NotFound):
            await client.connect(name)


async def test_streams(server):
    async with AsyncClient(server.url) as client:
        sb = await client.sandbox()
        async with sb.stream("print(1); 2") as events:
            seen = [event async for event in events]
        assert isinstance(seen[-1], Ended) and seen[-1].result.text == "2"
        async with sb.stream("print(0)\nwhile True: pass") as events:
            async for event in events:
                if isinstance(event, Stdout):
                    break
        assert (await sb.run("'free again'")).text == "'free again'"
        job = await client.jobs.create("print(3)")
        assert (await client.jobs.wait(job.id)).state == "succeeded"
        await sb.close()


async def test_many_at_once(server):
    async with AsyncClient(server.url) as client:
        found = {}

        async def one(number):
            found[number] = (await client.run(f"{number} * 2")).text

        async with anyio.create_task_group() as group:
            for number in range(4):
                group.start_soon(one, number)
        assert found == {n: str(n * 2) for n in range(4)}


async def test_not_made_yet(server):
    sb = AsyncSandbox(url=server.url)
    with pytest.raises(AtollError, match="async with"):
        await sb.run("1")
    await sb.close()
    made = await AsyncSandbox.open("async-kept", url=server.url)
    again = await AsyncSandbox.open("async-kept", url=server.url)
    assert made.id == again.id
    await again.delete()
    await again.close()
    await made.close()
