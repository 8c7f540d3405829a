"""Tessera's fuzzer: damaged and hostile input of every kind, in processes that are watched.

    python -m tools.fuzz --count 100000            all kinds
    python -m tools.fuzz --kind exr --seconds 60   one kind
    python -m tools.fuzz --replay FOLDER           inputs that did harm once

An input is a small valid file (a seed) after a few steps of mutators that know its structure, together with something
that Tessera does with it (an operation). An input is accepted, or refused by a TesseraError: one printable line that
names the file. All else is harm: another exception, a signal, a hang, memory without bound, output that is not ours,
files left over, an input or another file that changed. The same `--seed` makes the same inputs; each harm is reported
once, as the smallest input that does it, in `--out`.

To add a kind: write a module in `kinds/` with KINDS, a tuple of Kind, and name it in `kinds/__init__.py`. A Kind has
`seeds`, a function that makes valid files, always the same ones (what several kinds share stands in `samples/`);
`mutators` with their weights, functions (data, chance) -> data that raise anything of UNSUITABLE where the data have
lost their structure (`mutations/` has them for bytes, text, JSON, XML, zip, EXR, PNG, TIFF, ICC and more); and
`operations`, functions that get a Task and do what Tessera does (`operations/` holds those of several kinds). An
operation writes only to `task.target()`, takes random choices only from `task.chance`, and raises Harm where Tessera
did wrong without an exception. `python -m tools.fuzz --kind NAME --count 1000` tries it; about half of the inputs
should be accepted, or the mutators are too coarse.

    kind       Kind, Operation, Task, Input: what there is, and how inputs are generated
    catalogue  seeds of all kinds, made once       stage     the folder that operations find companions in
    worker     inputs in a process, observed       judge     what is harm, and where it was done
    limits     what a process may take             process   worker processes, watched
    findings   harm: once each, small, written     campaign  many batches, and the table
"""
