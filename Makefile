# Tessera: `make run` opens the sample image, `make test` checks everything. Both set up what they need, once:
# a virtual environment in .venv, and on Debian or Ubuntu the system libraries of Qt and Vulkan.

SHELL := /bin/bash
.DEFAULT_GOAL := run
.PHONY: run test check bench format libraries

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
GRADED := build/sample_graded.exr
# One more than cores: some tests wait for threads and processes.
TEST_JOBS = $(shell $(BIN)/python -c "import os; print((os.cpu_count() or 1) + 1)")
LIBRARIES := libxcb-icccm4 libxcb-keysyms1 libxcb-cursor0 libxcb-shape0 libxkbcommon-x11-0 libegl1 libglib2.0-0 \
  libdbus-1-3 libfontconfig1 libvulkan1 mesa-vulkan-drivers xvfb xauth
# A JACK server, through which tests play a MIDI surface.
test: LIBRARIES += jackd2
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
FIND_PYTHON = found=""; for name in $(PYTHON) python3 python3.14 python3.13 python3.12 python3.11 python; do \
  if "$$name" -c '$(NEW_ENOUGH)' 2>/dev/null; then found=$$name; break; fi; done

run: $(READY)
	@if [ "$$(uname)" = Linux ] && [ -z "$$DISPLAY$$WAYLAND_DISPLAY" ]; then \
	  mkdir -p $(dir $(GRADED)) && \
	  $(BIN)/tessera export resources/sample.exr $(GRADED) --force \
	    --cdl resources/looks/warm_evening.cc --lut resources/looks/soft_film.cube && \
	  echo "There is no display for the window: the sample, graded with its two looks, is in $(GRADED)"; \
	else \
	  $(BIN)/tessera resources/sample.exr; \
	fi

test: check
	@QT_QPA_PLATFORM=offscreen $(BIN)/python -m pytest --numprocesses $(TEST_JOBS) --dist worksteal

check: $(READY)
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python -m tools.words

bench: $(READY)
	@set -e; for what in cpu gpu views opencl kernels filters zones warps export window wall; do echo; $(BIN)/python -m tests.benchmarks.$$what; done

format: $(READY)
	@$(BIN)/ruff check --quiet --fix-only .
	@$(BIN)/ruff format .

# pip compiles the modules of what it installs, but not of what is editable. PySide6 would compile its own at each start;
# SBK_EMBED=0 unpacks them.
$(READY): pyproject.toml | libraries
	@set -e; \
	if ! $(BIN)/python -c '$(NEW_ENOUGH)' 2>/dev/null; then \
	  $(FIND_PYTHON); \
	  [ -n "$$found" ] || { echo "Tessera needs Python 3.11 or later; install it, or name it: make PYTHON=..."; exit 1; }; \
	  echo "Making $(VENV) with $$("$$found" --version)"; \
	  "$$found" -m venv --clear $(VENV) >/dev/null || { \
	    echo "$$found can't make virtual environments; on Debian or Ubuntu: sudo apt-get install python3-venv"; exit 1; }; \
	fi; \
	echo "Installing Tessera and the libraries it needs"; \
	$(PIP) -e '.[dev]'; \
	$(PIP) -e '.[movies]' || echo "PyAV could not be installed: Tessera goes on without movies"; \
	$(PIP) -e '.[oracles]' || echo "Some libraries could not be installed: tests that compare with them are skipped"; \
	$(PIP) -e '.[opencl]' || echo "PyOpenCL could not be installed: Tessera goes on without OpenCL"; \
	$(PIP) pocl-binary-distribution 2>/dev/null || echo "PoCL could not be installed: without a driver, OpenCL is not tested"; \
	$(PIP) -e '.[midi]' || echo "python-rtmidi could not be installed: Tessera goes on without MIDI"; \
	if nvidia-smi -L >/dev/null 2>&1; then \
	  $(PIP) -e '.[cuda]' || echo "CuPy could not be installed: Tessera goes on without CUDA"; \
	fi; \
	$(BIN)/python -m compileall -q app engine; \
	SBK_EMBED=0 $(BIN)/python -c "import compileall, pathlib, shiboken6; \
	  compileall.compile_dir(pathlib.Path(shiboken6.__file__).parent / 'files.dir', quiet=2)"; \
	touch $@

# Never fails: without these the window or Vulkan is missing, and the rest works.
libraries:
	@command -v dpkg-query >/dev/null && command -v apt-get >/dev/null || exit 0; \
	missing=""; \
	for name in $(LIBRARIES); do \
	  dpkg-query -W -f '$${Status}\n' $$name $${name}t64 2>/dev/null | grep -q '^install ok installed' || \
	    missing="$$missing $$name"; \
	done; \
	if [ ! -e $(BIN)/python ]; then \
	  $(FIND_PYTHON); \
	  [ "$$(command -v "$$found")" != /usr/bin/python3 ] || python3 -c 'import ensurepip' 2>/dev/null || \
	    missing="$$missing python3-venv"; \
	fi; \
	[ -n "$$missing" ] || exit 0; \
	root=""; [ "$$(id -u)" = 0 ] || root="sudo -n"; \
	install="apt-get install --yes --no-install-recommends$$missing"; \
	if [ -z "$$root" ] || $$root true 2>/dev/null; then \
	  echo "Installing system libraries:$$missing"; \
	  $$root apt-get update >/dev/null 2>&1; \
	  $$root env DEBIAN_FRONTEND=noninteractive $$install >/dev/null 2>&1 && exit 0; \
	  echo "They could not be installed: the window or Vulkan may be missing."; \
	fi; \
	echo "To install them: sudo $$install"
