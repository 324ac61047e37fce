"""Found by every Python that `rondo trace` starts, through PYTHONPATH: gives the spans of a recording
the names of Python functions, with file and line, if the program uses uvloop.

What is handed to call_soon, call_later and their kin, the steps of tasks with them, is called by way
of a function that begins and ends a span. Another sitecustomize that the program would have found is
run first; without uvloop, or on another libuv, nothing else is done."""
import ctypes
import functools
import importlib.machinery
import importlib.util
import os
import sys


def _run_the_other():
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize")
    if spec is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


def _name(callback):
    """"handle /app/server.py:12": of a task, its coroutine."""
    task = getattr(callback, "__self__", None)
    if hasattr(task, "get_coro"):
        callback = task.get_coro()
    while isinstance(callback, functools.partial):
        callback = callback.func
    code = getattr(callback, "__code__", None) or getattr(callback, "cr_code", None) or getattr(callback, "gi_code", None)
    name = getattr(callback, "__qualname__", None) or type(callback).__name__
    return f"{name} {code.co_filename}:{code.co_firstlineno}" if code is not None else name


def _trace(uvloop):
    """Replaces the methods by which callbacks come to a loop."""
    from uvloop.loop import libuv_get_loop_t_ptr  # pylint: disable=import-outside-toplevel
    libuv = ctypes.CDLL("libuv.so.1")  # that which is loaded already
    begin, end, active = libuv.rondo_trace_begin, libuv.rondo_trace_end, libuv.rondo_trace_active
    begin.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    end.argtypes = [ctypes.c_void_p, ctypes.c_int]
    active.argtypes = [ctypes.c_void_p]
    address_of = ctypes.pythonapi.PyCapsule_GetPointer
    address_of.restype, address_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    addresses = {}

    def address(loop):
        if id(loop) not in addresses:
            addresses[id(loop)] = address_of(libuv_get_loop_t_ptr(loop), None)
        return addresses[id(loop)]

    def spanned(loop, callback):
        at, name = address(loop), _name(callback).encode()

        @functools.wraps(callback, updated=())
        def call(*arguments):
            span = begin(at, name)
            try:
                return callback(*arguments)
            finally:
                end(at, span)
        return call

    def replace(method, place):
        original = getattr(uvloop.Loop, method)

        @functools.wraps(original)
        def replacement(self, *arguments, **keywords):
            if active(address(self)):
                arguments = (*arguments[:place], spanned(self, arguments[place]), *arguments[place + 1:])
            return original(self, *arguments, **keywords)
        setattr(uvloop.Loop, method, replacement)

    for method, place in (("call_soon", 0), ("call_soon_threadsafe", 0), ("call_later", 1), ("call_at", 1),
                          ("add_reader", 1), ("add_writer", 1), ("add_signal_handler", 1)):
        replace(method, place)


class _Finder:
    """Looks on when uvloop is imported."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        del target
        if name != "uvloop":
            return None
        sys.meta_path.remove(_Finder)
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module):
                execute(module)
                try:
                    _trace(module)
                except (AttributeError, ImportError, OSError):
                    pass  # not on Rondo, or a uvloop without the loop's address
            spec.loader.exec_module = exec_module
        return spec


_run_the_other()
if os.environ.get("RONDO_TRACE") or os.environ.get("RONDO_RECORD_NAMES") == "1":
    sys.meta_path.insert(0, _Finder)
