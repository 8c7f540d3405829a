"""The command line of the fuzzer: see `tools.fuzz`."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a process with threads should not be forked

from tools.fuzz import campaign
from tools.fuzz.catalogue import make_catalogue
from tools.fuzz.findings import Findings, Record
from tools.fuzz.kinds import KINDS
from tools.fuzz.process import Place
from tools.fuzz.replay import replay

MEMORY_DISK = Path("/dev/shm")
"""Where there is one, files cost no disk and no waiting for it."""
NEWS_SECONDS = 10.0


def main() -> int:
    asked = arguments()
    root = MEMORY_DISK if MEMORY_DISK.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="tessera-fuzz-", dir=root) as folder:
        catalogue = make_catalogue(asked.seeds)
        place = Place(Path(folder), catalogue.companions, asked.timeout)
        if asked.replay:
            return replay(asked.replay, place)
        findings = Findings(asked.out, place, catalogue.seeds, asked.shrink)
        kinds = [KINDS[name] for name in asked.kind or KINDS]
        start = time.monotonic()
        batches = campaign.plan(kinds, catalogue, str(asked.seed), asked.count)
        until = start + (asked.seconds or float("inf"))
        totals = campaign.run(batches, place, findings, asked.jobs, until, News(asked.quiet).tell)
    print("\n".join(campaign.table(totals)))
    show(findings, totals, asked.out, time.monotonic() - start)
    return 1 if findings.records or totals.leaks else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tools.fuzz", description="Feed Tessera with damaged and hostile input."
    )
    parser.add_argument(
        "--kind", action="append", choices=list(KINDS), help="of input; again for more; all if not given"
    )
    parser.add_argument("--count", type=int, default=10_000, help="inputs over all kinds (default %(default)s)")
    parser.add_argument("--seconds", type=float, help="begin no batch after so long")
    parser.add_argument("--seed", type=int, default=0, help="other inputs for each (default 0)")
    parser.add_argument("--jobs", type=int, default=1, help="processes at once (default 1)")
    parser.add_argument("--timeout", type=float, default=20.0, help="seconds that an input may take (default 20)")
    parser.add_argument("--shrink", type=float, default=10.0, help="seconds to make a finding small (default 10)")
    parser.add_argument(
        "--seeds", type=Path, action="append", default=[], metavar="FOLDER", help="more seeds: its small files"
    )
    parser.add_argument(
        "--out", type=Path, default=Path("build/fuzz"), help="where harmful inputs go (default build/fuzz)"
    )
    parser.add_argument("--quiet", action="store_true", help="nothing but the table and the findings")
    parser.add_argument(
        "--replay", type=Path, nargs="+", metavar="FILE", help="run these files, or those of folders, instead"
    )
    return parser.parse_args()


class News:
    """Says how far it is, now and then, and each new finding."""

    def __init__(self, quiet: bool) -> None:
        self._quiet, self._start = quiet, time.monotonic()
        self._next = self._start + NEWS_SECONDS

    def tell(self, totals: campaign.Totals, record: Record | None) -> None:
        if self._quiet:
            return
        if record is not None:
            print(f"  found: {record.signature} ({len(record.entry.data)} bytes)", file=sys.stderr)
        elif time.monotonic() > self._next:
            self._next = time.monotonic() + NEWS_SECONDS
            print(f"{totals.inputs:,} inputs, {time.monotonic() - self._start:.0f} s", file=sys.stderr)


def show(findings: Findings, totals: campaign.Totals, out: Path, seconds: float) -> None:
    """Findings and leaks, and the most that processes grew."""
    times = os.times()
    processor = sum(times[:4])
    print(f"\n{totals.inputs:,} inputs in {seconds:.0f} s, {processor:.0f} s of the processor's time")
    grown = ", ".join(f"{kind} {bytes_ / (1 << 20):.0f}" for kind, bytes_ in totals.grown.items())
    print(f"growth of a process over its batch in MiB, at most: {grown}")
    for leak in totals.leaks:
        print(f"leak: {leak}")
    for signature, record in sorted(findings.records.items()):
        alone = "" if record.alone else ", not alone"
        print(f"harm: {signature} ({findings.counts[signature]} times{alone}): {out / record.file}")
    if findings.slow:
        print(f"{findings.slow} inputs took longer than --timeout once, but not again")
    print("no harm" if not findings.records else f"{len(findings.records)} findings")


if __name__ == "__main__":
    sys.exit(main())
