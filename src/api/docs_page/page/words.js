// The page's own words. What the document says stays as it was written.
import { el } from "./dom.js";

const kWords = {
  en: {
    skip: "Skip to the operations",
    search: "Search",
    key: "API key",
    key_hint: "kept until this tab is closed",
    language: "Language",
    contents: "Contents",
    loading: "Loading…",
    failed: "The document could not be loaded: ",
    nothing: "Nothing matches.",
    parameters: "Parameters",
    in_path: "path",
    in_query: "query",
    in_header: "header",
    body: "Body",
    responses: "Responses",
    events: "Events",
    headers: "Headers",
    required: "required",
    deprecated: "deprecated",
    open: "no key needed",
    slashes: "may contain slashes",
    default: "default",
    example: "example",
    one_of: "one of",
    any: "anything",
    no_content: "no content",
    any_status: "any other",
    fields: "fields",
    try: "Try it",
    send: "Send",
    stop: "Stop",
    reset: "Fill in the examples",
    content_type: "Content type",
    file: "File",
    one_per_line: "one per line",
    unset: "not set",
    copy: "Copy",
    copied: "Copied",
    curl: "Command line",
    response: "Response",
    sending: "Sending…",
    streaming: "Streaming…",
    ended: "The stream has ended.",
    stopped: "Stopped.",
    download: "Download",
    empty: "Empty body.",
    not_json: "This is not valid JSON: ",
    unreachable: "No answer: ",
    foreign: "This path leads to another server; it is not called from here.",
    websocket: "This is a WebSocket; a form cannot speak it.",
    cut: "… the rest is left out here.",
    pattern: "pattern",
    characters: "characters",
    items: "items",
    keys: "keys",
    each: "each",
    each_key: "each key",
    json: "OpenAPI document",
  },
  zh: {
    skip: "跳到接口列表",
    search: "搜索",
    key: "API 密钥",
    key_hint: "仅保留到关闭此标签页",
    language: "语言",
    contents: "目录",
    loading: "正在加载…",
    failed: "无法加载文档：",
    nothing: "没有匹配的接口。",
    parameters: "参数",
    in_path: "路径",
    in_query: "查询",
    in_header: "请求头",
    body: "请求体",
    responses: "响应",
    events: "事件",
    headers: "响应头",
    required: "必填",
    deprecated: "已弃用",
    open: "无需密钥",
    slashes: "可包含斜杠",
    default: "默认",
    example: "示例",
    one_of: "可选值",
    any: "任意值",
    no_content: "无内容",
    any_status: "其他状态",
    fields: "字段",
    try: "试一试",
    send: "发送",
    stop: "停止",
    reset: "填入示例",
    content_type: "内容类型",
    file: "文件",
    one_per_line: "每行一个",
    unset: "未设置",
    copy: "复制",
    copied: "已复制",
    curl: "命令行",
    response: "响应",
    sending: "正在发送…",
    streaming: "正在接收…",
    ended: "流已结束。",
    stopped: "已停止。",
    download: "下载",
    empty: "响应体为空。",
    not_json: "不是有效的 JSON：",
    unreachable: "没有响应：",
    foreign: "此路径指向另一台服务器，不会从这里调用。",
    websocket: "这是 WebSocket，无法用表单调用。",
    cut: "……其余部分未显示。",
    pattern: "格式",
    characters: "个字符",
    items: "项",
    keys: "个键",
    each: "每项",
    each_key: "每个键",
    json: "OpenAPI 文档",
  },
};
// The same as the web interface's: a choice there counts here.
const kStored = "atoll.language";
const kTheme = "atoll.theme";

let language = "en";

export function say(key) {
  return kWords[language][key] ?? key;
}

/** Text that changes with the language. Forms are not rebuilt, so nothing typed is lost. */
export function word(key, tag = "span", properties = {}) {
  return el(tag, { ...properties, "data-word": key }, say(key));
}

export function apply(root = document) {
  for (const e of root.querySelectorAll("[data-word]")) e.textContent = say(e.dataset.word);
  for (const e of root.querySelectorAll("[data-word-placeholder]"))
    e.placeholder = say(e.dataset.wordPlaceholder);
  for (const e of root.querySelectorAll("[data-word-label]"))
    e.setAttribute("aria-label", say(e.dataset.wordLabel));
}

export function use(next) {
  language = next in kWords ? next : "en";
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  for (const button of document.querySelectorAll("[data-language]"))
    button.setAttribute("aria-pressed", String(button.dataset.language === language));
  apply();
}

export function begin() {
  let stored = null;
  try {
    stored = localStorage.getItem(kStored);
    const theme = localStorage.getItem(kTheme);
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Storage may be closed; then the browser's language decides each time.
  }
  use(stored ?? (navigator.language.startsWith("zh") ? "zh" : "en"));
  for (const button of document.querySelectorAll("[data-language]")) {
    button.addEventListener("click", () => {
      use(button.dataset.language);
      try {
        localStorage.setItem(kStored, language);
      } catch {
        // As above.
      }
    });
  }
}
