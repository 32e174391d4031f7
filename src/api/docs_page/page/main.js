// The page: loads the document, lists its operations, opens one when asked.
import { append, el, prose } from "./dom.js";
import * as schemas from "./schema.js";
import { field, fold, type_label, whole } from "./schema_view.js";
import { try_it } from "./try_it.js";
import { apply, begin, say, word } from "./words.js";

const kMethods = ["get", "post", "put", "patch", "delete", "head", "options"];
const kKey = "atoll.docs.key";

const search = document.getElementById("search");
const main = document.getElementById("main");
const contents = document.getElementById("contents");
const key = document.getElementById("key");

function operations_of(api) {
  const found = [];
  for (const [pattern, item] of Object.entries(api.paths ?? {})) {
    for (const method of kMethods) {
      const operation = item[method];
      if (!operation) continue;
      const id = operation.operationId ?? `${method} ${pattern}`;
      found.push({ ...operation, id, method, pattern, tag: operation.tags?.[0] ?? "" });
    }
  }
  return found;
}

function groups_of(api, operations) {
  const named = (api.tags ?? []).map(({ name, description }) => ({ name, description }));
  const known = new Set(named.map(({ name }) => name));
  for (const { tag } of operations) {
    if (known.has(tag)) continue;
    known.add(tag);
    named.push({ name: tag });
  }
  return named
    .map((group) => ({ ...group, operations: operations.filter((o) => o.tag === group.name) }))
    .filter((group) => group.operations.length > 0);
}

function method_chip(method) {
  return el("span", { class: `method ${method}` }, method.toUpperCase());
}

/** A path with room to break at its slashes and its parameters set off. */
function path_text(pattern) {
  const pieces = pattern.split(/(\{[^}]*\})/);
  return el("code", { class: "path" }, pieces.map((piece) => {
    if (piece.startsWith("{")) return el("span", { class: "hole" }, piece);
    return piece.split(/(?<=\/)/).flatMap((part) => [part, el("wbr")]);
  }));
}

function card(operation, opened) {
  const anchor = `op-${operation.id}`;
  const panel = el("div", { class: "panel", id: `${anchor}-panel`, hidden: true });
  const button = el("button", {
    type: "button", class: "operation-head", "aria-expanded": "false",
    "aria-controls": `${anchor}-panel` },
    method_chip(operation.method), path_text(operation.pattern),
    el("span", { class: "summary" }, operation.summary ?? ""),
    operation.deprecated && word("deprecated", "span", { class: "badge" }));
  const open = (wanted) => {
    if (wanted && panel.children.length === 0) {
      append(panel, details(operation));
      apply(panel);
    }
    panel.hidden = !wanted;
    button.setAttribute("aria-expanded", String(wanted));
  };
  button.addEventListener("click", () => {
    const wanted = panel.hidden;
    open(wanted);
    if (!wanted) return;
    history.replaceState(null, "", `#${encodeURIComponent(operation.id)}`);
    opened(operation.id);
  });
  const box = el("article", { class: "operation", id: anchor }, el("h3", {}, button), panel);
  return { box, open, button };
}

function details(operation) {
  const parameters = operation.parameters ?? [];
  const websocket = "101" in (operation.responses ?? {});
  return [
    el("div", { class: "about" },
      operation.description && prose(operation.description),
      Array.isArray(operation.security) && operation.security.length === 0 &&
        word("open", "span", { class: "badge" }),
      parameters.length > 0 && el("section", {}, word("parameters", "h4"),
        el("div", { class: "fields" }, parameters.map(parameter_field))),
      operation.requestBody && body_section(operation.requestBody),
      el("section", {}, word("responses", "h4"), responses(operation.responses ?? {}))),
    el("section", { class: "trying" }, word("try", "h4"),
      websocket ? word("websocket", "p", { class: "quiet" })
                : try_it(operation, () => key.value.trim())),
  ];
}

function parameter_field(parameter) {
  const schema = { ...parameter.schema, description: parameter.description };
  if (parameter.deprecated) schema.deprecated = true;
  return field(parameter.name, schema, {
    required: parameter.required,
    badges: [word(`in_${parameter.in}`, "span", { class: "badge" }),
             parameter["x-atoll-slashes"] && word("slashes", "span", { class: "badge" })] });
}

function body_section(body) {
  const contents_ = Object.entries(body.content ?? {});
  return el("section", {}, word("body", "h4"),
    body.description && prose(body.description),
    contents_.map(([type, media]) => el("div", { class: "media" },
      el("code", { class: "media-type" }, type), whole(media.schema ?? {}, { open: true }))));
}

