// The form of one operation: fill in, send, watch what comes back.
import { append, copy, el } from "./dom.js";
import * as json_view from "./json_view.js";
import { build, read_events } from "./request.js";
import * as schemas from "./schema.js";
import { apply, say, word } from "./words.js";

const kEventsMax = 500; // the newest are kept

let next_id = 0;

export function try_it(operation, key) {
  const parameters = (operation.parameters ?? []).map((parameter) => ({
    parameter, input: parameter_input(parameter) }));
  const body = body_input(operation.requestBody);
  const command = el("pre", { class: "code command", tabindex: "0" });
  const answer = el("div", { class: "answer", "aria-live": "polite" });
  const send = word("send", "button", { type: "submit", class: "primary" });
  const stop = word("stop", "button", { type: "button", hidden: true });
  let abort = null;

  const collect = () => build({
    method: operation.method, pattern: operation.pattern, key: key(), body: body?.read(),
    parameters: parameters.map(({ parameter, input }) => ({ parameter, values: input.read() })),
  });
  const refresh = () => {
    try {
      command.textContent = collect().curl;
    } catch (error) {
      command.textContent = say(error.message);
    }
  };
  const fill = () => {
    for (const { input } of parameters) input.fill();
    body?.fill();
    refresh();
  };

  const form = el("form", { class: "try", novalidate: true },
    parameters.length > 0 && el("div", { class: "inputs" }, parameters.map((p) => p.input.row)),
    body?.box,
    el("div", { class: "actions" }, send, stop,
      word("reset", "button", { type: "button", onclick: fill })),
    el("div", { class: "curl" },
      el("div", { class: "curl-head" }, word("curl", "h5"), copy_button(() => command.textContent)),
      command),
    answer);
  form.addEventListener("input", refresh);
  form.addEventListener("change", refresh);
  document.addEventListener("key-changed", refresh);
  stop.addEventListener("click", () => abort?.abort());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (abort !== null) return;
    abort = new AbortController();
    send.disabled = true;
    stop.hidden = false;
    try {
      await perform(collect, answer, abort.signal);
    } finally {
      abort = null;
      send.disabled = false;
      stop.hidden = true;
    }
  });
  fill();
  return form;
}

function copy_button(text) {
  const button = word("copy", "button", { type: "button", class: "small" });
  button.addEventListener("click", async () => {
    if (!(await copy(text()))) return;
    button.dataset.word = "copied";
    button.textContent = say("copied");
    setTimeout(() => {
      button.dataset.word = "copy";
      button.textContent = say("copy");
    }, 1500);
  });
  return button;
}

// ---- Inputs: each has a row to show, read() and fill() --------------------------------------

function parameter_input(parameter) {
  return text_input(parameter.name, parameter.schema ?? {}, {
    required: parameter.required, note: `in_${parameter.in}`,
    prefill: Boolean(parameter.required) });
}

/** One value, or one a line for a list; read() gives them all, and none for what was left empty. */
function text_input(name, schema, { required = false, note = null, prefill = true }) {
  const own = schemas.resolve(schema);
  const id = `input-${++next_id}`;
  const list = own.type === "array";
  const choices = own.enum ?? (own.type === "boolean" ? [true, false] : null);
  const shown = () => {
    const given = schemas.example(schema);
    if (list) return Array.isArray(given) ? given.join("\n") : "";
    return given === null || typeof given === "object" ? "" : String(given);
  };
  let control;
  if (choices) {
    control = el("select", { id },
      el("option", { value: "", "data-word": "unset" }, say("unset")),
      choices.map((choice) => el("option", { value: String(choice) }, String(choice))));
  } else if (list) {
    control = el("textarea", { id, rows: "2", "data-word-placeholder": "one_per_line",
                               spellcheck: "false" });
  } else {
    control = el("input", { id, type: own.format === "password" ? "password" : "text",
                            autocomplete: "off", spellcheck: "false",
                            inputmode: own.type === "integer" ? "numeric" : undefined });
    if (!prefill && own.examples) control.placeholder = shown();
  }
  const row = el("div", { class: "input" },
    el("label", { for: id }, el("code", {}, name), " ",
      note && word(note, "span", { class: "where" }), " ",
      required && word("required", "span", { class: "badge required" })),
    control);
  apply(row);
  return {
    row,
    read: () => (list ? control.value.split("\n") : [control.value]).filter((text) => text !== ""),
    fill: () => { control.value = prefill ? shown() : ""; },
  };
}

function file_input(name, several, required) {
  const id = `input-${++next_id}`;
  const control = el("input", { id, type: "file", multiple: several });
  const row = el("div", { class: "input" },
    el("label", { for: id }, name === null ? word("file") : el("code", {}, name), " ",
      required && word("required", "span", { class: "badge required" })),
    control);
  return { row, control, read: () => [...control.files], fill: () => {} };
}

function json_input(schema) {
  const id = `input-${++next_id}`;
  const area = el("textarea", { id, class: "json", spellcheck: "false", autocomplete: "off" });
  const complaint = el("p", { class: "complaint", hidden: true });
  const check = () => {
    let problem = "";
    try {
      JSON.parse(area.value);
    } catch (error) {
      problem = say("not_json") + error.message;
    }
    complaint.textContent = problem;
    complaint.hidden = problem === "";
    area.rows = Math.min(24, Math.max(3, area.value.split("\n").length));
  };
  area.addEventListener("input", check);
  return {
    row: el("div", { class: "input wide" },
      el("label", { for: id }, word("body"), " ", el("code", {}, "JSON")), area, complaint),
    read: () => area.value,
    fill: () => {
      area.value = JSON.stringify(schemas.example(schema), null, 2);
      check();
    },
  };
}

