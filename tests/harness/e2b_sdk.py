"""How the official E2B SDK is pointed at a server of a test."""
ANY_KEY = "e2b_" + "0" * 40  # for a server without keys, which takes any


def options_of(server, key=ANY_KEY) -> dict:
    return {"api_key": key, "api_url": server.url, "sandbox_url": server.url}
