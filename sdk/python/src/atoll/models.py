"""What the server answers, as frozen dataclasses. `tests/test_models.py` compares them with the
OpenAPI document, so that none of them falls behind."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ._paths import decoded

__all__ = [
    "ContextInfo",
    "Extracted",
    "FileChange",
    "FileInfo",
    "FileList",
    "Info",
    "Job",
    "JobLogChunk",
    "LeftOut",
    "Limits",
    "Lost",
    "OutputGap",
    "OutputSnapshot",
    "OutputText",
    "Port",
    "ProcessInfo",
    "Session",
    "Skipped",
    "TableData",
    "Template",
    "Token",
    "ToolImage",
    "ToolInfo",
    "ToolResult",
    "ListedFile",
    "Usage",
    "Variable",
]


@dataclass(frozen=True)
class Limits:
    """What a sandbox may use."""

    memory_bytes_max: int
    processes_max: int
    cpus_max: float
    file_bytes_max: int
    open_files_max: int
    disk_bytes_max: int
    disk_files_max: int
    output_bytes_max: int
    run_ms_max: int


@dataclass(frozen=True)
class Usage:
    """What a sandbox uses; 0 where the host cannot tell."""

    memory_bytes: int
    memory_peak_bytes: int
    cpu_ms: int
    processes: int


@dataclass(frozen=True)
class Session:
    """A session. `state` is starting, hot, warm (frozen), cold (on disk), failed or deleting."""

    id: str
    state: str
    name: str
    template: str
    runtime: str
    network: str
    datasets: list[str]
    metadata: dict[str, str]
    created_at: datetime
    last_used_at: datetime
    idle_to_warm_s: int
    idle_to_cold_s: int
    expires_at: datetime | None = None
    state_note: str | None = None
    limits: Limits | None = None
    usage: Usage | None = None


@dataclass(frozen=True)
class FileInfo:
    """A file, a folder, or something else that has a name. `path` is absolute."""

    name: str
    path: str = field(metadata={"from_json": decoded})
    href: str
    type: str
    size: int
    mode: str
    modified_at: datetime
    etag: str | None = None
    target: str | None = None

    @property
    def is_folder(self) -> bool:
        return self.type == "directory"

    @property
    def is_file(self) -> bool:
        return self.type == "file"


@dataclass(frozen=True)
class FileList:
    """A page of a folder."""

    path: str = field(metadata={"from_json": decoded})
    entries: list[FileInfo]
    next_after: str | None = None


@dataclass(frozen=True)
class FileChange:
    """An event of a watch. `what` is created, removed, moved_from, moved_to, written, modified,
    attributes, or `overflow`: too much changed at once, look for yourself."""

    what: str
    path: str = field(metadata={"from_json": decoded})
    directory: bool


@dataclass(frozen=True)
class Skipped:
    """An entry of an archive that was not unpacked."""

    name: str
    why: str


@dataclass(frozen=True)
class Extracted:
    """What was unpacked."""

    entries: int
    bytes: int
    skipped: list[Skipped]


@dataclass(frozen=True)
class ContextInfo:
    """A context: a kernel with variables of its own."""

    name: str
    language: str
    cwd: str
    state: str
    runs: int


@dataclass(frozen=True)
class Variable:
    """A variable of a context."""

    name: str
    type: str
    size_bytes: int
    preview: str
    shape: list[int] | None = None


@dataclass(frozen=True)
class ProcessInfo:
    """A process. `state` is running, frozen or ended; `reason` says how it ended."""

    id: str
    argv: list[str]
    cwd: str
    state: str
    pid: int
    stdin_open: bool
    keep_awake: bool
    started_at: datetime
    output_begin: int
    output_end: int
    ended_at: datetime | None = None
    exit_code: int | None = None
    signal: int | None = None
    reason: str | None = None
    note: str | None = None


@dataclass(frozen=True)
class OutputSnapshot:
    """Output of a process that is still kept; `end` is where to read on."""

    begin: int
    end: int
    lost_bytes: int
    stdout: str
    stderr: str
    state: str


@dataclass(frozen=True)
class OutputText:
    """A piece of a process's output. `stream` is stdout or stderr."""

    offset: int
    text: str
    stream: str = field(default="stdout", metadata={"ours": True})


@dataclass(frozen=True)
class OutputGap:
    """Output that was not read in time."""

    begin: int
    end: int


@dataclass(frozen=True)
class Port:
    """A port on which something listens in the sandbox, and where a browser opens it."""

    port: int
    href: str


@dataclass(frozen=True)
class Job:
    """A job. `state` is queued, running, succeeded, failed or cancelled."""

    id: str
    kind: str
    state: str
    priority: int
    attempts: int
    interruptions: int
    retries: int
    after_crash: str
    timeout_s: float
    metadata: dict[str, str]
    created_at: datetime
    cancel_requested: bool
    log_bytes: int
    log_truncated: bool
    code: str | None = None
    session: str | None = None
    not_before: datetime | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    exit_code: int | None = None
    error: str | None = None

    @property
    def ended(self) -> bool:
        return self.state in ("succeeded", "failed", "cancelled")


@dataclass(frozen=True)
class JobLogChunk:
    """A piece of a job's log. `stream` is stdout, stderr, or mark: a word of the server's."""

    sequence: int
    stream: str
    time: datetime
    text: str


@dataclass(frozen=True)
class Info:
    """What a server is."""

    version: str
    runtimes: list[str]
    walls: str
    networks: list[str]
    datasets: list[str]
    data_root: str
    sandboxes_ready: int
    sessions_hot: int
    sessions_warm: int
    model: str
    model_note: str


@dataclass(frozen=True)
class Template:
    """What sandboxes start from."""

    name: str
    description: str
    ready: bool
    bytes: int
    problem: str


@dataclass(frozen=True)
class Token:
    """A short-lived token for one session, for browsers."""

    token: str
    session: str
    scopes: list[str]
    expires_at: datetime


@dataclass(frozen=True)
class LeftOut:
    """An artifact that was not copied, and why."""

    path: str
    reason: str


@dataclass(frozen=True)
class Lost:
    """What did not come back when a session was restored."""

    context: str
    name: str
    type: str
    reason: str


@dataclass(frozen=True)
class ToolInfo:
    """A tool of the server: its name, its description and a JSON schema of its arguments."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True)
class ListedFile:
    """A file as the tool `list_files` shows it: its name relative to the folder."""

    name: str
    type: str
    size: int


@dataclass(frozen=True)
class ToolImage:
    """An image that a tool made; `href` is where to get it."""

    path: str
    content_type: str
    size: int
    href: str


@dataclass(frozen=True)
class TableData:
    """A table that code answered with, as data."""

    columns: list[str]
    rows: list[Any]
    total_rows: int
    truncated: bool


@dataclass(frozen=True)
class ToolResult:
    """What a tool did; `output` is what a model reads."""

    tool: str
    output: str
    failed: bool
    exec_ms: float
    images: list[ToolImage]
    code: str | None = None
    stdout: str | None = None
    stderr: str | None = None
    exit_code: int | None = None
    reason: str | None = None
    content: str | None = None
    files: list[ListedFile] | None = None
    table: TableData | None = None
    artifact_map: dict[str, str] | None = None
    artifacts_left_out: list[LeftOut] | None = None
    session_id: str | None = None
    run_id: str | None = None
