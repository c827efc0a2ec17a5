"""The embedded model: a few simple requests, understood by rule, without a key or a network."""

from assent.agent.offline._model import OfflineModel

__all__ = ["OfflineModel"]
