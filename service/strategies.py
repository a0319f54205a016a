"""The strategies that a server offers: its callers choose among those that its operator has enabled."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from merger.backends.base import Backend
from merger.errors import BackendDownError, OptionError, UnavailableError
from merger.options import OptionValue
from merger.progress import WorkContext
from merger.strategies import STRATEGIES, StrategyInfo, list_strategies, make_strategy, parse_spec
from merger.strategies.base import Strategy
from merger.strategies.coreference import CoreferenceStrategy
from protos.convert.strategies import spec_from_message
from protos.merge_baseline import v1
from service.redacted_backend import RedactedBackend, without_addresses
from service.taggers import ServedTaggers

NOT_ENABLED = "the operator has not enabled it (server option enable)"
_RESTARTING = "its backend is being started again"
_SHORTEST_RETRY_SECONDS = 1.0


_Choice = frozenset[tuple[str, OptionValue]]


@dataclass(frozen=True, slots=True)
class _Outage:
    reason: str
    until: float
    """When it will probably end, by ``time.monotonic()``."""


class ServedStrategies:
    """Strategies that need nothing of the operator are always offered; the others only if they were enabled.

    An enabled backend is shared by all calls and stays open until :meth:`close`. A name can be enabled several times
    with different options; callers then choose by the options that they can set. A caller never sets one of
    :attr:`~merger.strategies.base.Strategy.operator_options`.
    """

    def __init__(self, specs: Sequence[str] = (), taggers: Sequence[str] = ()) -> None:
        """``specs`` are ``NAME[:option=value,...]``, strategies with a backend; ``taggers`` are taggers in that form.

        Raises :class:`~merger.errors.OptionError` for other names, unknown options, bad values, and two specs that no
        caller can tell apart, and :class:`~merger.errors.UnavailableError` if a backend or tagger cannot run here.
        """
        self.taggers = ServedTaggers(taggers)
        self._backends: dict[str, list[Backend]] = {}
        self._outages: dict[Backend, _Outage] = {}
        chosen_by: dict[tuple[str, _Choice], str] = {}
        for spec in specs:
            name, options = parse_spec(spec)
            kind = _with_backend(name)
            if kind is None:
                names = ", ".join(each for each in STRATEGIES if _with_backend(each) is not None)
                raise OptionError(f"option enable: {spec}: strategies to enable are {names}")
            backend = kind.backend_class(options)
            choice = name, _choice(backend)
            if choice in chosen_by:
                raise OptionError(f"option enable: {chosen_by[choice]} and {spec}: {_same_choice(backend)}")
            chosen_by[choice] = spec
            reason = backend.missing()
            if reason is not None:
                raise UnavailableError(f"option enable: {spec}: {reason}")
            self._backends.setdefault(name, []).append(backend)

    @property
    def offered(self) -> Sequence[str]:
        """The names of strategies that callers can use while all backends are up."""
        return [name for name in STRATEGIES if name in self._backends or not _must_be_enabled(name)]

    @property
    def backends(self) -> Mapping[str, Sequence[Backend]]:
        """The enabled backends, by the names of their strategies."""
        return self._backends

    def set_down(self, backend: Backend, reason: str, seconds: float) -> None:
        """Refuse calls for a backend, which will probably be back in so many seconds. From any thread."""
        self._outages[backend] = _Outage(reason, time.monotonic() + seconds)

    def set_up(self, backend: Backend) -> None:
        """Accept calls for a backend again. From any thread."""
        self._outages.pop(backend, None)

    def infos(self) -> list[StrategyInfo]:
        """All strategies as callers see them: only the options that callers can set, with this server's defaults."""
        return [self._as_served(info) for info in list_strategies()]

    def make(self, name: str, options: Mapping[str, OptionValue]) -> Strategy:
        """A strategy for one call, on the shared backend if it has one.

        Raises :class:`~merger.errors.OptionError` for unknown names and for options that callers can't set or this
        server has not enabled, :class:`~merger.errors.UnavailableError` for a strategy that is not enabled, and
        :class:`~merger.errors.BackendDownError` while its backend restarts.
        """
        if not _must_be_enabled(name):
            strategy = make_strategy(name, options)
            reason = strategy.unavailable()
            if reason is not None:
                raise UnavailableError(f"strategy {name} can't run on this server: {reason}")
            return strategy
        kind = _with_backend(name)
        backends = self._backends.get(name)
        if kind is None or not backends:
            raise UnavailableError(f"strategy {name}: {NOT_ENABLED}")
        backend = _matching(name, kind, backends, options)
        outage = self._outages.get(backend)
        if outage is not None:
            seconds = max(_SHORTEST_RETRY_SECONDS, outage.until - time.monotonic())
            raise BackendDownError(f"strategy {name}: {_RESTARTING}: {without_addresses(outage.reason)}", seconds)
        return kind({**backend.values, **options}, RedactedBackend(backend))

    def warm(self, watch: WorkContext) -> None:
        """Start all enabled backends."""
        for backends in self._backends.values():
            for backend in backends:
                backend.warm(watch)

    def close(self) -> None:
        """Stop all backends and taggers."""
        self.taggers.close()
        for backends in self._backends.values():
            for backend in backends:
                backend.close()

    def _as_served(self, info: StrategyInfo) -> StrategyInfo:
        if not _must_be_enabled(info.name):
            return info
        backends = self._backends.get(info.name)
        defaults = backends[0].values if backends else {}
        options = tuple(
            replace(option, default=defaults.get(option.name, option.default))
            for option in info.options
            if option.name not in STRATEGIES[info.name].operator_options
        )
        return replace(info, options=options, unavailable=self._why_unavailable(backends or ()))

    def _why_unavailable(self, backends: Sequence[Backend]) -> str | None:
        if not backends:
            return NOT_ENABLED
        outages = [self._outages.get(backend) for backend in backends]
        reasons = [outage.reason for outage in outages if outage is not None]
        # With one of several backends down, the strategy still works with other options.
        return f"{_RESTARTING}: {without_addresses(reasons[0])}" if len(reasons) == len(backends) else None


