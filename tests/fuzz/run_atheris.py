"""Fuzz one target for as long as libFuzzer is told to: ``python -m tests.fuzz.run_atheris TARGET [libFuzzer options]``.

Without a target, name the targets. Inputs that reach new code are kept in ``.fuzz/TARGET`` and tried first next time;
one that breaks something is written to ``.fuzz``.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import given

from tests.fuzz.messages import changed, changed_list

if TYPE_CHECKING:
    from types import ModuleType

    from protos.merge_baseline import v1
    from tests.fuzz.targets import Target

FOLDER = Path(".fuzz")


def main(arguments: list[str]) -> None:
    """Does not return: libFuzzer ends the process."""
    # Without type hints, and not to be had everywhere.
    atheris = import_module("atheris")

    with atheris.instrument_imports(include=["merger", "protos"]):
        from tests.fuzz import targets as fuzzed

    all_targets = {**fuzzed.targets(), **_with_wrong_fields(fuzzed)}
    if len(arguments) < 2:  # the program's own name comes first
        sys.stdout.write("\n".join(all_targets) + "\n")
        return
    name = arguments[1]
    target = all_targets[name]
    corpus = FOLDER / name
    corpus.mkdir(parents=True, exist_ok=True)
    for index, seed in enumerate(target.seeds):
        (corpus / f"seed{index}").write_bytes(seed)
    words = FOLDER / f"{name}.dict"
    words.write_text("".join(f'"{_escaped(word)}"\n' for word in target.words), encoding="ascii")
    options = [
        f"-dict={words}",
        f"-artifact_prefix={FOLDER}/{name}-",
        "-timeout=10",
        "-rss_limit_mb=1024",
        "-max_len=8192",
    ]

    def run(data: bytes) -> None:
        target.run(data)

    atheris.Setup([arguments[0], *options, *arguments[2:], str(corpus)], run)
    atheris.Fuzz()


def _with_wrong_fields(fuzzed: ModuleType) -> dict[str, Target]:
    """Hypothesis makes messages of libFuzzer's bytes here: what is changed is a field, not a byte."""

    @given(changed(fuzzed.document_requests()))
    def document(message: v1.MergeDocumentRequest) -> None:
        fuzzed.answer_document(message.SerializeToString())

    @given(changed_list(fuzzed.stream_requests()))
    def stream(messages: list[v1.MergeStreamRequest]) -> None:
        fuzzed.answer_stream(message.SerializeToString() for message in messages)

    tests: dict[str, Any] = {"document-fields": document, "stream-fields": stream}
    nothing = (b"\x00",)
    return {name: fuzzed.Target(test.hypothesis.fuzz_one_input, nothing, nothing) for name, test in tests.items()}


def _escaped(word: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word[:60])


if __name__ == "__main__":
    main(sys.argv)
