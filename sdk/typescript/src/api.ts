// Written by `npm run types` from web/openapi.json.
export interface paths {
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the server lives */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the server takes work */
        get: operations["ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What this server is */
        get: operations["info"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What sessions can start from */
        get: operations["list_templates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What the server counts, for Prometheus */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List sessions, the newest first */
        get: operations["list_sessions"];
        put?: never;
        /**
         * Create a session
         * @description It is hot when this answers. An empty body is enough.
         */
        post: operations["create_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One session */
        get: operations["get_session"];
        put?: never;
        post?: never;
        /** End a session and remove its files */
        delete: operations["delete_session"];
        options?: never;
        head?: never;
        /** Change a session */
        patch: operations["patch_session"];
        trace?: never;
    };
    "/v1/sessions/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Freeze it; the next use thaws it */
        post: operations["pause_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Wake it */
        post: operations["resume_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/evict": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** To disk: files and variables are kept, the sandbox goes */
        post: operations["evict_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/fork": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Copy its files and Python variables into new sessions
         * @description They are cold until they are used. The session itself goes on.
         */
        post: operations["fork_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/restart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A fresh sandbox with the same files; variables are gone */
        post: operations["restart_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run code in a session
         * @description Variables of Python, and those of JavaScript and TypeScript, stay for the next run of the same context. A sleeping session is woken.
         */
        post: operations["run_in_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run code in a fresh sandbox, or in a session by its name
         * @description Nothing of it stays, unless `session_id` names a session. One that is not there is made; that takes a key whose scopes include sessions:write.
         */
        post: operations["run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/outputs/{run_id}/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what a run without a session left
         * @description What it wrote to /work/artifacts. It stays for a day.
         */
        get: operations["get_output"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/files/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a file, or list a folder
         * @description A file answers with its bytes, its type by its name; `Range`, `If-Range`, `If-None-Match` and `HEAD` work as usual. A folder answers with a page of what is in it, and the header `X-Atoll-Type: directory`. Links are followed inside the sandbox and lead nowhere else. Devices, pipes, sockets and files of the kernel are refused.
         */
        get: operations["read_file"];
        /**
         * Write a file
         * @description Whole or not at all: until all bytes are there the old file stays, and an upload that breaks off, is too large or finds the disk full (507) leaves nothing behind.
         */
        put: operations["write_file"];
        /**
         * Upload files to a folder
         * @description A form with any number of files. A file's name may have folders in it; they are made. Each file is stored whole or not at all; when one fails, those before it stay, and the problem names them in `stored`.
         */
        post: operations["upload_files"];
        /**
         * Remove a file or a folder
         * @description A link is removed, never what it leads to.
         */
        delete: operations["remove_file"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/folders/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Make a folder */
        put: operations["make_folder"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Move or rename a file or a folder */
        post: operations["move_file"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/artifacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What code left for its caller */
        get: operations["list_artifacts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/extract": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unpack an archive that is in the sandbox
         * @description Entries that would leave the folder, devices and their like are refused and named; bombs end at a quota (413).
         */
        post: operations["extract_archive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/unpack": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unpack an archive that is sent along
         * @description The body is a tar (plain, gzip, zstd, xz, bzip2), zip or 7z, unpacked while it comes. As with one in the sandbox, entries that would leave the folder, devices and their like are refused and named. What was unpacked before a failure stays.
         */
        post: operations["unpack_archive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/watch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Watch a folder
         * @description Events while files change, until the client leaves or the session ends. A session that is watched stays awake.
         */
        get: operations["watch_files"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/contexts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a session's contexts */
        get: operations["list_contexts"];
        put?: never;
        /**
         * Create a context
         * @description A run makes the context that it names as well.
         */
        post: operations["create_context"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/contexts/{context}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One context */
        get: operations["get_context"];
        put?: never;
        post?: never;
        /** End a context and its variables */
        delete: operations["delete_context"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/contexts/{context}/interrupt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Interrupt what runs in a context
         * @description As Ctrl-C would. The run's own answer says `killed`.
         */
        post: operations["interrupt_context"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/contexts/{context}/restart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A fresh kernel in its place; variables are gone */
        post: operations["restart_context"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/contexts/{context}/variables": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What stands in a context */
        get: operations["list_variables"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/processes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a session's processes, the newest first
         * @description Ended ones are remembered for 15 minutes, the latest 32 of them.
         */
        get: operations["list_processes"];
        put?: never;
        /**
         * Start a program
         * @description In the background, or with `wait` until it ends. A process ends with its sandbox: when its session is restarted, goes to disk or is removed. While the session is frozen it stands still. A running program keeps its session awake for a while (sessions.background_awake), with `keep_awake` until it ends.
         */
        post: operations["start_process"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/processes/{process}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One process */
        get: operations["get_process"];
        put?: never;
        post?: never;
        /** Kill a process and all that it started, and forget it */
        delete: operations["delete_process"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/processes/{process}/wait": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Wait until it has ended
         * @description Answers when it has, or with `state: running` when the time is over.
         */
        get: operations["wait_for_process"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/processes/{process}/stdin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Write to its input
         * @description The body as it is; what the program does not read yet slows the sender.
         */
        post: operations["write_to_process"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/processes/{process}/signal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send it a signal */
        post: operations["signal_process"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/processes/{process}/output": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Its output: what is kept, or live
         * @description The latest 256 KiB are kept. With `Accept: text/event-stream` it goes on as it comes; a client that comes back with `Last-Event-ID` misses nothing that is still kept, and an event `gap` says what is not.
         */
        get: operations["read_process_output"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/terminal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A shell on a terminal, over a WebSocket
         * @description Binary messages are the terminal's bytes, both ways. Text messages are JSON: `{"resize": {"rows": 40, "cols": 120}}` from the client (without a terminal: `{"end_input": true}`), and at the end `{"ended": {"exit_code": 0, "signal": 0, "reason": "exited"}}` from the server, which then closes with 1000, or 1001 when the sandbox went. A client that leaves ends the shell.
         */
        get: operations["open_terminal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/ports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What listens in the sandbox
         * @description A frozen session is woken; one on disk has none, and stays there.
         */
        get: operations["list_ports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/ports/{port}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** To the root of a web server in the sandbox */
        get: operations["enter_port"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/ports/{port}/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ask a web server in the sandbox; also WebSocket
         * @description The answer is the server's own, without cookies and in an origin of its own. At `{port}-{id}.localhost` (setting `ports.domain`) it is the root of its own origin, with cookies and storage. 502 when nothing listens there or it answers badly, 504 when it does not answer in time.
         */
        get: operations["get_port"];
        /**
         * Put to a web server in the sandbox
         * @description The answer is the server's own, without cookies and in an origin of its own. At `{port}-{id}.localhost` (setting `ports.domain`) it is the root of its own origin, with cookies and storage. 502 when nothing listens there or it answers badly, 504 when it does not answer in time.
         */
        put: operations["put_port"];
        /**
         * Post to a web server in the sandbox
         * @description The answer is the server's own, without cookies and in an origin of its own. At `{port}-{id}.localhost` (setting `ports.domain`) it is the root of its own origin, with cookies and storage. 502 when nothing listens there or it answers badly, 504 when it does not answer in time.
         */
        post: operations["post_port"];
        /**
         * Delete at a web server in the sandbox
         * @description The answer is the server's own, without cookies and in an origin of its own. At `{port}-{id}.localhost` (setting `ports.domain`) it is the root of its own origin, with cookies and storage. 502 when nothing listens there or it answers badly, 504 when it does not answer in time.
         */
        delete: operations["delete_port"];
        /**
         * Ask a web server in the sandbox for its options
         * @description The answer is the server's own, without cookies and in an origin of its own. At `{port}-{id}.localhost` (setting `ports.domain`) it is the root of its own origin, with cookies and storage. 502 when nothing listens there or it answers badly, 504 when it does not answer in time.
         */
        options: operations["options_port"];
        head?: never;
        /**
         * Patch at a web server in the sandbox
         * @description The answer is the server's own, without cookies and in an origin of its own. At `{port}-{id}.localhost` (setting `ports.domain`) it is the root of its own origin, with cookies and storage. 502 when nothing listens there or it answers badly, 504 when it does not answer in time.
         */
        patch: operations["patch_port"];
        trace?: never;
    };
    "/schedule": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Queue a job, the short way
         * @description It runs in a sandbox of its own. `gui` is answered with 501 while the server has no desktop.
         */
        post: operations["schedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/status/{job_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** How a job is, the short way */
        get: operations["status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List jobs, the newest first */
        get: operations["list_jobs"];
        put?: never;
        /**
         * Queue a job
         * @description When this answers the job is kept: it runs, also if the server is killed meanwhile. One in a session takes the scope `run` as well.
         */
        post: operations["create_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One job */
        get: operations["get_job"];
        put?: never;
        post?: never;
        /** Forget a job that has ended, with its log */
        delete: operations["delete_job"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel a job; one that runs is ended soon */
        post: operations["cancel_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{id}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A job's output
         * @description One page, or with `Accept: text/event-stream` all of it as it grows, until the job ends; a client that comes back with `Last-Event-ID` goes on where it was.
         */
        get: operations["read_job_log"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/upload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send files for threads
         * @description CSV, TSV, Excel, Parquet, JSON and others. All of them are stored, or none. An empty file, and one that is not what its name says, is refused.
         */
        post: operations["upload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All uploads, the latest first
         * @description With how many threads use each. What no thread uses is removed after some time (uploads.unused).
         */
        get: operations["list_uploads"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/uploads/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One upload */
        get: operations["get_upload"];
        put?: never;
        post?: never;
        /** Remove an upload that no thread uses */
        delete: operations["delete_upload"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/thread/new": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin a thread
         * @description With uploads, or without: then it gets a bundled transactions.csv.
         */
        post: operations["new_thread"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/thread/{id}/message": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask, and wait for the answer
         * @description One question at a time is answered in a thread; the next waits. It goes on when the client leaves, and is in the history then.
         */
        post: operations["send_message"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/thread/{id}/message/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Go on hearing a turn
         * @description With Last-Event-ID: what came after that event. Without: the whole turn.
         */
        get: operations["resume_stream"];
        put?: never;
        /** Ask, and hear the answer while it grows */
        post: operations["stream_message"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/thread/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** End the turn under way, and those that wait */
        post: operations["cancel_message"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/thread/{id}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Hot, warm or cold */
        get: operations["thread_status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/thread/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The conversation */
        get: operations["thread_history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/threads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All threads, the latest first */
        get: operations["threads"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** All threads, the latest first */
        get: operations["list_threads"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One thread */
        get: operations["get_thread"];
        put?: never;
        post?: never;
        /**
         * Remove a thread with its messages, its session and its files
         * @description A turn under way is cancelled. Uploads stay.
         */
        delete: operations["delete_thread"];
        options?: never;
        head?: never;
        /** Rename a thread, or choose its model */
        patch: operations["patch_thread"];
        trace?: never;
    };
    "/v1/threads/{id}/fork": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go on from an earlier answer in a thread of its own
         * @description Copies the conversation up to a turn, and the session with its files and variables as they are now. The thread itself goes on.
         */
        post: operations["fork_thread"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{id}/presence/{tab}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Say that a page shows the thread
         * @description Said again each minute while it does; a page that is silent for five is forgotten, and the session goes by its idle times. Clients that never say it notice nothing of it.
         */
        put: operations["enter_thread"];
        post?: never;
        /**
         * Say that a page does not show the thread any more
         * @description When no page shows it, and none comes for a while (threads.leave_grace), its session is stored on disk with files and variables, and a temporary thread is removed; if an answer or a program is at work there, once that has ended. A page that comes back, as after a reload, takes another name.
         */
        delete: operations["leave_thread"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The versions of a chat in which a question was asked anew
         * @description Each is a thread. They are named, renamed and shown as one chat.
         */
        get: operations["thread_versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The conversation as a text, or as a notebook that runs again */
        get: operations["export_thread"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{id}/files/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A file of the thread's sandbox: a chart, a result
         * @description Its type goes by its name, and nothing in it runs in a browser. `Range` and `If-None-Match` work as usual.
         */
        get: operations["thread_file"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{id}/context": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What would be sent to the model, and why */
        get: operations["thread_context"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ui": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The chat
         * @description The web interface. Its views have addresses below /ui/.
         */
        get: operations["ui"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What an agent can do here */
        get: operations["list_tools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/run_python": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * run_python
         * @description Run Python in the session's kernel. Variables, imports and functions stay for the next call. Answers with what was printed and the value of the last expression. pandas, numpy, matplotlib and seaborn are there. Files are in /data; save charts in /data/outputs.
         */
        post: operations["tool_run_python"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/execute_shell": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * execute_shell
         * @description Run a command with bash in the sandbox. There is no network.
         */
        post: operations["tool_execute_shell"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/execute_python_script": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * execute_python_script
         * @description Run a Python script as a program of its own, by its text or by its path. It does not see the kernel's variables.
         */
        post: operations["tool_execute_python_script"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/list_files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * list_files
         * @description List a folder of the sandbox.
         */
        post: operations["tool_list_files"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/read_file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * read_file
         * @description Read a file of the sandbox as text.
         */
        post: operations["tool_read_file"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/write_file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * write_file
         * @description Store a text as a file in the sandbox; folders are made.
         */
        post: operations["tool_write_file"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/delete_file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * delete_file
         * @description Remove a file of the sandbox, or a folder with all that is in it.
         */
        post: operations["tool_delete_file"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/make_directory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * make_directory
         * @description Make a folder in the sandbox, with those above it.
         */
        post: operations["tool_make_directory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tools/code_sandbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * code_sandbox
         * @description Run Python. Without a session: in a fresh sandbox that is gone afterwards; artifacts go to /work/artifacts. With one: variables and files below /session stay; artifacts go to /session/artifacts.
         */
        post: operations["tool_code_sandbox"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/mcp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the server says by itself
         * @description Nothing is said here; the stream ends with the session.
         */
        get: operations["mcp_stream"];
        put?: never;
        /**
         * One message of the Model Context Protocol
         * @description Streamable HTTP, revisions up to 2025-11-25 with a session that initialize begins, and 2026-07-28 without. A call of a tool is answered with events if Accept names text/event-stream; leaving cancels it. docs/mcp.md.
         */
        post: operations["mcp_message"];
        /**
         * End an MCP session
         * @description Its calls are cancelled. Sandboxes that it worked in stay.
         */
        delete: operations["end_mcp_session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/model-settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Which model answers, and who decided that */
        get: operations["get_model_settings"];
        put?: never;
        post?: never;
        /** Forget the model that was chosen, and its key */
        delete: operations["reset_model_settings"];
        options?: never;
        head?: never;
        /**
         * Choose the model that answers
         * @description From the next question on. What the server's own settings say (the environment, the file, the command line) cannot be changed: 409.
         */
        patch: operations["patch_model_settings"];
        trace?: never;
    };
    "/v1/models/available": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Models that questions can be asked of
         * @description What the API in force lists; 503 while it cannot be reached.
         */
        get: operations["list_available_models"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models/probe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Look for models on the server's machine
         * @description On loopback only, never at this server's own ports.
         */
        post: operations["probe_models"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/chat/completions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The next answer of a conversation, in the form of the OpenAI API
         * @description The agent answers, with a sandbox behind it that goes on from question to question. A client that leaves ends the answer. docs/openai.md.
         */
        post: operations["create_chat_completion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The models of /v1/chat/completions */
        get: operations["list_models"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/models/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One model */
        get: operations["get_model"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/links/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A file that an answer links to
         * @description The link is its own proof, for a bounded time: no key is needed.
         */
        get: operations["get_linked_file"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List API keys, the newest first */
        get: operations["list_keys"];
        put?: never;
        /**
         * Make an API key
         * @description The answer is the only place where the key itself is ever seen.
         */
        post: operations["create_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key, for ever
         * @description Tokens that it asked for end with it.
         */
        delete: operations["revoke_key"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a short-lived token for one session
         * @description So that a browser never holds a key.
         */
        post: operations["create_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a key for a short-lived token of a page
         * @description It has the key's own scopes and ends with it. The web interface keeps this, and never the key.
         */
        post: operations["create_page_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens/renew": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Renew a page's token, shown as the bearer
         * @description Until its `renewable_until`; then the key is needed again. The one before is good until its own end.
         */
        post: operations["renew_page_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who did what, the newest first */
        get: operations["list_audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description What becomes of a job that was running when the server ended.
         *     - `fail`: it has failed; its code does not run twice
         *     - `run_again`: it goes back to the queue
         * @enum {string}
         */
        AfterCrashName: "fail" | "run_again";
        /** @description What comes to the answer. */
        AnswerDelta: {
            /** @description assistant; in the first chunk. */
            role?: string;
            /** @description More of the answer. */
            content?: string;
            /** @description More of what the model thinks aloud. */
            reasoning_content?: string;
        };
        /** @description The answer. */
        AnswerMessage: {
            /** @description assistant */
            role: string;
            /** @description Markdown, with the code that ran, what it printed, and links to files. */
            content: string;
            /** @description What the model thought aloud. */
            reasoning_content?: string;
        };
        /** @description What code left in /session/artifacts and /data/outputs. */
        Artifacts: {
            /** @description Files, in the order of their paths. */
            artifacts: components["schemas"]["FileView"][];
            /** @description False: there are more than are shown. */
            complete: boolean;
        };
        /** @description The newest first. */
        AuditList: {
            /** @description This page. */
            records: components["schemas"]["AuditView"][];
            /** @description For the next page; left out at the end. */
            next_cursor?: string;
        };
        /** @description Who did what, and how it ended. */
        AuditView: {
            /**
             * Format: int64
             * @description Counts all records of this server.
             */
            sequence: number;
            /**
             * Format: date-time
             * @description When.
             */
            time: string;
            /** @description Who; empty: nobody known. */
            owner: string;
            /** @description With which key. */
            key_id: string;
            /** @description What, as session.create. */
            action: string;
            /** @description To what. */
            object: string;
            /** @description ok, or the error's code. */
            outcome: string;
            /** @description In which request. */
            request_id: string;
            /** @description From where, and why it was refused. */
            detail: Record<string, never>;
        };
        /** @description Models that questions can be asked of. */
        AvailableModels: {
            /**
             * @description The one that answers unless a question names another; empty: the built-in analyst.
             * @example qwen3:8b
             */
            model: string;
            /** @description What the API of the model lists, in its order. */
            models: string[];
            /** @description A question may name one of them. */
            questions_may_choose: boolean;
        };
        /** @description A tool that the model called. */
        CallNote: {
            /** @description The model's name for the call. */
            id: string;
            /** @description Which tool. */
            name: string;
            /** @description As the model wrote them: JSON, mostly. */
            arguments: string;
        };
        /** @description What became of the wish. */
        CancelAnswer: {
            /** @description The thread. */
            thread_id: string;
            /** @description Something was under way, and ends now. */
            cancelled: boolean;
        };
        /** @description Something changed. */
        ChangeView: {
            /** @description created, removed, moved_from, moved_to, written, modified or attributes. */
            what: string;
            /** @description As in the address of a file. */
            path: string;
            /** @description Whether it is a folder. */
            directory: boolean;
        };
        /** @description A file that the run changed. */
        ChangedFileView: {
            /**
             * @description Where, in the sandbox.
             * @example /session/table.csv
             */
            path: string;
            /** @description created, modified or removed. */
            change: string;
            /** @description file, symlink, … */
            type: string;
            /**
             * Format: int64
             * @description Bytes it has now.
             */
            size: number;
        };
        /** @description The answer to a conversation. */
        ChatCompletion: {
            /** @description Of this answer. */
            id: string;
            /** @description chat.completion */
            object: string;
            /**
             * Format: int64
             * @description Seconds since 1970.
             */
            created: number;
            /** @description As it was asked for. */
            model: string;
            /** @description One. */
            choices: components["schemas"]["CompletionChoice"][];
            /** @description Tokens. */
            usage: components["schemas"]["CompletionUsage"];
        };
        /** @description A conversation whose last message is to be answered. Other fields are ignored, or refused where ignoring them would show (docs/openai.md). */
        ChatCompletionBody: {
            /**
             * @description atoll, atoll-quiet (shows no code), or either with /name for one of the models behind it.
             * @example atoll
             */
            model: string;
            /**
             * @description All of it, the oldest first; the last is the user's.
             * @example [
             *       {
             *         "role": "user",
             *         "content": "What is 6 * 7?"
             *       }
             *     ]
             */
            messages: components["schemas"]["ChatCompletionMessage"][];
            /** @description Whether the answer comes in chunks. */
            stream?: boolean;
            /** @description include_usage: true for a last chunk with the usage. */
            stream_options?: Record<string, never>;
            /** @description Who asks, as the client calls them; keeps their conversations apart. */
            user?: string;
            /** @description thread_id: the thread that answers. chat_id: the client's own name for the conversation. */
            metadata?: Record<string, never>;
        };
        /** @description A piece of an answer. */
        ChatCompletionChunk: {
            /** @description Of the whole answer. */
            id: string;
            /** @description chat.completion.chunk */
            object: string;
            /**
             * Format: int64
             * @description Seconds since 1970.
             */
            created: number;
            /** @description As it was asked for. */
            model: string;
            /** @description One; none in the chunk with the usage. */
            choices: components["schemas"]["ChunkChoice"][];
            /** @description In the last chunk, if it was asked for. */
            usage?: components["schemas"]["CompletionUsage"];
        };
        /** @description One message of a conversation. */
        ChatCompletionMessage: {
            /** @description system, developer, user, assistant or tool. */
            role: string;
            /** @description Text, or a list of parts: text, image_url with a data: URL, file with file_data or with the file_id of an upload. */
            content: unknown;
        };
        /** @description The one choice. */
        ChunkChoice: {
            /**
             * Format: int64
             * @description 0
             */
            index: number;
            /** @description What is new. */
            delta: components["schemas"]["AnswerDelta"];
            /** @description null; in the last chunk stop, length or content_filter. */
            finish_reason: unknown;
        };
        /** @description How code ended. */
        CodeEnd: {
            /**
             * Format: int64
             * @description Which run of the turn; 0: not known.
             */
            run: number;
            /** @description python or shell. */
            language: string;
            /** @description With an error, or before it was done. */
            failed: boolean;
            /**
             * @description exited, signalled, timeout, memory, disk, output or killed; left out: its sandbox was lost.
             * @example exited
             */
            reason?: string;
            /**
             * Format: int32
             * @description 0 when all went well.
             */
            exit_code?: number;
            /**
             * Format: double
             * @description How long it ran, in milliseconds.
             */
            exec_ms: number;
        };
        /** @description What code printed while it runs. */
        CodeOutput: {
            /**
             * Format: int64
             * @description Which run.
             */
            run: number;
            /**
             * @description stdout or stderr.
             * @example stdout
             */
            stream: string;
            /** @description What is new. */
            text: string;
            /** @description It prints more than is sent while it runs: the rest comes with its end. */
            truncated: boolean;
        };
        /** @description Code that was run for an answer. */
        CodeRun: {
            /** @description What was run. */
            code: string;
            /** @description What it printed and answered, as the model saw it. */
            output: string;
            /**
             * Format: double
             * @description How long it ran, in milliseconds.
             */
            exec_ms: number;
        };
        /** @description Python, in a fresh sandbox or in a session's. */
        CodeSandboxArguments: {
            /**
             * @description Python.
             * @example 1 + 1
             */
            code: string;
            /**
             * @description Variables and /session stay from call to call: a session's id, or a name of your own, which makes one at its first use. Left out: a fresh sandbox, gone afterwards.
             * @example my-conversation-1
             */
            session_id?: string;
            /**
             * @description It is stopped after so long; 0 is the default.
             * @default 0s
             * @example 30s
             */
            timeout: string | number;
            /**
             * Format: int64
             * @description Memory of a sandbox or session that this makes.
             */
            memory_bytes_max?: number;
            /**
             * Format: double
             * @description Processors of a sandbox or session that this makes; 0 is all.
             */
            cpus_max?: number;
        };
        /** @description Code that begins to run. */
        CodeStart: {
            /**
             * Format: int64
             * @description Which run of the turn, from 1.
             */
            run: number;
            /**
             * @description What is run; very long code is cut in the middle.
             * @example df.head()
             */
            code: string;
            /**
             * @description python or shell.
             * @example python
             */
            language: string;
            /**
             * Format: double
             * @description When, in milliseconds since the question was taken.
             */
            at_ms: number;
        };
        /** @description The one choice. */
        CompletionChoice: {
            /**
             * Format: int64
             * @description 0
             */
            index: number;
            /** @description The answer. */
            message: components["schemas"]["AnswerMessage"];
            /** @description stop, length or content_filter. */
            finish_reason: string;
        };
        /** @description Of all requests to the language model that the answer took; zero where there is none. */
        CompletionUsage: {
            /**
             * Format: int64
             * @description What was sent.
             */
            prompt_tokens: number;
            /**
             * Format: int64
             * @description What it answered.
             */
            completion_tokens: number;
            /**
             * Format: int64
             * @description Both.
             */
            total_tokens: number;
        };
        /**
         * @description What a kernel runs.
         *     - `python`: Python
         *     - `javascript`: JavaScript and TypeScript
         * @enum {string}
         */
        ContextLanguage: "python" | "javascript";
        /** @description A session's contexts. */
        ContextList: {
            /** @description All of them, at most 64. */
            contexts: components["schemas"]["ContextView"][];
        };
        /** @description A message as the model gets it. */
        ContextMessageView: {
            /** @description system, user, assistant or tool. */
            role: string;
            /** @description Its text. */
            content: string;
            /** @description Tools it called. */
            tool_calls?: components["schemas"]["CallNote"][];
        };
        /** @description A stretch of what could be sent. */
        ContextPartView: {
            /** @description system, tools, summary, recalled, turn or question. */
            kind: string;
            /**
             * Format: int64
             * @description Its first message; 0: none.
             */
            first: number;
            /**
             * Format: int64
             * @description Its last message; 0: none.
             */
            last: number;
            /**
             * Format: int64
             * @description About.
             */
            tokens: number;
            /** @description Whether it is. */
            sent: boolean;
            /** @description Why, or why not. */
            why: string;
        };
        /** @description A context. */
        ContextView: {
            /** @description Its name. */
            name: string;
            /**
             * @description python or javascript.
             * @example python
             */
            language: string;
            /** @description The directory that it started in. */
            cwd: string;
            /**
             * @description idle or running.
             * @example idle
             */
            state: string;
            /**
             * Format: int64
             * @description How many runs it has seen.
             */
            runs: number;
        };
        /** @description A new context: a kernel of its own, with variables of its own. */
        CreateContext: {
            /**
             * @description What runs call it.
             * @example analysis
             */
            name: string;
            /**
             * @description What it runs.
             * @default python
             */
            language: components["schemas"]["ContextLanguage"];
            /**
             * @description The directory that it starts in.
             * @default /session
             */
            cwd: string;
        };
        /** @description A job. It runs in a sandbox of its own, or in a session. */
        CreateJob: {
            /**
             * @description What the code is written in.
             * @default python
             */
            kind: components["schemas"]["JobKindName"];
            /**
             * @description What to run.
             * @example print(6 * 7)
             */
            code: string;
            /**
             * @description One attempt is stopped after so long; 0 is the server's default.
             * @default 0s
             * @example 10m
             */
            timeout: string | number;
            /**
             * Format: int64
             * @description How often it is tried again when it fails, with growing pauses.
             * @default 0
             */
            retries: number;
            /**
             * Format: int32
             * @description Higher runs first among your own; of equal ones the oldest.
             * @default 0
             */
            priority: number;
            /**
             * @description What becomes of it if the server ends while it runs.
             * @default fail
             */
            after_crash: components["schemas"]["AfterCrashName"];
            /** @description The session it runs in; it is woken. */
            session?: string;
            /** @description Which of the session's kernels, for Python; else `default`. */
            context?: string;
            /** @description The template of its sandbox. */
            template?: string;
            /** @description What its sandbox may use. */
            limits?: components["schemas"]["LimitsBody"];
            /**
             * @description Variables.
             * @default {}
             */
            environment: {
                [key: string]: string;
            };
            /**
             * @description Your own; jobs can be found by it.
             * @default {}
             */
            metadata: {
                [key: string]: string;
            };
        };
        /** @description A new key. */
        CreateKey: {
            /**
             * @description What people call it.
             * @default
             * @example ci
             */
            name: string;
            /**
             * @description Whose sessions it makes and sees.
             * @default local
             * @example team-a
             */
            owner: string;
            /**
             * @description What it may do: sessions:read, sessions:write, run, files, jobs, threads, metrics, admin. None named: all but metrics and admin.
             * @default []
             * @example [
             *       "sessions:read",
             *       "run"
             *     ]
             */
            scopes: string[];
            /**
             * @description It ends after so long; left out: never.
             * @example 720h
             */
            lifetime?: string | number;
            /**
             * @description In the form that the E2B SDK takes: `e2b_` and hex digits.
             * @default false
             */
            e2b: boolean;
        };
        /** @description What a new session is made of. An empty object is enough. */
        CreateSession: {
            /**
             * @description What you call it: as good as its id in requests, and no two sessions of yours have the same.
             * @default
             * @example taxi data
             */
            name: string;
            /**
             * @description The template that it starts from.
             * @default default
             * @example default
             */
            template: string;
            /**
             * @description What builds its walls; /v1/info lists what there is.
             * @default native
             * @example native
             */
            runtime: string;
            /**
             * @description What it may reach; /v1/info lists what there is.
             * @default none
             * @example none
             */
            network: string;
            /**
             * @description Data sets of the server, which show read-only at /data/<name>; /v1/info lists them.
             * @default []
             */
            datasets: string[];
            /** @description What it may use. */
            limits?: components["schemas"]["LimitsBody"];
            /**
             * @description Variables that its programs and kernels see.
             * @default {}
             */
            environment: {
                [key: string]: string;
            };
            /**
             * @description Your own; sessions can be found by it.
             * @default {}
             */
            metadata: {
                [key: string]: string;
            };
            /**
             * @description Unused for so long it is frozen; 0 is never.
             * @example 60s
             */
            idle_to_warm?: string | number;
            /**
             * @description Unused for so long it goes to disk; 0 is never.
             * @example 10m
             */
            idle_to_cold?: string | number;
            /**
             * @description It is removed after so long, used or not.
             * @example 24h
             */
            lifetime?: string | number;
        };
        /** @description A token for one session. */
        CreateToken: {
            /**
             * @description What it opens.
             * @example [
             *       "terminal"
             *     ]
             */
            scopes: components["schemas"]["TokenFor"][];
            /**
             * Format: int64
             * @description How long it is good for.
             * @default 300
             */
            seconds: number;
        };
        /** @description What to remove. */
        DeleteFileArguments: {
            /**
             * @description Absolute, or below /session.
             * @example /session/notes.txt
             */
            path: string;
            /**
             * @description A folder with all that is in it.
             * @default false
             */
            recursive: boolean;
            /**
             * @description The session to work in: its id, or a name of your own, which makes one at its first use.
             * @example s-mfrggzdfmztwq2lkmfrggzdfmztwq2lk
             */
            session_id?: string;
        };
        /** @description The turn has ended, and all of it is stored. */
        DoneEvent: {
            /** @description Where the time went. */
            timings_ms: components["schemas"]["TurnTimings"];
            /** @description hot, warm or cold: the thread's sandbox now. */
            container_state: string;
            /** @description The thread. */
            thread_id: string;
            /**
             * Format: int64
             * @description Which of its turns.
             */
            turn: number;
            /** @description All tokens together. */
            answer: string;
            /** @description Images that code made. */
            images: components["schemas"]["ImageLink"][];
            /** @description What was asked of the model. */
            usage: components["schemas"]["TurnUsage"];
            /** @description Who answered. */
            model: string;
            /** @description Why it ended before the model was done: cancelled, time, steps, tokens, cost, length, filtered. */
            stopped?: string;
        };
        /** @description A run in a sandbox of its own, which is gone afterwards, or in a session. */
        EphemeralBody: {
            /**
             * @description What to run.
             * @example 1 + 1
             */
            code: string;
            /**
             * @description What it is written in.
             * @default python
             */
            language: components["schemas"]["RunLanguage"];
            /**
             * @description The session to run in: its id, or a name of your own. A session of that name is made at its first use, with the template, data sets and limits of that request; later requests do not change them. Left out: a sandbox that is gone afterwards.
             * @example my-conversation-1
             */
            session_id?: string;
            /**
             * @description It is stopped after so long; 0 is the default.
             * @default 0s
             * @example 30s
             */
            timeout: string | number;
            /**
             * @description The template that it starts from.
             * @default default
             */
            template: string;
            /**
             * @description What builds its walls.
             * @default native
             * @example native
             */
            runtime: string;
            /**
             * @description What it may reach.
             * @default none
             * @example none
             */
            network: string;
            /**
             * @description Data sets of the server, which show read-only at /data/<name>.
             * @default []
             */
            datasets: string[];
            /** @description What it may use. */
            limits?: components["schemas"]["LimitsBody"];
            /**
             * @description Variables.
             * @default {}
             */
            environment: {
                [key: string]: string;
            };
        };
        /** @description The turn has failed; the thread takes the next question. */
        ErrorEvent: {
            /** @description What went wrong, for people. */
            message: string;
        };
        /** @description A Python script, by its text or by its path. */
        ExecuteScriptArguments: {
            /**
             * @description The script itself.
             * @example print('hello')
             */
            script?: string;
            /** @description A script that is in the session. */
            path?: string;
            /**
             * @description It is stopped after so long; 0 is the session's own limit.
             * @default 0s
             * @example 30s
             */
            timeout: string | number;
            /**
             * @description The session to work in: its id, or a name of your own, which makes one at its first use.
             * @example s-mfrggzdfmztwq2lkmfrggzdfmztwq2lk
             */
            session_id?: string;
        };
        /** @description A command for bash. */
        ExecuteShellArguments: {
            /**
             * @description What bash runs.
             * @example ls -la /data
             */
            command: string;
            /**
             * @description Where it starts.
             * @default /session
             */
            working_directory: string;
            /**
             * @description It is stopped after so long; 0 is the session's own limit.
             * @default 0s
             * @example 30s
             */
            timeout: string | number;
            /**
             * @description The session to work in: its id, or a name of your own, which makes one at its first use.
             * @example s-mfrggzdfmztwq2lkmfrggzdfmztwq2lk
             */
            session_id?: string;
        };
        /**
         * @description What a thread is written as.
         *     - `markdown`: a text to read
         *     - `ipynb`: a notebook that runs again
         * @enum {string}
         */
        ExportFormat: "markdown" | "ipynb";
        /** @description An archive in the sandbox, and the folder to unpack it into. Paths as in a move. */
        ExtractBody: {
            /**
             * @description A tar (plain, gzip, zstd, xz, bzip2), zip or 7z.
             * @example /session/data.zip
             */
            archive: string;
            /**
             * @description A folder; it is made when it is not there.
             * @example /session/data
             */
            into: string;
            /**
             * Format: int64
             * @description Leave out so many leading parts of each name.
             * @default 0
             */
            strip: number;
            /**
             * @description Replace what is there; else it stays.
             * @default true
             */
            overwrite: boolean;
        };
        /** @description What was unpacked. */
        Extracted: {
            /**
             * Format: int64
             * @description How many entries.
             */
            entries: number;
            /**
             * Format: int64
             * @description Their bytes together.
             */
            bytes: number;
            /** @description Entries that were refused or kept; the first hundred. */
            skipped: components["schemas"]["SkippedView"][];
        };
        /** @description A failure, in OpenAI's form. */
        Failure: {
            /** @description What went wrong. */
            error: components["schemas"]["FailureText"];
        };
        /** @description What went wrong. */
        FailureText: {
            /** @description For people. */
            message: string;
            /** @description invalid_request_error, authentication_error, … */
            type: string;
            /** @description The field that is wrong, or null. */
            param: unknown;
            /** @description For programs, or null. */
            code: unknown;
        };
        /** @description A page of a folder, in the order of names. */
        FileList: {
            /** @description The folder, as in the address. */
            path: string;
            /** @description What is in it. */
            entries: components["schemas"]["FileView"][];
            /** @description `after` of the next page; left out at the end. */
            next_after?: string;
        };
        /** @description A file, a folder, or something else that has a name. */
        FileView: {
            /** @description Its name; bytes that are no UTF-8 are replaced. */
            name: string;
            /**
             * @description Its absolute path without the first slash, in percent: exact, whatever bytes it has, and what goes behind `files/`.
             * @example session/notes.txt
             */
            path: string;
            /** @description Where it is on this server. */
            href: string;
            /**
             * @description file, directory, symlink, fifo, socket or device.
             * @example file
             */
            type: string;
            /**
             * Format: int64
             * @description In bytes.
             */
            size: number;
            /**
             * @description Its rights, in octal.
             * @example 0644
             */
            mode: string;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            modified_at: string;
            /** @description Of a file: changes with its content. */
            etag?: string;
            /** @description Of a link: where it leads, as it stands there. */
            target?: string;
        };
        /** @description How a session is to be forked. */
        ForkSession: {
            /**
             * Format: int64
             * @description How many copies.
             * @default 1
             */
            count: number;
            /**
             * @description Of the copy, if there is one.
             * @default
             */
            name: string;
        };
        /** @description How a thread is to be forked. No body at all is enough. */
        ForkThread: {
            /**
             * Format: int64
             * @description The last question that the copy has, with its answer; 0: none; left out: the latest.
             * @example 3
             */
            turn?: number;
            /**
             * @description What people call the copy; else as the thread.
             * @default
             */
            title: string;
            /**
             * @description It is another version of this chat, in which a question is asked anew, and no chat of its own.
             * @default false
             */
            version: boolean;
        };
        /** @description How the server is. */
        Health: {
            /** @description ok, or degraded: it serves, and something is wrong. */
            status: string;
            /** @description ok, failing or read_only. */
            store: string;
            /** @description The same of where threads are kept: here, or in Redis. */
            threads: string;
            /** @description What is wrong and what to do. */
            sentence?: string;
        };
        /** @description A conversation. */
        HistoryAnswer: {
            /** @description The thread. */
            thread_id: string;
            /** @description From the first to the last, or of this page. */
            messages: components["schemas"]["HistoryMessage"][];
            /** @description For the next page; left out at the end. */
            next_cursor?: string;
        };
        /** @description A message of a thread. */
        HistoryMessage: {
            /** @description user, assistant or note (the server's own word: why a turn has no answer); with all=true also tool. */
            role: string;
            /** @description Its text. */
            content: string;
            /**
             * Format: int64
             * @description Which turn it belongs to.
             */
            turn: number;
            /**
             * Format: int64
             * @description Its place in the thread.
             */
            sequence: number;
            /**
             * Format: date-time
             * @description When.
             */
            at: string;
            /** @description What the model thought aloud before it. */
            reasoning?: string;
            /** @description Code that was run for it. */
            code_runs?: components["schemas"]["CodeRun"][];
            /** @description Images that the code made. */
            images?: components["schemas"]["ImageLink"][];
            /** @description Tables that the code answered with. */
            tables?: components["schemas"]["TableData"][];
            /** @description What else the code showed: charts as data, for example. */
            results?: components["schemas"]["TurnResult"][];
            /** @description Where the turn's time went. */
            timings_ms?: components["schemas"]["TurnTimings"];
            /** @description Who answered; of a question, the model that it named. */
            model?: string;
            /** @description Why the turn ended before the model was done. */
            stopped?: string;
            /** @description Tools that the model called with it. */
            tool_calls?: components["schemas"]["CallNote"][];
            /** @description Which tool this is the answer of. */
            tool?: string;
            /** @description How the code ended, if the tool ran some. */
            run?: components["schemas"]["CodeEnd"];
        };
        /** @description An image that code made. */
        ImageLink: {
            /**
             * @description Where, in the sandbox.
             * @example /data/outputs/chart.png
             */
            path: string;
            /**
             * @description What it is.
             * @example image/png
             */
            content_type: string;
            /**
             * Format: int64
             * @description Bytes.
             */
            size: number;
            /** @description Where to get it. */
            href: string;
        };
        /** @description An image that the run wrote. */
        ImageView: {
            /** @description Where, in the sandbox. */
            path: string;
            /**
             * @description What it is, by its name.
             * @example image/png
             */
            content_type: string;
            /**
             * Format: int64
             * @description Bytes.
             */
            size: number;
            /** @description Where to get it. */
            href: string;
        };
        /** @description What this server is. */
        Info: {
            /** @description Of Atoll. */
            version: string;
            /** @description What can build walls here. */
            runtimes: string[];
            /** @description What holds sandboxes on this host. */
            walls: string;
            /** @description What sandboxes may be asked to reach. */
            networks: string[];
            /** @description Names of data sets that sessions may ask for. */
            datasets: string[];
            /** @description Where a session's data shows, besides /data. */
            data_root: string;
            /**
             * Format: int64
             * @description Waiting in the pool.
             */
            sandboxes_ready: number;
            /**
             * Format: int64
             * @description Running now.
             */
            sessions_hot: number;
            /**
             * Format: int64
             * @description Frozen now.
             */
            sessions_warm: number;
            /**
             * @description Who answers questions in threads.
             * @example offline
             */
            model: string;
            /** @description The same for people. */
            model_note: string;
        };
        /** @description What there was to interrupt. */
        InterruptAnswer: {
            /** @description Something ran. Its own answer tells how it ended. */
            was_running: boolean;
        };
        /** @description How long to be patient. */
        InterruptContext: {
            /**
             * @description What has not stopped by then is ended with its kernel, and its variables are lost.
             * @default 2s
             * @example 2s
             */
            grace: string | number;
        };
        /** @description One thing that is wrong with a request. */
        Issue: {
            /**
             * @description Where in the request; empty when all of it is meant.
             * @example limits.memory_bytes_max
             */
            path: string;
            /**
             * @description What is wrong with it.
             * @example must be at least 33554432, not 5
             */
            message: string;
        };
        /**
         * @description What the code is written in.
         *     - `python`: Python
         *     - `shell`: by bash
         *     - `typescript`: by bun
         *     - `javascript`: by bun
         *     - `gui`: xdotool on a desktop, where the server has one
         * @enum {string}
         */
        JobKindName: "python" | "shell" | "typescript" | "javascript" | "gui";
        /** @description Jobs, the newest first. */
        JobList: {
            /** @description This page. */
            jobs: components["schemas"]["JobView"][];
            /** @description For the next page; left out at the end. */
            next_cursor?: string;
        };
        /** @description A job. */
        JobView: {
            /**
             * Format: uuid
             * @description Its id.
             */
            id: string;
            /** @description What it is written in. */
            kind: string;
            /**
             * @description queued, running, succeeded, failed or cancelled.
             * @example running
             */
            state: string;
            /** @description What runs; left out of lists. */
            code?: string;
            /**
             * Format: int32
             * @description Higher runs first.
             */
            priority: number;
            /**
             * Format: int64
             * @description How often it was begun.
             */
            attempts: number;
            /**
             * Format: int64
             * @description Attempts that the server cut off; these do not count.
             */
            interruptions: number;
            /**
             * Format: int64
             * @description How often it may be tried again.
             */
            retries: number;
            /** @description fail or run_again. */
            after_crash: string;
            /**
             * Format: double
             * @description Of one attempt; 0 is the server's default.
             */
            timeout_s: number;
            /** @description Where it runs; left out: in a sandbox of its own. */
            session?: string;
            /** @description Your own. */
            metadata: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @description When it was accepted.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description It is tried again then.
             */
            not_before?: string;
            /**
             * Format: date-time
             * @description When its last attempt began.
             */
            started_at?: string;
            /**
             * Format: date-time
             * @description When it ended.
             */
            ended_at?: string;
            /**
             * Format: int32
             * @description Of the attempt that ended it.
             */
            exit_code?: number;
            /** @description Why it did not succeed. */
            error?: string;
            /** @description Somebody asked for its end. */
            cancel_requested: boolean;
            /**
             * Format: int64
             * @description Output that is kept.
             */
            log_bytes: number;
            /** @description It printed more than is kept. */
            log_truncated: boolean;
        };
        /** @description The answer to a request: its result, or its error. */
        JsonRpcAnswer: {
            /** @description 2.0 */
            jsonrpc: string;
            /** @description The request's; null if it could not be read. */
            id: unknown;
            /** @description What the method answers with. */
            result?: Record<string, never>;
            /** @description Why there is no result. */
            error?: components["schemas"]["JsonRpcError"];
        };
        /** @description What went wrong. */
        JsonRpcError: {
            /**
             * Format: int32
             * @description -32602: a parameter is wrong, …
             */
            code: number;
            /** @description The same in words. */
            message: string;
            /** @description More about it. */
            data?: unknown;
        };
        /** @description A message of the Model Context Protocol. */
        JsonRpcRequest: {
            /**
             * @description 2.0
             * @example 2.0
             */
            jsonrpc: string;
            /** @description A string or an integer; a notification has none. */
            id?: unknown;
            /**
             * @description initialize, ping, tools/list, tools/call, resources/list, …
             * @example tools/list
             */
            method: string;
            /** @description What the method takes. */
            params?: Record<string, never>;
        };
        /** @description Keys, the newest first. */
        KeyList: {
            /** @description This page. */
            keys: components["schemas"]["KeyView"][];
            /** @description For the next page; left out at the end. */
            next_cursor?: string;
        };
        /** @description A key, without its secret. */
        KeyView: {
            /** @description The part of it that is no secret. */
            id: string;
            /** @description Whose sessions it makes and sees. */
            owner: string;
            /** @description What people call it. */
            name: string;
            /** @description What it may do. */
            scopes: string[];
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last used, to the minute.
             */
            last_used_at?: string;
            /**
             * Format: date-time
             * @description Its end.
             */
            expires_at?: string;
            /**
             * Format: date-time
             * @description Since when it is good for nothing.
             */
            revoked_at?: string;
            /** @description The key itself: said once, in the answer that makes it. */
            key?: string;
        };
        /** @description An artifact that was not copied to the host. */
        LeftOutFile: {
            /** @description Where, in the sandbox. */
            path: string;
            /** @description Why not. */
            reason: string;
        };
        /** @description An artifact that was not copied to the host. */
        LeftOutView: {
            /** @description Where, in the sandbox. */
            path: string;
            /** @description Why not. */
            reason: string;
        };
        /** @description What a sandbox may use. What is left out has the server's default; what is beyond the server's ceilings is refused with them. */
        LimitsBody: {
            /**
             * Format: int64
             * @description Memory of all its processes together.
             * @example 536870912
             */
            memory_bytes_max?: number;
            /**
             * Format: int64
             * @description Processes and threads at one time.
             */
            processes_max?: number;
            /**
             * Format: double
             * @description Processors; 0 is all of them.
             * @example 1.5
             */
            cpus_max?: number;
            /**
             * Format: int64
             * @description Size of one file.
             */
            file_bytes_max?: number;
            /**
             * Format: int64
             * @description Open files of one process.
             */
            open_files_max?: number;
            /**
             * Format: int64
             * @description Space for all files, `/tmp` included. A session has them on disk, and by default as much as `sessions.max_bytes`; a run without a session has them in memory, by default 1 GiB.
             */
            disk_bytes_max?: number;
            /**
             * Format: int64
             * @description Number of files, `/tmp` included.
             */
            disk_files_max?: number;
            /**
             * Format: int64
             * @description Output and results of one run.
             */
            output_bytes_max?: number;
        };
        /** @description What a sandbox may use. */
        LimitsView: {
            /**
             * Format: int64
             * @description Memory of all its processes together.
             */
            memory_bytes_max: number;
            /**
             * Format: int64
             * @description Processes and threads at one time.
             */
            processes_max: number;
            /**
             * Format: double
             * @description Processors; 0 is all of them.
             */
            cpus_max: number;
            /**
             * Format: int64
             * @description Size of one file.
             */
            file_bytes_max: number;
            /**
             * Format: int64
             * @description Open files of one process.
             */
            open_files_max: number;
            /**
             * Format: int64
             * @description Space for all files.
             */
            disk_bytes_max: number;
            /**
             * Format: int64
             * @description Number of files.
             */
            disk_files_max: number;
            /**
             * Format: int64
             * @description Output and results of one run.
             */
            output_bytes_max: number;
            /**
             * Format: int64
             * @description Time of one run; 0 is no limit.
             */
            run_ms_max: number;
        };
        /** @description Which folder to list. */
        ListFilesArguments: {
            /**
             * @description Absolute, or below /session.
             * @default /session
             * @example /data
             */
            path: string;
            /**
             * @description With all folders below.
             * @default false
             */
            recursive: boolean;
            /**
             * @description The session to work in: its id, or a name of your own, which makes one at its first use.
             * @example s-mfrggzdfmztwq2lkmfrggzdfmztwq2lk
             */
            session_id?: string;
        };
        /** @description A file in a listing. */
        ListedFile: {
            /** @description Relative to the folder. */
            name: string;
            /** @description file, directory, symlink, … */
            type: string;
            /**
             * Format: int64
             * @description Bytes.
             */
            size: number;
        };
        /** @description A port that a program in the sandbox listens on. */
        ListeningPort: {
            /**
             * Format: int32
             * @description Its number.
             * @example 8080
             */
            port: number;
            /**
             * @description Where a browser opens it: an origin of its own if the request came by a name that leads to one, else a path here.
             * @example http://8080-s-mfrggzdfmztwq2lkmfrggzdfmztwq2lk.localhost:8000/
             */
            href: string;
        };
        /** @description A program on the server's machine that has models. */
        LocalModelServer: {
            /**
             * @description Which one, by its port; empty: not known.
             * @example Ollama
             */
            name: string;
            /**
             * @description For base_url.
             * @example http://127.0.0.1:11434/v1
             */
            base_url: string;
            /** @description What it lists. */
            models: string[];
        };
        /** @description What was found. */
        LocalModelServers: {
            /** @description Those that answered. */
            servers: components["schemas"]["LocalModelServer"][];
        };
        /** @description A piece of a log. */
        LogChunkView: {
            /**
             * Format: int64
             * @description 0, 1, 2 … over all attempts; the event's id.
             */
            sequence: number;
            /** @description stdout, stderr, or mark: a word of the server's. */
            stream: string;
            /**
             * Format: date-time
             * @description When it was kept.
             */
            time: string;
            /** @description What was printed. */
            text: string;
        };
        /** @description A piece of a job's log. */
        LogPage: {
            /** @description About a megabyte of it. */
            chunks: components["schemas"]["LogChunkView"][];
            /**
             * Format: int64
             * @description Where to read on.
             */
            next: number;
            /** @description The job has ended and nothing follows. */
            complete: boolean;
        };
        /** @description What could not be kept while the session slept. */
        LostView: {
            /** @description Of which kernel; empty: of all. */
            context: string;
            /** @description The variable; empty: all of them. Of a program that ended with the sandbox: its command. */
            name: string;
            /** @description Its type; process: a program. */
            type: string;
            /** @description Why. */
            reason: string;
        };
        /** @description Which folder to make. */
        MakeDirectoryArguments: {
            /**
             * @description Absolute, or below /session.
             * @example /session/results
             */
            path: string;
            /**
             * @description The session to work in: its id, or a name of your own, which makes one at its first use.
             * @example s-mfrggzdfmztwq2lkmfrggzdfmztwq2lk
             */
            session_id?: string;
        };
        /** @description An answer, and what it rests on. */
        MessageAnswer: {
            /** @description The thread. */
            thread_id: string;
            /** @description In Markdown. */
            answer: string;
            /** @description Code that was run for it, in its order. */
            code_runs: components["schemas"]["CodeRun"][];
            /** @description Images that the code made. */
            images: components["schemas"]["ImageLink"][];
            /** @description Tables that the code answered with, as data. */
            tables: components["schemas"]["TableData"][];
            /** @description What else the code showed: charts as data, for example. */
            results: components["schemas"]["TurnResult"][];
            /** @description Where the time went. */
            timings_ms: components["schemas"]["TurnTimings"];
            /** @description hot, warm or cold: the thread's sandbox now. */
            container_state: string;
            /**
             * Format: int64
             * @description Which of the thread's turns.
             */
            turn: number;
            /** @description Who answered. */
            model: string;
            /** @description What was asked of it. */
            usage: components["schemas"]["TurnUsage"];
            /** @description Why it ended before the model was done. */
            stopped?: string;
        };
        /** @description A question. */
        MessageBody: {
            /**
             * @description What you want to know.
             * @example What were the total sales by region?
             */
            message: string;
            /** @description Your own name for it: sent twice, it is answered once. */
            message_id?: string;
            /** @description Which model answers this one, of those at /v1/models/available; left out: the thread's. */
            model?: string;
        };
        /** @description All models. */
        ModelList: {
            /** @description list */
            object: string;
            /** @description Each of them. */
            data: components["schemas"]["ModelView"][];
        };
        /** @description Which model answers, and who decided that. The key is never shown. */
        ModelSettingsView: {
            /**
             * @description openai: a model behind an OpenAI-compatible API; offline: none, the built-in analyst answers.
             * @example openai
             */
            provider: string;
            /**
             * @description Where its API is; empty: there is none.
             * @example http://127.0.0.1:11434/v1
             */
            base_url: string;
            /**
             * @description The model that answers; empty: there is none.
             * @example qwen3:8b
             */
            model: string;
            /** @description A key is sent to it. */
            has_key: boolean;
            /**
             * @description Where the server's own settings have the address and the key from, which cannot be changed here then; empty: nowhere.
             * @example environment: OPENAI_BASE_URL
             */
            address_from: string;
            /** @description The same of the model. */
            model_from: string;
            /** @description A question may name another model of this API. */
            questions_may_choose: boolean;
        };
        /** @description A model that questions can be asked of. */
        ModelView: {
            /** @description Its name. */
            id: string;
            /** @description model */
            object: string;
            /**
             * Format: int64
             * @description When this server began to offer it, in seconds since 1970.
             */
            created: number;
            /** @description atoll */
            owned_by: string;
        };
        /** @description What to move, and where to. A path that starts with a slash is taken as it is; one that does not is in percent, like `path` in a listing. */
        MoveBody: {
            /**
             * @description The file, folder or link.
             * @example /session/draft.txt
             */
            from: string;
            /**
             * @description Its new path.
             * @example /session/final.txt
             */
            to: string;
            /**
             * @description Make the folders above the new path.
             * @default false
             */
            parents: boolean;
            /**
             * @description Replace what is there.
             * @default false
             */
            overwrite: boolean;
        };
        /** @description What a new thread is about. No body at all is enough. */
        NewThreadBody: {
            /**
             * @description Uploads that it gets in /data; none: a bundled transactions.csv.
             * @default []
             */
            file_ids: string[];
            /**
             * @description What people call it; else its first question.
             * @default
             */
            title: string;
            /**
             * @description Which model answers in it, of those at /v1/models/available; left out: the server's.
             * @default
             */
            model: string;
            /**
             * @description It is removed with its session and the uploads that it alone has, a moment after the last page that shows it was left (/v1/threads/{id}/presence), or when nobody used it for long (threads.temporary_unused).
             * @default false
             */
            temporary: boolean;
        };
        /** @description Output that is still kept. */
        OutputAnswer: {
            /**
             * Format: int64
             * @description Where it begins.
             */
            begin: number;
            /**
             * Format: int64
             * @description Where it ends: the next `after`.
             */
            end: number;
            /**
             * Format: int64
             * @description Between what was asked for and what is still kept.
             */
            lost_bytes: number;
            /** @description What was printed. */
            stdout: string;
            /** @description What was printed as errors. */
            stderr: string;
            /** @description running or ended. */
            state: string;
        };
        /** @description Output that is no longer kept: it was not read in time. */
        OutputGap: {
            /**
             * Format: int64
             * @description The first byte that is missing.
             */
            begin: number;
            /**
             * Format: int64
             * @description The first that is there again.
             */
            end: number;
        };
        /** @description A piece of output. The event's id is the offset behind it. */
        OutputText: {
            /**
             * Format: int64
             * @description Where it begins, counted over both streams.
             */
            offset: number;
            /** @description The text. */
            text: string;
        };
        /** @description What a page holds in place of a key: a bearer with the key's own scopes. */
        PageTokenView: {
            /** @description The token. */
            token: string;
            /** @description The key's owner. */
            owner: string;
            /** @description The key, with which it ends. */
            key_id: string;
            /** @description What it may do: all that the key may. */
            scopes: string[];
            /**
             * Format: date-time
             * @description Its end.
             */
            expires_at: string;
            /**
             * Format: int64
             * @description From now until then.
             */
            seconds: number;
            /**
             * Format: date-time
             * @description It can be renewed until then; after that the key is needed again.
             */
            renewable_until: string;
        };
        /** @description What is to change; what is left out stays. */
        PatchModelSettings: {
            /**
             * @description Where the API is. Another address drops the key and the model of the one before; empty: none, the built-in analyst answers.
             * @example http://127.0.0.1:11434/v1
             */
            base_url?: string;
            /** @description For that address; kept by the server, never shown. Empty: none. */
            key?: string;
            /**
             * @description Which of its models answers.
             * @example qwen3:8b
             */
            model?: string;
            /** @description Whether a question may name another one. */
            questions_may_choose?: boolean;
        };
        /** @description What is to change; the rest stays. */
        PatchSession: {
            /** @description What you call it; no two sessions of yours have the same. */
            name?: string;
            /** @description Replaces all of it. */
            metadata?: {
                [key: string]: string;
            };
            /** @description Unused for so long it is frozen; 0 is never. */
            idle_to_warm?: string | number;
            /** @description Unused for so long it goes to disk; 0 is never. */
            idle_to_cold?: string | number;
            /** @description It is removed so long from now on. */
            lifetime?: string | number;
        };
        /** @description What is to change; the rest stays. */
        PatchThread: {
            /**
             * @description What people call it.
             * @example Sales 2024
             */
            title?: string;
            /** @description Which model answers in it, of those at /v1/models/available; empty: the server's. */
            model?: string;
        };
        /** @description What listens in a session. */
        PortList: {
            /** @description By their numbers. */
            ports: components["schemas"]["ListeningPort"][];
        };
        /** @description Where to look. */
        ProbeModels: {
            /**
             * @description An address on loopback; left out: the usual ports of Ollama, LM Studio, llama.cpp and vLLM.
             * @example http://127.0.0.1:11434/v1
             */
            base_url?: string;
        };
        /** @description Why a request failed (RFC 9457). */
        Problem: {
            /**
             * Format: uri-reference
             * @description A page about this kind of problem, or about:blank.
             * @example about:blank
             */
            type: string;
            /**
             * @description The status in words.
             * @example Bad Request
             */
            title: string;
            /**
             * Format: int32
             * @description The HTTP status once more.
             * @example 400
             */
            status: number;
            /**
             * @description What a program can do about it.
             * @example invalid_argument
             */
            code: string;
            /**
             * @description What happened, from intent down to cause.
             * @example limits.memory_bytes_max: must be at least 33554432, not 5
             */
            detail: string;
            /**
             * @description Name this one when asking for help.
             * @example req_01hzy
             */
            request_id?: string;
            /** @description Every finding, for a request that was not valid. */
            errors?: components["schemas"]["Issue"][];
        };
        /** @description Processes, the newest first. */
        ProcessList: {
            /** @description Running ones, and those that ended lately. */
            processes: components["schemas"]["ProcessView"][];
        };
        /** @description A process that was waited for. */
        ProcessResult: {
            /** @description Its id. */
            id: string;
            /** @description What it printed. */
            stdout: string;
            /** @description What it printed as errors. */
            stderr: string;
            /** @description It printed more than 8 MiB: the rest is left out. */
            output_truncated: boolean;
            /**
             * Format: int32
             * @description 0 when all went well.
             */
            exit_code: number;
            /**
             * Format: int32
             * @description What ended it, or 0.
             */
            signal: number;
            /** @description exited, signalled, timeout, memory, killed or sandbox. */
            reason: string;
            /** @description More about its end. */
            note?: string;
            /**
             * Format: double
             * @description How long it ran.
             */
            run_ms: number;
        };
        /** @description A process of a session. */
        ProcessView: {
            /** @description Its id, for as long as it is remembered. */
            id: string;
            /** @description The program and its arguments. */
            argv: string[];
            /** @description The directory that it started in. */
            cwd: string;
            /**
             * @description running, frozen (its session is) or ended.
             * @example running
             */
            state: string;
            /**
             * Format: int64
             * @description Its number inside the sandbox.
             */
            pid: number;
            /** @description It takes input. */
            stdin_open: boolean;
            /** @description While it runs its session does not fall asleep. */
            keep_awake: boolean;
            /**
             * Format: date-time
             * @description When it was started.
             */
            started_at: string;
            /**
             * Format: date-time
             * @description When it ended.
             */
            ended_at?: string;
            /**
             * Format: int32
             * @description Of one that has ended.
             */
            exit_code?: number;
            /**
             * Format: int32
             * @description What ended it, or 0.
             */
            signal?: number;
            /**
             * @description exited, signalled, timeout, memory, killed (by a request) or sandbox: it ended with its sandbox.
             * @example exited
             */
            reason?: string;
            /** @description More about its end. */
            note?: string;
            /**
             * Format: int64
             * @description Where the output that is still kept begins.
             */
            output_begin: number;
            /**
             * Format: int64
             * @description How many bytes it has written.
             */
            output_end: number;
        };
        /** @description Which file to read. */
        ReadFileArguments: {
            /**
             * @description Absolute, or below /session.
             * @example /data/outputs/report.txt
             */
            path: string;
            /**
             * Format: int64
             * @description From this byte on.
             * @default 0
             */
            offset: number;
            /**
             * Format: int64
             * @description So many bytes at most.
             * @default 100000
             */
            length: number;
            /**
             * @description The session to work in: its id, or a name of your own, which makes one at its first use.
             * @example s-mfrggzdfmztwq2lkmfrggzdfmztwq2lk
             */
            session_id?: string;
        };
        /** @description How a run went. */
        RunAnswer: {
            /** @description What it printed. */
            stdout: string;
            /** @description What it printed as errors, and the traceback of the exception that ended it. A stream of events has that in `error` alone. */
            stderr: string;
            /** @description Results and displays, as MIME bundles: {event, data, metadata}. */
            results: Record<string, never>[];
            /** @description The exception that ended it: name, value, traceback. */
            error?: Record<string, never>;
            /**
             * Format: int32
             * @description 0 when all went well.
             */
            exit_code: number;
            /**
             * Format: int32
             * @description What ended it, or 0.
             */
            signal: number;
            /** @description exited, signalled, timeout, memory, disk, output or killed. */
            reason: string;
            /** @description Why it ended, in words, unless it ended by itself. */
            message?: string;
            /** @description It printed more than it may. */
            output_truncated: boolean;
            /** @description The kernel had to be replaced, or did not come back: variables are gone. */
            state_lost: boolean;
            /**
             * Format: int64
             * @description The cell's number, of Python.
             */
            execution_count: number;
            /** @description Where the time went. */
            timings_ms: components["schemas"]["RunTimings"];
            /**
             * Format: int64
             * @description The sandbox's peak; 0 when the host cannot tell.
             */
            memory_peak_bytes: number;
            /** @description What it changed below /session, /data and /work. */
            files: components["schemas"]["ChangedFileView"][];
            /** @description False when more changed than could be told. */
            files_complete: boolean;
            /** @description Images among them, in /session/artifacts, /data/outputs and /work/artifacts. */
            images: components["schemas"]["ImageView"][];
            /** @description What it left in /session/artifacts (without a session: in /work/artifacts), and where the copy lies on the host. */
            artifact_map: {
                [key: string]: string;
            };
            /** @description What was not copied, and why. */
            artifacts_left_out: components["schemas"]["LeftOutView"][];
            /** @description What did not come back when the session was restored for this run. */
            lost: components["schemas"]["LostView"][];
            /** @description The id of the session it ran in. */
            session_id?: string;
            /** @description Of a run without a session: what it left is at /v1/outputs/{run_id}/. */
            run_id?: string;
            /** @description What was run, when the server is set to say so. */
            code?: string;
        };
        /** @description A run in a session. */
        RunBody: {
            /**
             * @description What to run.
             * @example 1 + 1
             */
            code: string;
            /**
             * @description What it is written in.
             * @default python
             */
            language: components["schemas"]["RunLanguage"];
            /**
             * @description Which of the session's kernels; it is made when it is not there. `default` is Python's; for JavaScript and TypeScript it stands for the kernel `javascript`.
             * @default default
             */
            context: string;
            /**
             * @description It is stopped after so long; 0 is the session's own limit.
             * @default 0s
             * @example 30s
             */
            timeout: string | number;
            /**
             * @description Variables, for this run alone.
             * @default {}
             */
            environment: {
                [key: string]: string;
            };
            /**
             * @description It goes on when the client leaves; else it is stopped then.
             * @default false
             */
            keep_running: boolean;
        };
        /**
         * @description What the code is written in.
         *     - `python`: in a kernel that keeps its variables
         *     - `shell`: by bash
         *     - `javascript`: by bun; in a session, in a kernel
         *     - `typescript`: the same; types are stripped, not checked
         * @enum {string}
         */
        RunLanguage: "python" | "shell" | "javascript" | "typescript";
        /** @description Python for the session's kernel. */
        RunPythonArguments: {
            /**
             * @description Python. The value of the last expression is shown.
             * @example df.head()
             */
            code: string;
            /**
             * @description It is stopped after so long; 0 is the session's own limit.
             * @default 0s
             * @example 30s
             */
            timeout: string | number;
            /**
             * @description The session to work in: its id, or a name of your own, which makes one at its first use.
             * @example s-mfrggzdfmztwq2lkmfrggzdfmztwq2lk
             */
            session_id?: string;
        };
        /** @description Milliseconds. */
        RunTimings: {
            /**
             * Format: double
             * @description Until the sandbox was there, or awake.
             */
            sandbox: number;
            /**
             * Format: double
             * @description The run itself.
             */
            run: number;
            /**
             * Format: double
             * @description All of it.
             */
            total: number;
        };
        /** @description The job waits. */
        ScheduleAnswer: {
            /**
             * Format: uuid
             * @description Its id.
             */
            job_id: string;
        };
        /** @description A job. */
        ScheduleBody: {
            /**
             * @description What the code is written in.
             * @example python
             */
            kind: components["schemas"]["JobKindName"];
            /**
             * @description What to run.
             * @example print(6 * 7)
             */
            code: string;
        };
        /** @description A signal for a process and its group. */
        SendSignal: {
            /**
             * @description Which.
             * @default term
             */
            signal: components["schemas"]["SignalName"];
        };
        /** @description Sessions, the newest first. */
        SessionList: {
            /** @description This page. */
            sessions: components["schemas"]["SessionView"][];
            /** @description For the next page; left out at the end. */
            next_cursor?: string;
        };
        /** @description A session. */
        SessionView: {
            /** @description Its id. */
            id: string;
            /**
             * @description starting, hot, warm, cold, failed or deleting.
             * @example hot
             */
            state: string;
            /** @description What you call it; empty: it has no name. */
            name: string;
            /** @description The template it starts from. */
            template: string;
            /** @description What builds its walls. */
            runtime: string;
            /** @description What it may reach. */
            network: string;
            /** @description Data sets that show at /data/<name>. */
            datasets: string[];
            /** @description Your own. */
            metadata: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last used, or changed its state.
             */
            last_used_at: string;
            /**
             * Format: date-time
             * @description Its hard end.
             */
            expires_at?: string;
            /**
             * Format: int64
             * @description Unused for so long it is frozen; 0 is never.
             */
            idle_to_warm_s: number;
            /**
             * Format: int64
             * @description Unused for so long it goes to disk; 0 is never.
             */
            idle_to_cold_s: number;
            /** @description What was lost at the last restore, or why it failed. */
            state_note?: string;
            /** @description What it may use. */
            limits?: components["schemas"]["LimitsView"];
            /** @description What its sandbox uses, while it has one. */
            usage?: components["schemas"]["UsageView"];
        };
        /**
         * @description A signal.
         *     - `hup`: its terminal is gone; read settings anew
         *     - `int`: Ctrl-C
         *     - `quit`: Ctrl-\
         *     - `usr1`: the program's own
         *     - `usr2`: the program's own
         *     - `pipe`: nobody reads
         *     - `alrm`: time is up
         *     - `term`: please end
         *     - `kill`: end at once
         *     - `cont`: go on
         *     - `stop`: stand still
         *     - `tstp`: Ctrl-Z
         *     - `winch`: the window's size has changed
         * @enum {string}
         */
        SignalName: "hup" | "int" | "quit" | "usr1" | "usr2" | "pipe" | "alrm" | "term" | "kill" | "cont" | "stop" | "tstp" | "winch";
        /** @description An entry that was not unpacked. */
        SkippedView: {
            /** @description As the archive has it. */
            name: string;
            /** @description Why not. */
            why: string;
        };
        /** @description A program to start: `argv`, or `command` for the shell. */
        StartProcess: {
            /**
             * @description The program and its arguments.
             * @default []
             * @example [
             *       "python3",
             *       "-m",
             *       "http.server",
             *       "8080"
             *     ]
             */
            argv: string[];
            /** @description A line for bash, in place of `argv`. */
            command?: string;
            /**
             * @description The directory that it starts in.
             * @default /session
             */
            cwd: string;
            /**
             * @description Variables, besides the session's.
             * @default {}
             */
            environment: {
                [key: string]: string;
            };
            /** @description What it reads first. */
            input?: string;
            /**
             * @description Its input stays open for more, until it is ended.
             * @default false
             */
            stdin_open: boolean;
            /**
             * @description It is killed after so long; 0 is never, and with `wait` 5 minutes.
             * @default 0s
             * @example 30s
             */
            timeout: string | number;
            /**
             * @description Answer when it has ended. A client that leaves ends it.
             * @default false
             */
            wait: boolean;
            /**
             * @description While it runs the session does not fall asleep.
             * @default false
             */
            keep_awake: boolean;
        };
        /** @description How a job is. */
        StatusAnswer: {
            /** @description queued, running, succeeded or failed. */
            state: string;
            /** @description What it printed so far. */
            stdout: string;
            /** @description What it printed as errors so far, and why it was ended if its own words do not tell. */
            stderr: string;
        };
        /** @description A table that code answered with, as data. */
        TableData: {
            /** @description Names of the columns; the index comes first. */
            columns: string[];
            /** @description The first rows, each a list with one value a column. */
            rows: unknown[];
            /**
             * Format: int64
             * @description How many rows there are.
             */
            total_rows: number;
            /** @description There are more rows, or columns, than these. */
            truncated: boolean;
        };
        /** @description Templates of this server. */
        TemplateList: {
            /** @description By their names. */
            templates: components["schemas"]["TemplateView"][];
        };
        /** @description What sandboxes start from. */
        TemplateView: {
            /**
             * @description Its name.
             * @example default
             */
            name: string;
            /** @description What its maker says of it. */
            description: string;
            /** @description Whether sessions can start from it. */
            ready: boolean;
            /**
             * Format: int64
             * @description On disk.
             */
            bytes: number;
            /** @description Why it cannot be used; empty: it can. */
            problem: string;
        };
        /** @description A piece of text. */
        TextEvent: {
            /** @description What is new. */
            text: string;
        };
        /** @description What would be sent to the model, and why. */
        ThreadContextView: {
            /** @description The thread. */
            thread_id: string;
            /**
             * Format: int64
             * @description Of all of it, about.
             */
            tokens: number;
            /**
             * Format: int64
             * @description The budget.
             */
            tokens_max: number;
            /** @description What it is made of, in its order. */
            parts: components["schemas"]["ContextPartView"][];
            /** @description As the model gets them. */
            messages: components["schemas"]["ContextMessageView"][];
        };
        /** @description A file of a thread. */
        ThreadFile: {
            /**
             * @description In its sandbox.
             * @example /data/transactions.csv
             */
            path: string;
            /**
             * Format: int64
             * @description Bytes.
             */
            size: number;
        };
        /** @description Threads, the latest first. */
        ThreadList: {
            /** @description This page. */
            threads: components["schemas"]["ThreadView"][];
            /** @description For the next page; left out at the end. */
            next_cursor?: string;
        };
        /** @description How a thread's sandbox is. */
        ThreadStatus: {
            /** @description The thread. */
            thread_id: string;
            /**
             * @description hot: running; warm: paused; cold: on disk.
             * @example hot
             */
            state: string;
            /** @description A question is being answered. */
            busy: boolean;
        };
        /** @description A thread. */
        ThreadView: {
            /** @description Its id. */
            thread_id: string;
            /** @description Its first question, until it is renamed. */
            title: string;
            /** @description Which model answers in it; empty: the server's. */
            model: string;
            /**
             * @description hot, warm or cold: its sandbox.
             * @example cold
             */
            state: string;
            /** @description Its sandbox's session; files are to be had there. */
            session_id: string;
            /** @description Uploads that it was made with. */
            file_ids: string[];
            /** @description What it got in /data, when it was made. */
            files?: components["schemas"]["ThreadFile"][];
            /**
             * Format: int64
             * @description Questions so far.
             */
            turns: number;
            /** @description It is removed when everybody has left it. */
            temporary: boolean;
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last spoken in.
             */
            updated_at: string;
            /** @description Of a version of another thread: the first one of them. They are one chat. */
            family?: string;
        };
        /**
         * @description What a token opens.
         *     - `terminal`: terminals of the session
         *     - `ports`: web servers in the session
         *     - `files`: files of the session
         * @enum {string}
         */
        TokenFor: "terminal" | "ports" | "files";
        /** @description A token: as a bearer, or as ?token= where a browser can send no header. */
        TokenView: {
            /** @description The token. */
            token: string;
            /** @description The session. */
            session: string;
            /** @description What it opens. */
            scopes: components["schemas"]["TokenFor"][];
            /**
             * Format: date-time
             * @description Its end.
             */
            expires_at: string;
        };
        /** @description A tool that was called and runs no code. */
        ToolEvent: {
            /** @description Which one. */
            tool: string;
            /** @description As the model wrote them. */
            arguments: string;
            /** @description What the model was told. */
            output: string;
            /**
             * Format: double
             * @description How long it took, in milliseconds.
             */
            exec_ms: number;
            /** @description It could not do it. */
            failed: boolean;
        };
        /** @description All tools. */
        ToolList: {
            /** @description By name. */
            tools: components["schemas"]["ToolView"][];
        };
        /** @description What a tool did. */
        ToolResult: {
            /** @description Which one. */
            tool: string;
            /** @description As a model reads it; long output is cut in the middle. */
            output: string;
            /** @description The code, or the command, ended with an error. */
            failed: boolean;
            /**
             * Format: double
             * @description How long it took.
             */
            exec_ms: number;
            /** @description What was run. */
            code?: string;
            /** @description What it printed. */
            stdout?: string;
            /** @description What it printed as errors. */
            stderr?: string;
            /**
             * Format: int32
             * @description 0 when all went well.
             */
            exit_code?: number;
            /** @description exited, signalled, timeout, memory, disk, output or killed. */
            reason?: string;
            /** @description Of the file that was read. */
            content?: string;
            /** @description Of the folder. */
            files?: components["schemas"]["ListedFile"][];
            /** @description Images that it made. */
            images: components["schemas"]["ImageLink"][];
            /** @description A table it answered with. */
            table?: components["schemas"]["TableData"];
            /** @description Artifacts: path in the sandbox, and path on the host. */
            artifact_map?: {
                [key: string]: string;
            };
            /** @description Artifacts that were not copied, and why. */
            artifacts_left_out?: components["schemas"]["LeftOutFile"][];
            /** @description Where it ran. */
            session_id?: string;
            /** @description Of a fresh sandbox: artifacts are at /v1/outputs/{run_id}/. */
            run_id?: string;
        };
        /** @description A tool. */
        ToolView: {
            /** @description POST to /v1/tools/{name}. */
            name: string;
            /** @description What it does, for models and people. */
            description: string;
            /** @description A JSON schema of its arguments. */
            parameters: Record<string, never>;
        };
        /** @description What code showed besides text and images, for clients that draw it: a chart of plotly or altair as JSON, a table as HTML, a formula. The model knows only that it was shown. */
        TurnResult: {
            /**
             * Format: int64
             * @description Which run of the turn; 0: not known.
             */
            run: number;
            /** @description One value, named by its media type, as in a notebook. Whoever shows HTML must treat it as a stranger's. */
            data: Record<string, never>;
        };
        /** @description Where the time of a turn went, in milliseconds. */
        TurnTimings: {
            /**
             * Format: double
             * @description Until the turn began: turns before it in the same thread.
             */
            queue: number;
            /**
             * Format: double
             * @description Until the sandbox was there; it is readied while the model thinks.
             */
            sandbox: number;
            /**
             * Format: double
             * @description From the first request to the model to its first word.
             */
            model_first_token: number;
            /**
             * Format: double
             * @description All requests to the model together.
             */
            model: number;
            /**
             * Format: double
             * @description All runs of code together.
             */
            code: number;
            /**
             * Format: double
             * @description All of it.
             */
            total: number;
        };
        /** @description What a turn asked of the model. */
        TurnUsage: {
            /**
             * Format: int64
             * @description Sent, over all requests.
             */
            prompt_tokens: number;
            /**
             * Format: int64
             * @description Received, over all requests.
             */
            answer_tokens: number;
            /**
             * Format: int64
             * @description Requests.
             */
            model_calls: number;
        };
        /** @description What was stored. */
        UploadAnswer: {
            /** @description Of the first file. */
            file_id: string;
            /** @description All of them, in their order. */
            files: components["schemas"]["UploadedFile"][];
        };
        /** @description Uploads, the latest first. */
        UploadList: {
            /** @description This page. */
            uploads: components["schemas"]["UploadView"][];
            /** @description For the next page; left out at the end. */
            next_cursor?: string;
        };
        /** @description An upload. */
        UploadView: {
            /** @description Its id. */
            file_id: string;
            /** @description As it is called in a thread's /data. */
            name: string;
            /**
             * Format: int64
             * @description Bytes.
             */
            size: number;
            /** @description Of its bytes, in hexadecimal. */
            sha256: string;
            /**
             * Format: date-time
             * @description When it was stored.
             */
            created_at: string;
            /**
             * Format: int64
             * @description How many threads use it; told in lists.
             */
            threads?: number;
        };
        /** @description What was stored. */
        Uploaded: {
            /** @description In the order in which they came. */
            files: components["schemas"]["FileView"][];
        };
        /** @description A file that was stored. */
        UploadedFile: {
            /** @description For /thread/new. */
            file_id: string;
            /** @description As it is called in a thread's /data. */
            name: string;
            /**
             * Format: int64
             * @description Bytes.
             */
            size: number;
        };
        /** @description What a sandbox uses; 0 where the host cannot tell. */
        UsageView: {
            /**
             * Format: int64
             * @description Now.
             */
            memory_bytes: number;
            /**
             * Format: int64
             * @description At most.
             */
            memory_peak_bytes: number;
            /**
             * Format: int64
             * @description Since it was started.
             */
            cpu_ms: number;
            /**
             * Format: int64
             * @description That live in it.
             */
            processes: number;
        };
        /** @description Variables: of Python in the order in which they came to be, of JavaScript by name. */
        VariableList: {
            /** @description This page. */
            variables: components["schemas"]["VariableView"][];
            /**
             * Format: int64
             * @description How many there are.
             */
            total: number;
            /**
             * Format: int64
             * @description For the next page; left out at the end.
             */
            next_offset?: number;
        };
        /** @description A variable. */
        VariableView: {
            /** @description Its name. */
            name: string;
            /**
             * @description Its type, with the module.
             * @example pandas.DataFrame
             */
            type: string;
            /**
             * Format: int64
             * @description Of the object, without what it refers to.
             */
            size_bytes: number;
            /** @description Some of it, made without running the user's code. */
            preview: string;
            /** @description Of an array or a frame. */
            shape?: number[];
        };
        /** @description The versions of a chat. */
        VersionList: {
            /** @description The thread asked for. */
            thread_id: string;
            /** @description With itself, the oldest first. */
            versions: components["schemas"]["VersionView"][];
        };
        /** @description Where a version has its first turns from. */
        VersionOrigin: {
            /** @description Whose they are; it may be gone by now. */
            thread_id: string;
            /**
             * Format: int64
             * @description Up to which; from the origin before on.
             */
            turn: number;
        };
        /** @description A version of a chat: a thread that begins as another one and goes on with a question of its own. */
        VersionView: {
            /** @description The thread. */
            thread_id: string;
            /**
             * Format: int64
             * @description Questions so far.
             */
            turns: number;
            /** @description Whose its first turns are; the rest are its own. */
            origins: components["schemas"]["VersionOrigin"][];
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last spoken in.
             */
            updated_at: string;
        };
        /** @description About the watch itself. */
        WatchNote: {
            /** @description In a sentence. */
            note: string;
        };
        /** @description A text to store as a file. */
        WriteFileArguments: {
            /**
             * @description Absolute, or below /session.
             * @example /session/notes.txt
             */
            path: string;
            /**
             * @description All of it, as text.
             * @example hello
             */
            content: string;
            /**
             * @description The session to work in: its id, or a name of your own, which makes one at its first use.
             * @example s-mfrggzdfmztwq2lkmfrggzdfmztwq2lk
             */
            session_id?: string;
        };
        /** @description What was taken. */
        WriteInputAnswer: {
            /**
             * Format: int64
             * @description So many bytes.
             */
            bytes: number;
            /** @description It takes more. */
            stdin_open: boolean;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It lives. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    ready: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It does. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    info: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Version, runtimes, walls in force. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Info"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_templates: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateList"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In the text format of Prometheus. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_sessions: {
        parameters: {
            query?: {
                /** @description Only these states. */
                state?: string[];
                /** @description key=value, each must be equal. */
                metadata?: string[];
                /** @description Of the page before. */
                cursor?: string;
                /** @description How many at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of sessions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CreateSession"];
            };
        };
        responses: {
            /** @description The new session. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session: its id or its name. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session: its id or its name. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    patch_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session: its id or its name. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PatchSession"];
            };
        };
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pause_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session: its id or its name. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resume_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session: its id or its name. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    evict_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session: its id or its name. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    fork_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session: its id or its name. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ForkSession"];
            };
        };
        responses: {
            /** @description The new sessions. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    restart_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session: its id or its name. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    run_in_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session: its id or its name. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunBody"];
            };
        };
        responses: {
            /** @description How it went; also when the code failed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunAnswer"];
                    "text/event-stream": unknown;
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    run: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EphemeralBody"];
            };
        };
        responses: {
            /** @description How it went; also when the code failed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunAnswer"];
                    "text/event-stream": unknown;
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_output: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run. */
                run_id: string;
                /** @description Below /work/artifacts. */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_file: {
        parameters: {
            query?: {
                /** @description Describe it in JSON; a link is described, not followed. */
                stat?: boolean;
                /** @description Of a file: for saving, not for showing. */
                download?: boolean;
                /** @description Of a folder: all of it as tar, tar.gz, tar.zst or zip. */
                archive?: string;
                /** @description Of a folder: how many entries at most. */
                limit?: number;
                /** @description Of a folder: `next_after` of the page before. */
                after?: string;
            };
            header?: never;
            path: {
                /** @description The session. */
                id: string;
                /** @description The absolute path in the sandbox without its first slash, in percent where it has to be. */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The folder's page; with `stat` a page with the one entry that was asked for. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileList"];
                    "*/*": string;
                };
            };
            /** @description The range asked for. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description It has not changed. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    write_file: {
        parameters: {
            query?: {
                /** @description Make the folders above it. */
                parents?: boolean;
                /** @description Its rights, in octal. */
                mode?: string;
                /** @description Answer when it is on disk, not just with the system. */
                sync?: boolean;
            };
            header?: never;
            path: {
                /** @description The session. */
                id: string;
                /** @description The absolute path in the sandbox without its first slash, in percent where it has to be. */
                path: string;
            };
            cookie?: never;
        };
        /** @description The file's bytes. */
        requestBody?: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description It replaced another. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileView"];
                };
            };
            /** @description It is new. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    upload_files: {
        parameters: {
            query?: {
                /** @description Make the folder, and those above it. */
                parents?: boolean;
            };
            header?: never;
            path: {
                /** @description The session. */
                id: string;
                /** @description The absolute path in the sandbox without its first slash, in percent where it has to be. */
                path: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The files. */
                    files: string[];
                };
            };
        };
        responses: {
            /** @description All of them are stored. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Uploaded"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    remove_file: {
        parameters: {
            query?: {
                /** @description Of a folder: with all that is in it. */
                recursive?: boolean;
            };
            header?: never;
            path: {
                /** @description The session. */
                id: string;
                /** @description The absolute path in the sandbox without its first slash, in percent where it has to be. */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    make_folder: {
        parameters: {
            query?: {
                /** @description Make the folders above it; one that is there is fine. */
                parents?: boolean;
            };
            header?: never;
            path: {
                /** @description The session. */
                id: string;
                /** @description The absolute path in the sandbox without its first slash, in percent where it has to be. */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is there. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    move_file: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session: its id or its name. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MoveBody"];
            };
        };
        responses: {
            /** @description It, in its new place. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_artifacts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session: its id or its name. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Files in /session/artifacts and /data/outputs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Artifacts"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    extract_archive: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session: its id or its name. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExtractBody"];
            };
        };
        responses: {
            /** @description What was unpacked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Extracted"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    unpack_archive: {
        parameters: {
            query: {
                /** @description A folder; it is made when it is not there. As in a move. */
                into: string;
                /** @description Leave out so many leading parts of each name. */
                strip?: number;
                /** @description Replace what is there; else it stays. */
                overwrite?: boolean;
            };
            header?: never;
            path: {
                /** @description The session: its id or its name. */
                id: string;
            };
            cookie?: never;
        };
        /** @description The archive. */
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description What was unpacked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Extracted"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    watch_files: {
        parameters: {
            query: {
                /** @description The folder; as in a move. */
                path: string;
                /** @description All folders below it too. */
                recursive?: boolean;
            };
            header?: never;
            path: {
                /** @description The session: its id or its name. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What changes, as it changes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": unknown;
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_contexts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session: its id or its name. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContextList"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_context: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session: its id or its name. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateContext"];
            };
        };
        responses: {
            /** @description The new context. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContextView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_context: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                id: string;
                /** @description The context's name. */
                context: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The context. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContextView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_context: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                id: string;
                /** @description The context's name. */
                context: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    interrupt_context: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                id: string;
                /** @description The context's name. */
                context: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["InterruptContext"];
            };
        };
        responses: {
            /** @description It was asked to stop. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InterruptAnswer"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    restart_context: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                id: string;
                /** @description The context's name. */
                context: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The context. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContextView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_variables: {
        parameters: {
            query?: {
                /** @description How many to leave out. */
                offset?: number;
                /** @description How many at most. */
                limit?: number;
                /** @description How long to wait for a context that is running something. */
                patience?: string | number;
            };
            header?: never;
            path: {
                /** @description The session. */
                id: string;
                /** @description The context's name. */
                context: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of variables. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VariableList"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_processes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session: its id or its name. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All that are remembered. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProcessList"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    start_process: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session: its id or its name. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartProcess"];
            };
        };
        responses: {
            /** @description With `wait`: how it went. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProcessResult"];
                };
            };
            /** @description It runs. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProcessView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_process: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                id: string;
                /** @description The process. */
                process: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProcessView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_process: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                id: string;
                /** @description The process. */
                process: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    wait_for_process: {
        parameters: {
            query?: {
                /** @description How long to wait at most. */
                timeout?: string | number;
            };
            header?: never;
            path: {
                /** @description The session. */
                id: string;
                /** @description The process. */
                process: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProcessView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    write_to_process: {
        parameters: {
            query?: {
                /** @description There is no more: the program reads an end after this. */
                end?: boolean;
            };
            header?: never;
            path: {
                /** @description The session. */
                id: string;
                /** @description The process. */
                process: string;
            };
            cookie?: never;
        };
        /** @description Any bytes. */
        requestBody?: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description It was taken. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WriteInputAnswer"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    signal_process: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                id: string;
                /** @description The process. */
                process: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendSignal"];
            };
        };
        responses: {
            /** @description The process. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProcessView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_process_output: {
        parameters: {
            query?: {
                /** @description From this byte on; left out, from the oldest still kept. */
                after?: number;
            };
            header?: {
                /** @description The id of the last event seen; goes before `after`. */
                "Last-Event-Id"?: number;
            };
            path: {
                /** @description The session. */
                id: string;
                /** @description The process. */
                process: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What is kept now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OutputAnswer"];
                    "text/event-stream": unknown;
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    open_terminal: {
        parameters: {
            query?: {
                /** @description Lines. */
                rows?: number;
                /** @description Columns. */
                cols?: number;
                /** @description The directory that it starts in. */
                cwd?: string;
                /** @description A line for bash in place of an interactive shell. */
                command?: string;
                /** @description false: pipes in place of a terminal. The server's binary messages then begin with a byte that names the stream: 1 is stdout, 2 stderr. */
                pty?: boolean;
                /** @description It is stopped after so long; 0 is never. */
                timeout?: string | number;
            };
            header?: never;
            path: {
                /** @description The session: its id or its name. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The terminal is open. */
            101: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_ports: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session: its id or its name. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ports. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PortList"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    enter_port: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                id: string;
                /** @description Where the server listens, on 127.0.0.1 of the sandbox. */
                port: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description With a slash at the end. */
            308: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_port: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                id: string;
                /** @description Where the server listens, on 127.0.0.1 of the sandbox. */
                port: number;
                /** @description What to ask it for. */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the server in the sandbox answers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    put_port: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                id: string;
                /** @description Where the server listens, on 127.0.0.1 of the sandbox. */
                port: number;
                /** @description What to ask it for. */
                path: string;
            };
            cookie?: never;
        };
        /** @description Passed on as it is. */
        requestBody?: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description What the server in the sandbox answers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    post_port: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                id: string;
                /** @description Where the server listens, on 127.0.0.1 of the sandbox. */
                port: number;
                /** @description What to ask it for. */
                path: string;
            };
            cookie?: never;
        };
        /** @description Passed on as it is. */
        requestBody?: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description What the server in the sandbox answers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_port: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                id: string;
                /** @description Where the server listens, on 127.0.0.1 of the sandbox. */
                port: number;
                /** @description What to ask it for. */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the server in the sandbox answers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    options_port: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                id: string;
                /** @description Where the server listens, on 127.0.0.1 of the sandbox. */
                port: number;
                /** @description What to ask it for. */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the server in the sandbox answers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    patch_port: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                id: string;
                /** @description Where the server listens, on 127.0.0.1 of the sandbox. */
                port: number;
                /** @description What to ask it for. */
                path: string;
            };
            cookie?: never;
        };
        /** @description Passed on as it is. */
        requestBody?: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description What the server in the sandbox answers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    schedule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScheduleBody"];
            };
        };
        responses: {
            /** @description The job waits. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleAnswer"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    status: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The job. */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its state, and its output so far. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusAnswer"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_jobs: {
        parameters: {
            query?: {
                /** @description Only these states. */
                state?: string[];
                /** @description key=value, each must be equal. */
                metadata?: string[];
                /** @description Of the page before. */
                cursor?: string;
                /** @description How many at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of jobs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobList"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_job: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateJob"];
            };
        };
        responses: {
            /** @description The job waits. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_job: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_job: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancel_job: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    read_job_log: {
        parameters: {
            query?: {
                /** @description The first chunk; with events, `Last-Event-ID` goes before this. */
                from?: number;
            };
            header?: never;
            path: {
                /** @description The job. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the log. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogPage"];
                    "text/event-stream": unknown;
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    upload: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The files. */
                    files: string[];
                };
            };
        };
        responses: {
            /** @description They are stored. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadAnswer"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_uploads: {
        parameters: {
            query?: {
                /** @description Of the page before. */
                cursor?: string;
                /** @description How many at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of uploads. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadList"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_upload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The upload. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The upload. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_upload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The upload. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    new_thread: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewThreadBody"];
            };
        };
        responses: {
            /** @description The thread. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ThreadView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    send_message: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The thread. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageBody"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageAnswer"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resume_stream: {
        parameters: {
            query?: {
                /** @description Which turn; left out: that of Last-Event-ID, or the latest. */
                turn?: number;
            };
            header?: never;
            path: {
                /** @description The thread. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What happens, as it happens; `done` or `error` is the last. An `id` is what Last-Event-ID resumes after. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": unknown;
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    stream_message: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The thread. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageBody"];
            };
        };
        responses: {
            /** @description What happens, as it happens; `done` or `error` is the last. An `id` is what Last-Event-ID resumes after. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": unknown;
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancel_message: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The thread. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It ends. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CancelAnswer"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    thread_status: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The thread. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How its sandbox is. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ThreadStatus"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    thread_history: {
        parameters: {
            query?: {
                /** @description Also what the model and its tools exchanged. */
                all?: boolean;
                /** @description Of the page before. */
                cursor?: string;
                /** @description How many messages at most, and fewer of large ones: next_cursor says whether there are more; left out: all of them. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The thread. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of it, or a page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HistoryAnswer"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    threads: {
        parameters: {
            query?: {
                /** @description Of the page before. */
                cursor?: string;
                /** @description How many at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of threads. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ThreadList"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_threads: {
        parameters: {
            query?: {
                /** @description Of the page before. */
                cursor?: string;
                /** @description How many at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of threads. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ThreadList"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_thread: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The thread. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The thread. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ThreadView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_thread: {
        parameters: {
            query?: {
                /** @description Also all other versions of this chat. */
                versions?: boolean;
            };
            header?: never;
            path: {
                /** @description The thread. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    patch_thread: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The thread. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PatchThread"];
            };
        };
        responses: {
            /** @description The thread. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ThreadView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    fork_thread: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The thread. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ForkThread"];
            };
        };
        responses: {
            /** @description The new thread. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ThreadView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    enter_thread: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The thread. */
                id: string;
                /** @description The page's own name for itself: random, and another one each time it comes. */
                tab: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Noted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    leave_thread: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The thread. */
                id: string;
                /** @description The page's own name for itself: random, and another one each time it comes. */
                tab: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Noted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    thread_versions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The thread. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them, with this one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionList"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    export_thread: {
        parameters: {
            query?: {
                /** @description What it is written as. */
                format?: components["schemas"]["ExportFormat"];
            };
            header?: never;
            path: {
                /** @description The thread. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Markdown. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                    "application/json": string;
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    thread_file: {
        parameters: {
            query?: {
                /** @description A browser stores it in place of showing it. */
                download?: boolean;
            };
            header?: never;
            path: {
                /** @description The thread. */
                id: string;
                /** @description In its sandbox, without the first slash. */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description The range asked for. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description It has not changed. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    thread_context: {
        parameters: {
            query?: {
                /** @description For which question; it is not asked. */
                question?: string;
            };
            header?: never;
            path: {
                /** @description The thread. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ThreadContextView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    ui: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_tools: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tools, with their schemas. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolList"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    tool_run_python: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunPythonArguments"];
            };
        };
        responses: {
            /** @description What it did; also when the code failed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolResult"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    tool_execute_shell: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExecuteShellArguments"];
            };
        };
        responses: {
            /** @description What it did; also when the code failed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolResult"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    tool_execute_python_script: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExecuteScriptArguments"];
            };
        };
        responses: {
            /** @description What it did; also when the code failed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolResult"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    tool_list_files: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ListFilesArguments"];
            };
        };
        responses: {
            /** @description What it did; also when the code failed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolResult"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    tool_read_file: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReadFileArguments"];
            };
        };
        responses: {
            /** @description What it did; also when the code failed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolResult"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    tool_write_file: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WriteFileArguments"];
            };
        };
        responses: {
            /** @description What it did; also when the code failed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolResult"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    tool_delete_file: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeleteFileArguments"];
            };
        };
        responses: {
            /** @description What it did; also when the code failed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolResult"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    tool_make_directory: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MakeDirectoryArguments"];
            };
        };
        responses: {
            /** @description What it did; also when the code failed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolResult"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    tool_code_sandbox: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CodeSandboxArguments"];
            };
        };
        responses: {
            /** @description What it did; also when the code failed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolResult"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    mcp_stream: {
        parameters: {
            query?: never;
            header?: {
                /** @description What initialize was answered with. */
                "Mcp-Session-Id"?: string;
                /** @description The revision in use. */
                "Mcp-Protocol-Version"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Comments, until the session ends. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": unknown;
                };
            };
            /** @description No session is named. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JsonRpcAnswer"];
                };
            };
            /** @description There is no such session. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JsonRpcAnswer"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    mcp_message: {
        parameters: {
            query?: {
                /** @description The session for tools that name none: its id, or a name of your choice, made at its first use. */
                session?: string;
            };
            header?: {
                /** @description What initialize was answered with. */
                "Mcp-Session-Id"?: string;
                /** @description The revision in use. */
                "Mcp-Protocol-Version"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["JsonRpcRequest"];
            };
        };
        responses: {
            /** @description The answer to a request. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JsonRpcAnswer"];
                    "text/event-stream": unknown;
                };
            };
            /** @description A notification was heard. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It is no message, or belongs to no session. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JsonRpcAnswer"];
                };
            };
            /** @description No such session, or no such method. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JsonRpcAnswer"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    end_mcp_session: {
        parameters: {
            query?: never;
            header?: {
                /** @description What initialize was answered with. */
                "Mcp-Session-Id"?: string;
                /** @description The revision in use. */
                "Mcp-Protocol-Version"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It has ended. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No session is named. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JsonRpcAnswer"];
                };
            };
            /** @description There is no such session. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JsonRpcAnswer"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_model_settings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What is in force. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelSettingsView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reset_model_settings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What is in force now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelSettingsView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    patch_model_settings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PatchModelSettings"];
            };
        };
        responses: {
            /** @description What is in force now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelSettingsView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_available_models: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Their names. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AvailableModels"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    probe_models: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ProbeModels"];
            };
        };
        responses: {
            /** @description What was found. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LocalModelServers"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_chat_completion: {
        parameters: {
            query?: never;
            header?: {
                /** @description The thread that answers, instead of the one that is found by what was said. */
                "X-Atoll-Thread"?: string;
                /** @description The client's own name for the conversation. */
                "X-Atoll-Chat"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChatCompletionBody"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChatCompletion"];
                    "text/event-stream": unknown;
                };
            };
            /** @description Something in it is wrong, or is not done here. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description No key, or one that is not valid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The key lacks a scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description No such model, or no such thread. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Another method. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many questions wait in the thread. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description It is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many requests, or a quota is used up. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A fault of the server. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The model cannot be reached, or the server is stopping. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The model took too long. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description There is no room for its files. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_models: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelList"];
                };
            };
            /** @description Something in it is wrong, or is not done here. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description No key, or one that is not valid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The key lacks a scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description No such model, or no such thread. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Another method. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many questions wait in the thread. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description It is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many requests, or a quota is used up. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A fault of the server. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The model cannot be reached, or the server is stopping. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The model took too long. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description There is no room for its files. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_model: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Its name. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The model. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelView"];
                };
            };
            /** @description Something in it is wrong, or is not done here. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description No key, or one that is not valid. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The key lacks a scope. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description No such model, or no such thread. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Another method. */
            405: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many questions wait in the thread. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description It is too large. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description Too many requests, or a quota is used up. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description A fault of the server. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The model cannot be reached, or the server is stopping. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The model took too long. */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description There is no room for its files. */
            507: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_linked_file: {
        parameters: {
            query: {
                /** @description As it stands in the answer. */
                link: string;
            };
            header?: never;
            path: {
                /** @description What it is called; for people, the link says which it is. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description The range asked for. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description It has not changed. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_keys: {
        parameters: {
            query?: {
                /** @description Of the page before. */
                cursor?: string;
                /** @description How many at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of keys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyList"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_key: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateKey"];
            };
        };
        responses: {
            /** @description The new key. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revoke_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key, which is good for nothing now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_token: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session: its id or its name. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateToken"];
            };
        };
        responses: {
            /** @description The token. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_page_token: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageTokenView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    renew_page_token: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The next token. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageTokenView"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_audit: {
        parameters: {
            query?: {
                /** @description This moment and later, as 2026-03-01T12:30:00Z. */
                from?: string;
                /** @description Before this moment. */
                until?: string;
                /** @description Of the page before. */
                cursor?: string;
                /** @description How many at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the audit log. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditList"];
                };
            };
            /** @description The request failed. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
