"""The real model: the Messages API through the Anthropic SDK, streamed."""

from __future__ import annotations

import ssl
from collections.abc import AsyncGenerator
from functools import cache
from typing import TYPE_CHECKING, Any, Final, cast

from assent.agent._caching import messages_of, system_of, tools_of
from assent.agent._model import ModelFailed, ModelRequest, Piece
from assent.agent._reading import Reading
from assent.errors import ConfigError

if TYPE_CHECKING:
    from anthropic import APIStatusError, AsyncAnthropic

_MID_STREAM: Final = 200
_PASSING: Final = frozenset({"overloaded_error", "api_error", "rate_limit_error", "timeout_error"})
_KEY: Final = "set ANTHROPIC_API_KEY to a key that may use this model"


class AnthropicModel:
    """A model of the Messages API; without a key, the SDK's own variables are used."""

    def __init__(self, name: str, *, api_key: str | None = None, base_url: str | None = None) -> None:
        self.name = name
        self._api_key = api_key
        self._base_url = base_url
        self._client: AsyncAnthropic | None = None
        _sdk()

    async def stream(self, request: ModelRequest, /) -> AsyncGenerator[Piece]:
        """The answer in pieces; a stream that ends early or makes no sense is no answer.

        Raises:
            ModelFailed: there is none.
        """
        reading = Reading()
        try:
            async with self._connected().messages.stream(**self._asked(request)) as stream:
                async for event in stream:
                    for piece in reading.read(event):
                        yield piece
                yield reading.answer(await stream.get_final_message())
        except ModelFailed:
            raise
        except Exception as error:
            # Whatever the SDK makes of a bad stream (it has no type of its own for that): no answer.
            raise self._failure(error, reading) from error

    async def close(self) -> None:
        """Let go of connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _connected(self) -> AsyncAnthropic:
        if self._client is None:
            anthropic = _sdk()
            http = anthropic.DefaultAsyncHttpxClient(verify=_trusted())
            self._client = anthropic.AsyncAnthropic(api_key=self._api_key, base_url=self._base_url, http_client=http)
        return cast("AsyncAnthropic", self._client)

    def _asked(self, request: ModelRequest) -> dict[str, Any]:
        """The arguments of the SDK's call; its types are checked where they were made."""
        return {
            "model": self.name,
            "max_tokens": request.max_tokens,
            "system": system_of(request),
            "messages": messages_of(request),
            "tools": tools_of(request),
        }

    def _failure(self, error: Exception, reading: Reading) -> ModelFailed:
        anthropic = _sdk()
        if isinstance(error, anthropic.APIStatusError):
            return self._status(cast("APIStatusError", error), reading)
        if isinstance(error, anthropic.APIConnectionError):
            # The SDK has tried again by itself.
            return ModelFailed(f"the model's server cannot be reached: {error.__cause__ or error}", again=False)
        if isinstance(error, anthropic.AnthropicError) or "authentication" in str(error):
            return ModelFailed(f"the model was not asked: {error}; {_KEY}", again=False)
        why = f"{type(error).__name__}: {error}".removesuffix(": ")
        return ModelFailed(f"the model's answer broke off or makes no sense ({why})", again=True, usage=reading.usage)

    def _status(self, error: APIStatusError, reading: Reading) -> ModelFailed:
        kind = str(error.type or "error")
        if error.status_code == _MID_STREAM:
            reason = f"the model's server gave up in the middle of its answer ({kind})"
            return ModelFailed(reason, again=kind in _PASSING, usage=reading.usage)
        advice = f"; {_KEY}" if error.status_code in (401, 403) else ""
        text = f"the model's server answered {error.status_code} ({kind}): {_said(error)}{advice}"
        return ModelFailed(text, again=False)


def _said(error: APIStatusError) -> str:
    """The server's own words, without the wrapping."""
    body = error.body
    inner = cast("dict[str, object]", body).get("error") if isinstance(body, dict) else None
    text = cast("dict[str, object]", inner).get("message") if isinstance(inner, dict) else None
    return str(text or error.message)


@cache
def _trusted() -> ssl.SSLContext:
    """Whom TLS trusts, as the SDK's own client has it; reading it takes 70 ms, which no run shall wait for again."""
    import httpx2

    return httpx2.create_ssl_context()


def _sdk() -> Any:  # noqa: ANN401 — a module
    """The SDK, or what to install.

    Raises:
        ConfigError: it is not installed.
    """
    try:
        import anthropic
    except ImportError as error:
        raise ConfigError(
            "the package `anthropic` is not installed, so no model can be asked; "
            "install the extra: pip install 'assent[anthropic]'"
        ) from error
    return anthropic