function responses(all) {
  return el("div", { class: "responses" }, Object.entries(all).map(([status, response]) => {
    const kinds = Object.entries(response.content ?? {});
    return el("div", { class: "response" },
      el("div", { class: "response-head" },
        status === "default" ? word("any_status", "strong")
                             : el("strong", { class: status < "400" ? "good" : "bad" }, status),
        " ", response.description ?? ""),
      kinds.length === 0 && word("no_content", "div", { class: "quiet" }),
      kinds.map(([type, media]) => el("div", { class: "media" },
        el("code", { class: "media-type" }, type), " ",
        media["x-atoll-events"] ? events(media["x-atoll-events"])
                                : [type_label(media.schema ?? {}), fold(media.schema ?? {})])),
      response.headers && el("div", { class: "media" }, word("headers"), " ",
        Object.entries(response.headers).map(([name, header]) =>
          el("div", {}, el("code", {}, name), " ", header.description ?? ""))));
  }));
}

function events(all) {
  return el("div", { class: "fields" }, all.map((event) =>
    el("div", { class: "field" },
      el("div", { class: "field-head" }, el("code", { class: "name" }, event.name), " ",
        type_label(event.schema ?? {})),
      event.description && prose(event.description),
      fold(event.schema ?? {}))));
}

function show(api) {
  schemas.use(api);
  document.title = `${api.info?.title ?? ""} API`.trim();
  document.getElementById("title").textContent = api.info?.title ?? "API";
  document.getElementById("version").textContent = api.info?.version ?? "";

  const rows = []; // what search looks through
  // In the list on the left: where one is.
  const mark = (id) => {
    for (const row of rows) {
      const anchor = row.link.firstElementChild;
      if (row.id !== id) {
        anchor.removeAttribute("aria-current");
        continue;
      }
      anchor.setAttribute("aria-current", "true");
      anchor.scrollIntoView({ block: "nearest" });
    }
  };
  const nothing = word("nothing", "p", { class: "quiet", hidden: true });
  main.replaceChildren(el("div", { class: "intro" },
    api.info?.description && prose(api.info.description),
    el("a", { href: "./openapi.json" }, word("json"))), nothing);
  contents.replaceChildren();
  for (const group of groups_of(api, operations_of(api))) {
    const section = el("section", { class: "group" },
      el("h2", {}, group.name), group.description && prose(group.description));
    const list = el("ul");
    const heading = el("div", { class: "contents-group" }, el("h2", {}, group.name), list);
    for (const operation of group.operations) {
      const made = card(operation, mark);
      section.append(made.box);
      const link = el("li", {}, el("a", { href: `#${encodeURIComponent(operation.id)}` },
        method_chip(operation.method), el("span", {}, operation.summary ?? operation.pattern)));
      list.append(link);
      const text = [operation.method, operation.pattern, operation.summary, operation.description,
                    operation.id, operation.tag].join(" ").toLowerCase();
      rows.push({ ...made, link, section, heading, text, id: operation.id });
    }
    main.append(section);
    contents.append(heading);
  }

  const filter = () => {
    const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const match = wanted.every((part) => row.text.includes(part));
      row.box.hidden = row.link.hidden = !match;
    }
    for (const { section, heading } of rows) {
      const any = rows.some((row) => row.section === section && !row.box.hidden);
      section.hidden = heading.hidden = !any;
    }
    nothing.hidden = rows.some((row) => !row.box.hidden);
  };
  search.addEventListener("input", filter);

  const go = () => {
    let id = location.hash.slice(1);
    try {
      id = decodeURIComponent(id);
    } catch {
      // Not ours; it will match nothing.
    }
    const row = rows.find((candidate) => candidate.id === id);
    if (!row) return;
    if (row.box.hidden) {
      search.value = "";
      filter();
    }
    row.open(true);
    mark(id);
    row.box.scrollIntoView({ block: "start" });
    row.button.focus({ preventScroll: true });
  };
  addEventListener("hashchange", go);
  // A link to where one is already changes no hash; it opens what was folded since, all the same.
  contents.addEventListener("click", (event) => {
    const anchor = event.target.closest("a");
    if (anchor?.getAttribute("href") === location.hash) go();
  });
  apply();
  go();
}

// The key lives in this tab alone and is gone when it is closed.
function keep_key() {
  key.value = sessionStorage.getItem(kKey) ?? "";
  key.form.addEventListener("submit", (event) => event.preventDefault());
  key.addEventListener("input", () => {
    if (key.value === "") sessionStorage.removeItem(kKey);
    else sessionStorage.setItem(kKey, key.value);
    document.dispatchEvent(new Event("key-changed"));
  });
}

addEventListener("keydown", (event) => {
  const typing = event.target.closest?.("input, textarea, select") !== null;
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    search.focus();
    search.select();
  } else if (event.key === "Escape" && event.target === search) {
    search.value = "";
    search.dispatchEvent(new Event("input"));
  }
});

begin();
keep_key();
try {
  const response = await fetch("./openapi.json", { credentials: "same-origin" });
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  show(await response.json());
} catch (error) {
  main.replaceChildren(el("p", { class: "complaint", role: "alert" },
    word("failed"), error.message));
  console.error(say("failed"), error);
}
