// A schema as people read it: a row a field, what is inside behind a fold.
import { append, el, prose } from "./dom.js";
import * as schemas from "./schema.js";
import { word } from "./words.js";

export function type_label(schema) {
  return el("code", { class: "type" }, schemas.label(schema));
}

/** "1 – 200", "≤ 64 characters", "pattern …", "default 50", "example 20" */
export function limits(schema, { with_values = true, about = null } = {}) {
  const own = schemas.resolve(schema);
  const out = [];
  const between = (low, high, unit) => {
    const [least, most] = [low, high].map((n) => n?.toLocaleString("en"));
    if (least === undefined && most === undefined) return;
    let text = `≥ ${least}`;
    if (least === undefined) text = `≤ ${most}`;
    else if (most !== undefined) text = least === most ? `${least}` : `${least} – ${most}`;
    out.push(el("span", { class: "limit" }, text, unit && [" ", word(unit)]));
  };
  between(own.minimum, own.maximum);
  between(own.minLength, own.maxLength, "characters");
  between(own.minItems, own.maxItems, "items");
  between(own.minProperties, own.maxProperties, "keys");
  if (own.format && !["int32", "int64", "double"].includes(own.format))
    out.push(el("span", { class: "limit" }, own.format));
  if (own.pattern && !own["x-atoll-duration"])
    out.push(el("span", { class: "limit" }, word("pattern"), " ", el("code", {}, own.pattern)));
  if (own["x-atoll-duration"])
    out.push(el("span", { class: "limit" }, "500ms · 30s · 5m · 2h"));
  if (Array.isArray(own.enum)) {
    out.push(el("span", { class: "limit choices" }, word("one_of"), " ",
      own.enum.map((value) => [el("code", {}, String(value)), " "])));
  }
  if (with_values) {
    if ("default" in own) out.push(value("default", own.default));
    if (Array.isArray(own.examples)) out.push(value("example", own.examples[0]));
  }
  if (out.length === 0) return null;
  return el("div", { class: "limits" }, about && word(about, "em"), out);
}

// What holds for each element of a list, each value and each key of a map.
function inner_limits(own) {
  const values = own.type === "array" ? own.items : own.additionalProperties;
  return [
    own.propertyNames && limits(own.propertyNames, { about: "each_key", with_values: false }),
    values instanceof Object && limits(values, { about: "each", with_values: false }),
  ];
}

function value(key, json) {
  return el("span", { class: "limit" }, word(key), " ", el("code", {}, JSON.stringify(json)));
}

export function field(name, schema, { required = false, badges = [] } = {}) {
  const own = schemas.resolve(schema);
  return el("div", { class: "field" },
    el("div", { class: "field-head" },
      el("code", { class: "name" }, name), " ", type_label(schema), " ",
      required && word("required", "span", { class: "badge required" }),
      own.deprecated && word("deprecated", "span", { class: "badge" }),
      badges),
    own.description && prose(own.description),
    limits(schema),
    inner_limits(own),
    fold(schema));
}

export function fields(own) {
  const required = new Set(own.required ?? []);
  return el("div", { class: "fields" },
    Object.entries(own.properties ?? {}).map(
      ([name, property]) => field(name, property, { required: required.has(name) })));
}

/** The fields inside, made when they are first looked at: a type may contain itself. */
export function fold(schema, open = false) {
  const own = schemas.inner(schema);
  if (own === null || Object.keys(own.properties).length === 0) return null;
  const box = el("details", { class: "fold" }, el("summary", {},
    word("fields"), " ", el("span", { class: "count" }, Object.keys(own.properties).length)));
  const fill = () => { if (box.children.length === 1) append(box, [fields(own)]); };
  box.addEventListener("toggle", fill);
  if (open) {
    fill();
    box.open = true;
  }
  return box;
}

/** A whole body: its type, what it is, its fields. */
export function whole(schema, { open = false } = {}) {
  const own = schemas.resolve(schema);
  return el("div", { class: "whole" },
    el("div", {}, type_label(schema)),
    own.description && prose(own.description),
    own.properties ? null : limits(schema),
    fold(schema, open));
}