function form_inputs(schema) {
  const own = schemas.resolve(schema);
  const required = new Set(own.required ?? []);
  const inputs = Object.entries(own.properties ?? {}).map(([name, property]) => {
    const inside = property.type === "array" ? property.items ?? {} : property;
    const input = schemas.is_file(inside)
      ? file_input(name, property.type === "array", required.has(name))
      : text_input(name, property, { required: required.has(name) });
    return { name, input };
  });
  return {
    row: el("div", { class: "inputs" }, inputs.map(({ input }) => input.row)),
    read: () => {
      const form = new FormData();
      for (const { name, input } of inputs)
        for (const value of input.read()) form.append(name, value);
      return form;
    },
    fill: () => inputs.forEach(({ input }) => input.fill()),
  };
}

function bytes_input() {
  const id = `input-${++next_id}`;
  const file = file_input(null, false, false);
  const area = el("textarea", { id, rows: "4", spellcheck: "false" });
  file.control.addEventListener("change", () => { area.disabled = file.control.files.length > 0; });
  return {
    row: el("div", { class: "inputs" }, file.row,
      el("div", { class: "input wide" }, el("label", { for: id }, word("body")), area)),
    read: () => file.control.files[0] ?? area.value,
    fill: () => {},
  };
}

function body_input(request_body) {
  const kinds = Object.entries(request_body?.content ?? {}).map(([type, media]) => {
    if (type === "application/json") return { type, input: json_input(media.schema ?? {}) };
    if (type === "multipart/form-data") return { type, input: form_inputs(media.schema ?? {}) };
    return { type, input: bytes_input() };
  });
  if (kinds.length === 0) return null;
  let chosen = kinds[0];
  const place = el("div", {}, chosen.input.row);
  const id = `input-${++next_id}`;
  const select = el("select", { id }, kinds.map(({ type }) => el("option", { value: type }, type)));
  select.addEventListener("change", () => {
    chosen = kinds[select.selectedIndex];
    place.replaceChildren(chosen.input.row);
  });
  return {
    box: el("div", { class: "body" },
      kinds.length > 1 && el("div", { class: "input" },
        el("label", { for: id }, word("content_type")), select),
      place),
    read: () => ({ type: chosen.type, content: chosen.input.read() }),
    fill: () => kinds.forEach(({ input }) => input.fill()),
  };
}

// ---- The answer ----------------------------------------------------------------------------

async function perform(collect, answer, signal) {
  const status = el("p", { class: "status" });
  const show = (key, more = "") => { status.replaceChildren(word(key), more); };
  answer.replaceChildren(word("response", "h5"), status);
  show("sending");
  let request;
  try {
    request = collect();
  } catch (error) {
    return show(error.message);
  }
  const begun = performance.now();
  try {
    const response = await fetch(request.url, {
      method: request.method, headers: request.headers, body: request.body, signal,
      credentials: "omit", redirect: "manual", cache: "no-store" });
    const took = Math.round(performance.now() - begun);
    status.replaceChildren(
      el("strong", { class: response.ok ? "good" : "bad" },
        response.type === "opaqueredirect" ? "3xx"
                                           : `${response.status} ${response.statusText}`.trim()),
      ` · ${took} ms`);
    answer.append(header_list(response.headers));
    await show_body(response, request, answer, status);
  } catch (error) {
    if (error.name === "AbortError") append(status, [" · ", word("stopped")]);
    else append(status, [" ", word("unreachable"), error.message]);
  }
}

function header_list(headers) {
  const list = [...headers.entries()];
  return el("details", { class: "fold" },
    el("summary", {}, word("headers"), " ", el("span", { class: "count" }, list.length)),
    el("dl", { class: "headers" },
      list.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])));
}

async function show_body(response, request, answer, status) {
  const type = (response.headers.get("content-type") ?? "").split(";")[0].trim();
  if (type === "text/event-stream" && response.body) return show_events(response, answer, status);
  const bytes = await response.blob();
  append(status, [` · ${size(bytes.size)}`]);
  if (bytes.size === 0) {
    answer.append(word("empty", "p", { class: "quiet" }));
    return;
  }
  const readable = type.startsWith("text/") || /[/+]json$/.test(type);
  const actions = el("div", { class: "actions" }, download(bytes, response, request));
  answer.append(actions);
  if (!readable) return;
  const text = await bytes.text();
  actions.prepend(copy_button(() => text));
  const { box, cut } = json_view.view(text);
  answer.append(box);
  if (cut) answer.append(word("cut", "p", { class: "quiet" }));
}

function download(bytes, response, request) {
  const named = /filename="?([^";]+)"?/.exec(response.headers.get("content-disposition") ?? "");
  const name = named?.[1] ?? new URL(request.url).pathname.split("/").pop() ?? "";
  // As bytes, whatever the server says they are: a page of somebody's making must not open here.
  const link = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  return el("a", { class: "button small", href: link, download: name || "response" },
    word("download"), " ", el("span", { class: "count" }, size(bytes.size)));
}

async function show_events(response, answer, status) {
  append(status, [" · "]);
  const state = status.appendChild(word("streaming"));
  const log = el("ol", { class: "events", tabindex: "0" });
  answer.append(log);
  await read_events(response.body, ({ name, data }) => {
    const end = log.scrollTop + log.clientHeight >= log.scrollHeight - 8;
    log.append(el("li", {}, el("code", { class: "name" }, name), " ",
      el("span", { class: "data" }, data)));
    if (log.children.length > kEventsMax) log.firstChild.remove();
    if (end) log.scrollTop = log.scrollHeight;
  });
  state.dataset.word = "ended";
  state.textContent = say("ended");
}

function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`;
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
