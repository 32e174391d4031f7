"""/metrics: what Prometheus reads."""

import re

import pytest

pytestmark = pytest.mark.once


def readings(server) -> dict:
    answer = server.http.get("/metrics")
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1])
            for line in answer.text.splitlines() if line and not line.startswith("#")}


def test_every_line_is_one_that_prometheus_reads(server):
    server.http.get("/v1/info")
    for line in server.http.get("/metrics").text.splitlines():
        assert re.fullmatch(r'# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"]*",?)+\})? [-+.\deEInfa]+', line), line


def test_requests_are_counted_by_route_and_not_by_path(server):
    before = readings(server)
    session = server.session()
    for path in ("absent-1", "absent-2"):
        server.http.get(f"/v1/sessions/{path}")
        server.http.get(f"/{path}")
    after = readings(server)
    one = 'atoll_http_request_seconds_count{method="GET",route="/v1/sessions/{id}",status="4xx"}'
    assert after[one] - before.get(one, 0) == 2
    made = 'atoll_http_request_seconds_count{method="POST",route="/v1/sessions",status="2xx"}'
    assert after[made] - before.get(made, 0) == 1
    assert not any("absent" in name for name in after)
    server.http.delete(f"/v1/sessions/{session}")


def test_sessions_are_counted(server):
    before = readings(server)
    session = server.session()
    server.run(session, "x = 1")
    hot = readings(server)
    assert hot['atoll_sessions{state="hot"}'] == before['atoll_sessions{state="hot"}'] + 1
    server.http.post(f"/v1/sessions/{session}/evict")
    server.run(session, "x")
    after = readings(server)
    for change in ("created", "evicted", "restored"):
        name = f'atoll_session_changes_total{{change="{change}"}}'
        assert after[name] == before[name] + 1, change
    assert after["atoll_memory_bytes"] > 1 << 20 and 0 < after["atoll_host_memory_free_ratio"] < 1
