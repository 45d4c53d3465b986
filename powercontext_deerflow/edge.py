# SPDX-License-Identifier: Apache-2.0
"""What holds for every public call at its border, whatever happens inside.

An exception leaves without the locals of our frames, because error reporters send them and they hold the caller's text;
files and lines stay. An asynchronous call is refused on an event loop that is not asyncio's, before anything is sent.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from functools import wraps
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction
from types import TracebackType
from typing import Any, ParamSpec, TypeVar, cast

from powercontext_deerflow.errors import InputError

P = ParamSpec("P")
T = TypeVar("T")
_OURS = ("powercontext_deerflow.", "powercontext_openapi.")


def edge(call: Callable[P, T]) -> Callable[P, T]:
    """``call`` as a public one: a function, a coroutine function, or a generator function of either kind."""
    for is_one, wrapped in (
        (iscoroutinefunction, _coroutine),
        (isasyncgenfunction, _asynchronous_generator),
        (isgeneratorfunction, _generator),
    ):
        if is_one(call):
            return cast("Callable[P, T]", wrapped(call))
    return _function(call)


def _function(call: Callable[P, T]) -> Callable[P, T]:
    @wraps(call)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return call(*args, **kwargs)
        except BaseException as error:
            del args, kwargs
            forget_locals(error)
            raise

    return run


# The three below give what `call` gives, whose type only `edge` knows: hence Any.
def _coroutine(call: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(call)
    async def run(*args: object, **kwargs: object) -> Any:
        try:
            _refuse_other_loops()
            return await call(*args, **kwargs)
        except BaseException as error:
            del args, kwargs
            forget_locals(error)
            raise

    return run


def _generator(call: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(call)
    def run(*args: object, **kwargs: object) -> Iterator[Any]:
        try:
            yield from call(*args, **kwargs)
        except BaseException as error:
            del args, kwargs
            forget_locals(error)
            raise

    return run


def _asynchronous_generator(call: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(call)
    async def run(*args: object, **kwargs: object) -> AsyncIterator[Any]:
        steps = None
        try:
            _refuse_other_loops()
            steps = call(*args, **kwargs)
            async for step in steps:
                yield step
        except BaseException as error:
            del args, kwargs
            forget_locals(error)
            raise
        finally:
            if steps is not None:
                await steps.aclose()

    return run


def forget_locals(error: BaseException) -> None:
    """Clear the locals of our frames that ``error``, its cause and its context have passed, but of those that run."""
    waiting: list[BaseException | None] = [error]
    seen: set[int] = set()
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        _clear(one.__traceback__)
        waiting += [one.__cause__, one.__context__]
        waiting += one.exceptions if isinstance(one, BaseExceptionGroup) else ()


def _clear(traceback: TracebackType | None) -> None:
    while traceback is not None:
        frame = traceback.tb_frame
        if str(frame.f_globals.get("__name__")).startswith(_OURS):
            with suppress(RuntimeError):  # it runs: the border's own, or a thread's
                frame.clear()
        traceback = traceback.tb_next


def _refuse_other_loops() -> None:
    import asyncio  # imported here, so that synchronous callers do not pay for it

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        pass
    else:
        return
    raise InputError("no_asyncio_loop", "event loop", "await this under asyncio or uvloop")
