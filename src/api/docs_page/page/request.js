// From a filled-in form to a request, and to the same request as a command line.

/** {method, url, headers: [[name, value]], body, curl}; throws if the path leads elsewhere. */
export function build({ method, pattern, parameters, body, key }) {
  let path = pattern;
  const query = [];
  const headers = [];
  for (const { parameter, values } of parameters) {
    if (parameter.in === "path") {
      const encode = parameter["x-atoll-slashes"]
        ? (text) => text.split("/").map(encodeURIComponent).join("/")
        : encodeURIComponent;
      path = path.replace(`{${parameter.name}}`, () => encode(values[0] ?? ""));
    } else if (parameter.in === "query") {
      for (const value of values)
        query.push(`${encodeURIComponent(parameter.name)}=${encodeURIComponent(value)}`);
    } else if (values.length > 0) {
      headers.push([parameter.name, values[0]]);
    }
  }
  const url = new URL(path + (query.length > 0 ? "?" + query.join("&") : ""), location.origin);
  // The key goes to the server that this page came from and to nobody else.
  if (url.origin !== location.origin || !path.startsWith("/") || path.startsWith("//"))
    throw new Error("foreign");
  const request = { method: method.toUpperCase(), url: url.href, headers, body: undefined };
  if (body) {
    request.body = body.content;
    if (body.type !== "multipart/form-data") headers.push(["Content-Type", body.type]);
  }
  request.curl = curl(request, body, Boolean(key));
  if (key) headers.push(["Authorization", `Bearer ${key}`]);
  return request;
}

function quote(text) {
  return "'" + String(text).replaceAll("'", `'\\''`) + "'";
}

// The key itself stays out of it: command lines end up in histories and chats.
function curl(request, body, keyed) {
  const method = request.method === "GET" ? "" : `-X ${request.method} `;
  const lines = [`curl ${method}${quote(request.url)}`];
  if (keyed) lines.push(`-H "Authorization: Bearer $ATOLL_API_KEY"`);
  for (const [name, value] of request.headers) lines.push(`-H ${quote(`${name}: ${value}`)}`);
  if (body?.type === "multipart/form-data") {
    for (const [name, value] of body.content.entries()) {
      const text = value instanceof File ? `@${value.name}` : value;
      lines.push(`-F ${quote(`${name}=${text}`)}`);
    }
  } else if (body?.content instanceof File) {
    lines.push(`--data-binary ${quote("@" + body.content.name)}`);
  } else if (body) {
    lines.push(`--data-binary ${quote(body.content)}`);
  }
  return lines.join(" \\\n  ");
}

/** Calls on_event({name, data, id}) for each server-sent event until the stream ends. */
export async function read_events(stream, on_event) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let event = { name: "message", data: [], id: "" };
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    rest += value;
    // A lone CR at the end may be the first half of CRLF.
    const held = rest.endsWith("\r") ? "\r" : "";
    const lines = rest.slice(0, rest.length - held.length).split(/\r\n|\n|\r/);
    rest = lines.pop() + held;
    for (const line of lines) {
      if (line === "") {
        if (event.data.length > 0) on_event({ ...event, data: event.data.join("\n") });
        event = { name: "message", data: [], id: event.id };
        continue;
      }
      const colon = line.indexOf(":");
      const name = colon < 0 ? line : line.slice(0, colon);
      const text = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (name === "event") event.name = text;
      else if (name === "data") event.data.push(text);
      else if (name === "id") event.id = text;
    }
  }
}
