"""A page holds a token of minutes in place of the key: after a reload, after its time, after a revocation."""

import httpx
import pytest
from harness.analyst import Analyst
from harness.host import eventually
from harness.relay import Relay
from playwright.sync_api import expect

ADMIN = "an-administrators-key-for-the-web-0123456789"


def keyed(folder, models, **environment):
    running = Analyst(folder, environment=models.environment() | {"ATOLL_ADMIN_KEY": ADMIN} | environment)
    running.http = httpx.Client(base_url=running.url, headers={"X-API-Key": ADMIN}, timeout=60)
    return running


def make_key(server, *scopes):
    made = server.http.post("/v1/keys", json={"name": "web", "scopes": list(scopes)})
    assert made.status_code == 201, made.text
    return made.json()


def enter(page, key, label="API key"):
    box = page.get_by_label(label, exact=True)
    box.fill(key)
    box.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)


def stored(page):
    return page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])")


def token(page):
    return page.evaluate("JSON.parse(sessionStorage.getItem('atoll.token') ?? '{}').token ?? ''")


@pytest.fixture(scope="module")
def server(tmp_path_factory, models):
    running = keyed(tmp_path_factory.mktemp("keyed"), models)
    yield running
    assert running.stop() == 0


def test_a_reload_does_not_ask_again(server, context, page):
    page.may_complain = True  # of the 401 before the key
    key = make_key(server, "admin")
    page.goto(server.url + "/ui/keys")
    enter(page, key["key"])
    expect(page.get_by_role("cell", name="web").first).to_be_visible()
    assert key["key"] not in stored(page) and key["key"].split("_")[-1] not in stored(page)
    sent = []
    page.on("request", lambda one: sent.append(one.headers.get("authorization", "")))
    page.reload()
    expect(page.get_by_role("cell", name="web").first).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert any(one.startswith("Bearer att_") for one in sent) and not any(key["key"] in one for one in sent)
    # Another tab has nothing of it, and a sign-out forgets it.
    other = context.new_page()
    other.goto(server.url + "/ui/keys")
    expect(other.get_by_label("API key", exact=True)).to_be_visible()
    page.get_by_role("link", name="Settings").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("API key", exact=True)).to_be_visible()
    assert token(page) == ""


def test_a_revoked_key_ends_the_page(server, page):
    page.may_complain = True
    key = make_key(server, "sessions:read", "threads")
    page.goto(server.url + "/ui/sessions")
    enter(page, key["key"])
    expect(page.get_by_role("heading", name="Sessions", exact=True)).to_be_visible()
    assert server.http.delete(f"/v1/keys/{key['id']}").is_success
    page.reload()
    expect(page.get_by_label("API key", exact=True)).to_be_visible()
    assert token(page) == ""
    page.get_by_label("API key", exact=True).fill(key["key"])
    page.get_by_label("API key", exact=True).press("Enter")
    expect(page.get_by_text("The server does not know this key.")).to_be_visible()


def test_in_chinese(server, page):
    page.may_complain = True
    page.goto(server.url + "/ui/keys")
    expect(page.get_by_label("API key", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="中文").click()
    page.get_by_role("button", name="输入 API 密钥").click()
    expect(page.get_by_text("密钥会立即换成几分钟内有效的令牌")).to_be_visible()
    enter(page, ADMIN, label="API 密钥")
    page.get_by_role("link", name="设置").click()
    expect(page.get_by_text("正在使用由密钥换来的短期令牌")).to_be_visible()


def test_it_is_renewed_while_the_page_is_open_and_not_for_ever(tmp_path, models, page):
    """Its time is seconds here; the network is away for a renewal."""
    page.may_complain = True
    running = keyed(tmp_path, models, ATOLL_PAGE_TOKEN_LIFE="40s", ATOLL_PAGE_LOGIN="90s")
    try:
        with Relay(int(running.url.rsplit(":", 1)[1])) as wire:
            page.goto(wire.url + "/ui/keys")
            enter(page, ADMIN)
            first = token(page)
            wire.refuse()
            with page.expect_event("requestfailed", lambda one: one.url.endswith("/v1/tokens/renew")):
                pass
            assert token(page) == first
            wire.mend()
            assert eventually(lambda: token(page) not in ("", first), 60)
            expect(page.get_by_role("dialog")).to_have_count(0)
            # Beyond the bound the key is needed again.
            expect(page.get_by_label("API key", exact=True)).to_be_visible(timeout=180_000)
            assert token(page) == ""
            enter(page, ADMIN)
            assert token(page).startswith("att_")
    finally:
        running.stop()
