// Elements from plain values. Text only ever goes in as text: the document that is shown may have
// been written by somebody hostile, so nothing here understands markup.

/** el("a", {class: "x", href: "#y", onclick: f}, "text", child, [more]) */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  append(element, children);
  return element;
}

export function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

/** The little of Markdown that descriptions use: paragraphs, lists with "- ", `code`. */
export function prose(text, className = "prose") {
  const box = el("div", { class: className });
  let list = null;
  for (const line of String(text ?? "").split("\n")) {
    if (line.startsWith("- ")) {
      list ??= box.appendChild(el("ul"));
      append(list.appendChild(el("li")), inline(line.slice(2)));
    } else {
      list = null;
      if (line.trim() !== "") append(box.appendChild(el("p")), inline(line));
    }
  }
  return box;
}

function inline(line) {
  return line.split("`").map((part, i) => (i % 2 === 1 ? el("code", {}, part) : part));
}

/** Where the clipboard is closed (plain HTTP from another machine) the old way still works. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = el("textarea", { class: "offscreen", readonly: true });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
