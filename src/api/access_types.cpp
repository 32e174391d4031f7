#include "api/access_types.hpp"

#include "api/time_text.hpp"
#include "schema/describe.hpp"

namespace atl::api {

KeyView view_of(const core::KeyRecord& record) {
    KeyView view;
    view.id = record.id.text();
    view.owner = record.owner;
    view.name = record.name;
    view.scopes = record.scopes;
    view.created_at = time_text(record.created_at);
    if (record.last_used_at) view.last_used_at = time_text(*record.last_used_at);
    if (record.expires_at) view.expires_at = time_text(*record.expires_at);
    if (record.revoked_at) view.revoked_at = time_text(*record.revoked_at);
    return view;
}

BOOST_DESCRIBE_STRUCT(CreateKey, (), (name, owner, scopes, lifetime, e2b))
ATOLL_TYPE(CreateKey) {
    return request(
        "A new key.",
        field<&T::name>("What people call it.", length(0, 200), one_line(), example("ci")),
        field<&T::owner>("Whose sessions it makes and sees.", length(1, 64),
                         pattern("A-Za-z0-9", "A-Za-z0-9._@-", "letters, digits, dot, @ and dash"),
                         example("team-a")),
        field<&T::scopes>(
            "What it may do: sessions:read, sessions:write, run, files, jobs, threads, metrics, "
            "admin. None named: all but metrics and admin.",
            items(0, 16), each(length(1, 32)), example_json(R"(["sessions:read", "run"])")),
        field<&T::lifetime>("It ends after so long; left out: never.", range(1, 315'360'000),
                            example("720h")),
        field<&T::e2b>("In the form that the E2B SDK takes: `e2b_` and hex digits."));
}

BOOST_DESCRIBE_STRUCT(KeyView, (),
                      (id, owner, name, scopes, created_at, last_used_at, expires_at, revoked_at,
                       key))
ATOLL_TYPE(KeyView) {
    return response(
        "A key, without its secret.", field<&T::id>("The part of it that is no secret."),
        field<&T::owner>("Whose sessions it makes and sees."),
        field<&T::name>("What people call it."), field<&T::scopes>("What it may do."),
        field<&T::created_at>("When it was made.", format("date-time")),
        field<&T::last_used_at>("When it was last used, to the minute.", format("date-time")),
        field<&T::expires_at>("Its end.", format("date-time")),
        field<&T::revoked_at>("Since when it is good for nothing.", format("date-time")),
        field<&T::key>("The key itself: said once, in the answer that makes it."));
}

BOOST_DESCRIBE_STRUCT(KeyList, (), (keys, next_cursor))
ATOLL_TYPE(KeyList) {
    return response("Keys, the newest first.", field<&T::keys>("This page."),
                    field<&T::next_cursor>("For the next page; left out at the end."));
}

BOOST_DESCRIBE_STRUCT(KeyPath, (), (id))
ATOLL_TYPE(KeyPath) {
    return request(
        "", field<&T::id>("The key.", required, length(1, 128), example("mfrggzdfmztwq2lk")));
}

BOOST_DESCRIBE_STRUCT(ListKeys, (), (cursor, limit))
ATOLL_TYPE(ListKeys) {
    return request("", field<&T::cursor>("Of the page before.", length(0, 512)),
                   field<&T::limit>("How many at most.", range(1, 1000)));
}

BOOST_DESCRIBE_ENUM(TokenFor, Terminal, Ports, Files)
ATOLL_TYPE(TokenFor) {
    return choices("What a token opens.", choice<TokenFor::Terminal>("terminals of the session"),
                   choice<TokenFor::Ports>("web servers in the session"),
                   choice<TokenFor::Files>("files of the session"));
}

BOOST_DESCRIBE_STRUCT(CreateToken, (), (scopes, seconds))
ATOLL_TYPE(CreateToken) {
    return request(
        "A token for one session.",
        field<&T::scopes>("What it opens.", required, items(1, 3), example_json(R"(["terminal"])")),
        field<&T::seconds>("How long it is good for.", range(1, 86'400)));
}

BOOST_DESCRIBE_STRUCT(TokenView, (), (token, session, scopes, expires_at))
ATOLL_TYPE(TokenView) {
    return response("A token: as a bearer, or as ?token= where a browser can send no header.",
                    field<&T::token>("The token."), field<&T::session>("The session."),
                    field<&T::scopes>("What it opens."),
                    field<&T::expires_at>("Its end.", format("date-time")));
}

BOOST_DESCRIBE_STRUCT(PageTokenView, (),
                      (token, owner, key_id, scopes, expires_at, seconds, renewable_until))
ATOLL_TYPE(PageTokenView) {
    return response("What a page holds in place of a key: a bearer with the key's own scopes.",
                    field<&T::token>("The token."), field<&T::owner>("The key's owner."),
                    field<&T::key_id>("The key, with which it ends."),
                    field<&T::scopes>("What it may do: all that the key may."),
                    field<&T::expires_at>("Its end.", format("date-time")),
                    field<&T::seconds>("From now until then."),
                    field<&T::renewable_until>("It can be renewed until then; after that the key "
                                               "is needed again.",
                                               format("date-time")));
}

BOOST_DESCRIBE_STRUCT(ListAudit, (), (from, until, cursor, limit))
ATOLL_TYPE(ListAudit) {
    return request(
        "", field<&T::from>("This moment and later, as 2026-03-01T12:30:00Z.", length(0, 40)),
        field<&T::until>("Before this moment.", length(0, 40)),
        field<&T::cursor>("Of the page before.", length(0, 512)),
        field<&T::limit>("How many at most.", range(1, 1000)));
}

BOOST_DESCRIBE_STRUCT(AuditView, (),
                      (sequence, time, owner, key_id, action, object, outcome, request_id, detail))
ATOLL_TYPE(AuditView) {
    return response(
        "Who did what, and how it ended.",
        field<&T::sequence>("Counts all records of this server."),
        field<&T::time>("When.", format("date-time")),
        field<&T::owner>("Who; empty: nobody known."), field<&T::key_id>("With which key."),
        field<&T::action>("What, as session.create."), field<&T::object>("To what."),
        field<&T::outcome>("ok, or the error's code."), field<&T::request_id>("In which request."),
        field<&T::detail>("From where, and why it was refused."));
}

BOOST_DESCRIBE_STRUCT(AuditList, (), (records, next_cursor))
ATOLL_TYPE(AuditList) {
    return response("The newest first.", field<&T::records>("This page."),
                    field<&T::next_cursor>("For the next page; left out at the end."));
}

}  // namespace atl::api
