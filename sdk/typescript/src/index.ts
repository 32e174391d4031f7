// Sandboxes for AI agents: the TypeScript client of Atoll.
export type { components, paths } from "./api.js";
export { Client, type ClientOptions, Jobs, Sessions } from "./client.js";
export { Contexts, Ports } from "./contexts.js";
export {
    ApiError,
    AtollError,
    ConnectionFailed,
    type ErrorCode,
    StreamEnded,
    isApiError,
} from "./errors.js";
export { Files } from "./files.js";
export type { SandboxPath } from "./paths.js";
export { type Command, Process, Processes } from "./processes.js";
export { Sandbox } from "./sandbox.js";
export type { Retry } from "./transport.js";
export * from "./types.js";
