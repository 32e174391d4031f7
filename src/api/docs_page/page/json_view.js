// JSON set out in lines and colours, from its text: a 64-bit number would not survive JSON.parse.
import { el } from "./dom.js";

const kColouredMax = 200_000;
const kShownMax = 2_000_000;
const kTokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

export function is_json(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** [class, text] pieces; class is null for what has no colour. */
function* pieces(text) {
  let depth = 0;
  let fresh = false; // just behind { or [
  const line = () => "\n" + "  ".repeat(depth);
  let previous = "";
  const tokens = text.match(kTokens) ?? [];
  for (let i = 0; i < tokens.length; ++i) {
    const token = tokens[i];
    if (token === "}" || token === "]") {
      depth -= 1;
      yield [null, (fresh ? "" : line()) + token];
      fresh = false;
    } else {
      if (fresh) yield [null, line()];
      fresh = false;
      if (token === "{" || token === "[") {
        depth += 1;
        fresh = true;
        yield [null, token];
      } else if (token === ",") {
        yield [null, "," + line()];
      } else if (token === ":") {
        yield [null, ": "];
      } else if (token.startsWith('"')) {
        yield [tokens[i + 1] === ":" && previous !== ":" ? "key" : "string", token];
      } else {
        yield [/^[-\d]/.test(token) ? "number" : "word", token];
      }
    }
    previous = token;
  }
}

export function pretty(text) {
  let out = "";
  for (const [, piece] of pieces(text)) out += piece;
  return out;
}

/** A <pre> with the text; JSON is set out. Returns what was left off as `cut`. */
export function view(text) {
  const box = el("pre", { class: "code", tabindex: "0" });
  const cut = text.length > kShownMax;
  const shown = cut ? text.slice(0, kShownMax) : text;
  if (!cut && is_json(shown)) {
    if (shown.length > kColouredMax) {
      box.textContent = pretty(shown);
    } else {
      for (const [kind, piece] of pieces(shown))
        box.append(kind ? el("span", { class: `json-${kind}` }, piece) : piece);
    }
  } else {
    box.textContent = shown;
  }
  return { box, cut };
}
