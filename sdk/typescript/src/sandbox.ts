// A session with a handle.
import { Client, type ClientOptions } from "./client.js";
import { Contexts, Ports } from "./contexts.js";
import { isApiError } from "./errors.js";
import { Files } from "./files.js";
import { decoded, part } from "./paths.js";
import { type Command, Processes } from "./processes.js";
import { run, runEvents } from "./running.js";
import type {
    CommandOptions,
    CommandResult,
    FileInfo,
    RunEvent,
    RunListener,
    RunOptions,
    RunResult,
    Session,
    SessionChange,
    SessionOptions,
    Token,
} from "./types.js";

export class Sandbox {
    readonly files: Files;
    readonly processes: Processes;
    readonly contexts: Contexts;
    readonly ports: Ports;

    private constructor(
        readonly client: Client,
        readonly id: string,
    ) {
        this.files = new Files(client.transport, id);
        this.processes = new Processes(client.transport, id);
        this.contexts = new Contexts(client.transport, id);
        this.ports = new Ports(client.transport, id);
    }

    /** A new sandbox. It stays until `delete()`. */
    static async create(
        options: SessionOptions = {},
        server: Client | ClientOptions = {},
    ): Promise<Sandbox> {
        const client = server instanceof Client ? server : new Client(server);
        return new Sandbox(client, (await client.sessions.create(options)).id);
    }

    /** One that is there, by its id or name. */
    static async connect(id: string, server: Client | ClientOptions = {}): Promise<Sandbox> {
        const client = server instanceof Client ? server : new Client(server);
        return new Sandbox(client, (await client.sessions.get(id)).id);
    }

    /**
     * The one of this id, without asking whether it is there. For pages that have a token: it opens
     * files or ports of its session, and nothing else.
     */
    static attach(id: string, server: Client | ClientOptions = {}): Sandbox {
        const client = server instanceof Client ? server : new Client(server);
        return new Sandbox(client, id);
    }

    /** The one of this name, made with these options if there is none. */
    static async open(
        name: string,
        options: SessionOptions = {},
        server: Client | ClientOptions = {},
    ): Promise<Sandbox> {
        const client = server instanceof Client ? server : new Client(server);
        try {
            return await Sandbox.connect(name, client);
        } catch (error) {
            if (!isApiError(error, "not_found")) throw error;
        }
        try {
            return await Sandbox.create({ ...options, name }, client);
        } catch (error) {
            if (!isApiError(error, "conflict")) throw error;
            return Sandbox.connect(name, client); // somebody else just made it
        }
    }

    /** Runs python (the default), javascript, typescript or shell; variables stay. */
    run(code: string, options: RunOptions & RunListener = {}): Promise<RunResult> {
        const { signal, onStdout, onStderr, onResult, onError, ...rest } = options;
        const listener = { onStdout, onStderr, onResult, onError } as RunListener;
        return run(this.client.transport, this.at("run"), { ...rest, code }, listener, signal);
    }

    /** The same as events. Leaving the loop early stops the code. */
    stream(code: string, options: RunOptions = {}): AsyncGenerator<RunEvent, void, undefined> {
        const { signal, ...rest } = options;
        return runEvents(this.client.transport, this.at("run"), { ...rest, code }, signal);
    }

    /** Runs a line of bash, or a program and its arguments, and waits for its end. */
    shell(command: Command, options: CommandOptions = {}): Promise<CommandResult> {
        return this.processes.run(command, options);
    }

    /** Files in /session/artifacts and /data/outputs. */
    async artifacts(): Promise<FileInfo[]> {
        const path = this.at("artifacts");
        const { artifacts } = await this.client.transport.json<{ artifacts: FileInfo[] }>(path);
        return artifacts.map((one) => ({ ...one, exact: one.path, path: decoded(one.path) }));
    }

    info(): Promise<Session> {
        return this.client.sessions.get(this.id);
    }

    pause(): Promise<Session> {
        return this.client.sessions.pause(this.id);
    }

    resume(): Promise<Session> {
        return this.client.sessions.resume(this.id);
    }

    evict(): Promise<Session> {
        return this.client.sessions.evict(this.id);
    }

    restart(): Promise<Session> {
        return this.client.sessions.restart(this.id);
    }

    update(change: SessionChange): Promise<Session> {
        return this.client.sessions.update(this.id, change);
    }

    /** Copies with the same files and Python variables. */
    async fork(options: { count?: number; name?: string } = {}): Promise<Sandbox[]> {
        const copies = await this.client.sessions.fork(this.id, options);
        return copies.map((one) => new Sandbox(this.client, one.id));
    }

    /** A short-lived token for this session, for browsers. */
    token(scopes: ("terminal" | "ports" | "files")[], seconds = 300): Promise<Token> {
        const json = { scopes, seconds };
        return this.client.transport.json(this.at("tokens"), { method: "POST", json });
    }

    /** Ends it and removes its files. */
    delete(): Promise<void> {
        return this.client.sessions.delete(this.id);
    }

    private at(what: string): string {
        return `/v1/sessions/${part(this.id)}/${what}`;
    }
}