def _with_backend(name: str) -> type[CoreferenceStrategy] | None:
    """The strategy's class if it works by a backend, which an operator can enable."""
    kind = STRATEGIES.get(name)
    return kind if kind is not None and issubclass(kind, CoreferenceStrategy) else None


def _must_be_enabled(name: str) -> bool:
    """Whether callers can use the strategy only if the operator has enabled it."""
    kind = STRATEGIES.get(name)
    return kind is not None and (bool(kind.operator_options) or _with_backend(name) is not None)


def _choice(backend: Backend) -> _Choice:
    """The options with which a caller gets this backend."""
    return frozenset((name, value) for name, value in backend.values.items() if name not in backend.operator_options)


def _same_choice(backend: Backend) -> str:
    own = [option.name for option in backend.options if option.name not in backend.operator_options]
    choosing = f"callers choose by {', '.join(own)}, which are the same" if own else "callers can't choose between them"
    return f"{choosing}, so the second would never be used"


def _matching(
    name: str, kind: type[CoreferenceStrategy], backends: Sequence[Backend], options: Mapping[str, OptionValue]
) -> Backend:
    """The first enabled backend with the options of the caller."""
    own = {option.name: option for option in kind.backend_class.options}
    forbidden = kind.operator_options & options.keys()
    if forbidden:
        raise OptionError(f"strategy {name}: option {min(forbidden)} is the server operator's", option=min(forbidden))
    chosen = {option: own[option].parse(value) for option, value in options.items() if option in own}
    for backend in backends:
        if all(backend.values[option] == value for option, value in chosen.items()):
            return backend
    enabled = "; ".join(backend.signature for backend in backends)
    raise OptionError(f"strategy {name} is not enabled with these options here; enabled: {enabled}")


def make_served(strategies: ServedStrategies, message: v1.StrategySpec, field: str) -> Strategy:
    """The strategy that the request names in ``field``.

    Raises the errors of :meth:`~service.strategies.ServedStrategies.make`; an error about an option carries its field
    of the request.
    """
    try:
        return strategies.make(*spec_from_message(message))
    except OptionError as error:
        names = [setting.name for setting in message.options]
        error.field = field if error.option not in names else f"{field}.options[{names.index(error.option)}]"
        raise
