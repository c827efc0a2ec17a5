"""The gate in the Anthropic SDK: tools behind a gate, for its tool runner and for loops of your own."""

try:
    from assent.adapters.anthropic._calls import Waiting
    from assent.adapters.anthropic._gated import Gated
    from assent.adapters.anthropic._tool import gated
except ModuleNotFoundError as error:
    error.msg += "; this adapter needs its extra: pip install 'assent[anthropic]'"
    raise

__all__ = ["Gated", "Waiting", "gated"]
