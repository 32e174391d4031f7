"""op "run": one cell.

IPython's run_cell spends most of its time in places that a plain cell does not need (README.md has
the figures). This is a path of our own through IPython's parts:

    parse ── is it Python? ──yes──────────────▶ AST transformers ▶ compile ▶ exec ▶ hooks ▶ figures
                 └─no─▶ input transformer (magics, !shell, help?) ▶ parse ─┘

"What parses as Python is Python": magics, shell escapes and help requests never do. Exceptions are
the names that IPython lets stand alone on a line (`exit`, `ls`): see _may_be_command.
"""

import ast
import bdb
import inspect
import linecache
import os
import sys

from IPython.core.autocall import IPyAutocall
from IPython.core.error import InputRejected
from IPython.core.interactiveshell import ExecutionInfo, ExecutionResult
from IPython.core.macro import Macro

from . import wire
from .errors import error_event
from .loop import Loop, inside, needs_running_loop

_AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_NOT_CODE = (SyntaxError, ValueError, OverflowError, MemoryError, RecursionError, TypeError)


def _use_environment(variables):
    """For one run. What it sets itself under the same names goes with it."""
    if not isinstance(variables, dict):
        return {}
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    return before


def _restore_environment(before):
    for name, value in before.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


class Runner:
    def __init__(self, shell, outlet, guard, interrupts, inputs):
        self._shell = shell
        self._hook = shell.displayhook  # user code can reach the shell's attributes
        self._outlet = outlet
        self._guard = guard
        self._interrupts = interrupts
        self._inputs = inputs
        self.loop = Loop(interrupts)
        self._cell_names = shell.compile._filename_map
        manager = shell.input_transformer_manager
        self._transforms = (
            manager.cleanup_transforms,
            manager.line_transforms,
            manager.token_transformers,
            shell.input_transformers_post,
        )
        self._transform_counts = [len(one) for one in self._transforms]

    def run(self, request: dict) -> dict:
        """Runs the cell and returns the body of its `done`."""
        shell = self._shell
        code = request["code"]
        silent = bool(request.get("silent"))
        store = bool(request.get("store_history", True)) and not silent
        self._inputs.allowed = bool(request.get("allow_input"))
        count = shell.execution_count
        if not code or code.isspace():
            return {"status": "ok", "execution_count": count - 1}
        self._guard.before(self._hook)
        self._hook.plain_json = bool(request.get("plain_json"))
        self._hook.charts = bool(request.get("charts"))
        before = _use_environment(request.get("env"))
        error = None
        try:
            self._interrupts.active = True
            try:
                error = self._cell(code, silent, store, count)
            finally:
                self._interrupts.active = False
        except KeyboardInterrupt as interrupt:  # between the cell's code and here
            error = interrupt
        except BaseException as failure:  # noqa: B036 - a hook of the user's; the kernel must live
            error = failure
        finally:
            if not self._outlet.link.owned:
                self._leave_forked_child(error)
            _restore_environment(before)
            self._guard.after(error is not None)
        return self._done(error, count if store else shell.execution_count - 1)

    def _cell(self, raw, silent, store, count):
        shell = self._shell
        hook = shell.displayhook = self._hook
        info = ExecutionInfo(raw, store, silent, True, None)
        result = ExecutionResult(info)
        result.execution_count = count
        if store:
            shell.execution_count = count + 1
        shell.events.trigger("pre_execute")
        if not silent:
            shell.events.trigger("pre_run_cell", info)
        error = None
        try:
            cell, name, tree, error = self._parse(raw, count)
            if store:
                shell.history_manager.store_inputs(count, cell, raw)
            if not silent and shell.logger.log_active:
                shell.logger.log(cell, raw)
            if error is None:
                hook.cell, hook.count, hook.exec_result = cell, count, result
                try:
                    error = self._execute(tree, name, "none" if silent else None)
                finally:
                    hook.exec_result = None
            if error is not None:
                result.error_in_exec = error
        finally:
            shell.last_execution_succeeded = error is None
            shell.last_execution_result = result
            shell.events.trigger("post_execute")  # figures leave here
            if not silent:
                shell.events.trigger("post_run_cell", result)
        return error

    # Parsing

    def _parse(self, raw, count):
        """The cell as run, the name of its source, its tree; or the error that it is not code."""
        shell = self._shell
        compiler = shell.compile
        cell, name = raw, "<cell>"
        try:
            if self._transforms_changed() or self._may_be_command(raw):
                cell = shell.transform_cell(raw)
            name = compiler.cache(cell, count, raw_code=raw)
            try:
                tree = compiler.ast_parse(cell, filename=name)
            except SyntaxError:
                if cell is not raw:
                    raise
                cell = shell.transform_cell(raw)
                if cell.rstrip("\n") == raw.rstrip("\n"):
                    raise
                linecache.cache.pop(name, None)
                name = compiler.cache(cell, count, raw_code=raw)
                tree = compiler.ast_parse(cell, filename=name)
            if shell.ast_transformers:
                tree = shell.transform_ast(tree)
            return cell, name, tree, None
        except (*_NOT_CODE, InputRejected) as error:
            return cell, name, None, error

    def _transforms_changed(self):
        return [len(one) for one in self._transforms] != self._transform_counts

    def _may_be_command(self, raw):
        """`ls`, `cd x`, `exit`, a macro: a single line that begins with such a name."""
        line = raw.strip()
        if "\n" in line:
            return False
        shell = self._shell
        end = 0
        for character in line:
            if not (character.isalnum() or character == "_"):
                break
            end += 1
        word = line[:end]
        if not word or word[0].isdigit():
            return False
        if shell.autocall:
            return True
        value = shell.user_ns.get(word)
        if value is not None:
            return isinstance(value, (IPyAutocall, Macro))
        return word in shell.magics_manager.magics["line"]

    # Execution

    def _execute(self, tree, name, interactivity):
        shell = self._shell
        try:
            codes = self._compile(tree.body, name, interactivity or shell.ast_node_interactivity)
        except _NOT_CODE as error:  # `return` outside a function parses, and is no code
            return error
        old_excepthook = sys.excepthook
        sys.excepthook = shell.excepthook
        try:
            for code in codes:
                self._run_code(code)
        except bdb.BdbQuit:
            pass  # left the debugger
        except BaseException as error:  # noqa: B036 - SystemExit and interrupts are results too
            return error
        finally:
            sys.excepthook = old_excepthook
        return None

    def _compile(self, nodes, name, interactivity):
        """All statements as one code object, and what is to be displayed as one each.

        One, not one for each statement as IPython has it: a cell that does not compile as a whole
        must not run half."""
        compiler = self._shell.compile
        shown = []
        if nodes and interactivity == "last_expr_or_assign":
            nodes = nodes + _assigned_name(nodes[-1])
            interactivity = "last_expr"
        if nodes and (
            interactivity == "last"
            or (interactivity == "last_expr" and isinstance(nodes[-1], ast.Expr))
        ):
            nodes, shown = nodes[:-1], nodes[-1:]
        elif interactivity == "all":
            nodes, shown = [], nodes
        codes = []
        kept_flags = compiler.flags
        if self._shell.autoawait:
            compiler.flags |= _AWAIT
        try:
            if nodes:
                codes.append(compiler(ast.Module(nodes, []), name, "exec"))
            for node in shown:
                codes.append(compiler(ast.Interactive([node]), name, "single"))
        finally:
            # `from __future__` of this cell stays in force; awaiting is asked for each time.
            if not kept_flags & _AWAIT:
                compiler.flags &= ~_AWAIT
        return codes

    def _run_code(self, code):
        shell = self._shell
        global_names, names = shell.user_global_ns, shell.user_ns
        if code.co_flags & inspect.CO_COROUTINE:
            self.loop.run(eval(code, global_names, names))
        elif needs_running_loop(code):
            self.loop.run(inside(lambda: exec(code, global_names, names)))
        else:
            self.loop.prepare(code)
            exec(code, global_names, names)

    # Outcome

    def _done(self, error, count):
        done = {"status": "ok", "execution_count": count}
        if error is None:
            return done
        if isinstance(error, SystemExit):
            done["exit_code"] = _exit_code(error.code)
            return done
        done["status"] = "interrupted" if isinstance(error, KeyboardInterrupt) else "error"
        sys.last_type, sys.last_value = type(error), error
        try:
            self._interrupts.active = True  # an exception's text may take for ever to make
            try:
                event = error_event(self._shell, error, self._cell_names)
            finally:
                self._interrupts.active = False
        except KeyboardInterrupt:
            name = type(error).__name__
            text = f"{name}: formatting it was interrupted"
            event = {"event": "error", "name": name, "value": "", "traceback": [text]}
            event["traceback_text"] = text
        sys.last_traceback = error.__traceback__
        sys.last_exc = error
        self._outlet.event(event)
        return done

    def _leave_forked_child(self, error):
        """os.fork() in a cell: the child has come to the cell's end, and must not become a second
        kernel on the same link."""
        import os
        import traceback

        status = 0
        if isinstance(error, SystemExit):
            status = _exit_code(error.code)
        elif error is not None:
            traceback.print_exception(type(error), error, error.__traceback__)
            status = 1
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(status & 0xFF)


def _exit_code(code) -> int:
    if code is None:
        return 0
    if isinstance(code, int):
        return int(code)
    print(wire.safe_text(code), file=sys.stderr)  # what Python does with sys.exit("message")
    return 1


def _assigned_name(node):
    targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
    if len(targets) == 1 and isinstance(targets[0], ast.Name):
        shown = ast.Expr(ast.Name(targets[0].id, ast.Load()))
        return [ast.fix_missing_locations(ast.copy_location(shown, node))]
    return []
