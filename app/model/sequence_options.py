"""The options of `tessera export` for sequences: a part of the table in `option_table`."""

from __future__ import annotations

from app.model.option import Field, Group, Option
from app.model.option_values import credentials, seconds

SEQUENCES = Group(
    "sequences: IN and OUT like shot.####.exr, shot.%04d.exr, shot.1001-1100x2#.exr",
    (
        Option(
            "frames",
            "such as 1001-1100,1150; default: all that exist",
            metavar="LIST",
            signed=True,
            field=Field(
                "Basic", "Frames", tip="The frames to write", default="All", example="1001-1100,1150", first=True
            ),
        ),
        Option(
            "missing",
            "what to do if a frame has no file: fail (default), leave it out, repeat the previous frame, or write "
            "black",
            choices=("error", "skip", "hold", "black"),
            field=Field("Sequence", "Missing frames", labels=("Fail", "Skip", "Hold the previous frame", "Black")),
        ),
        Option(
            "resume",
            "export only frames that are missing, incomplete, outdated or made with other options",
            switch=True,
            field=Field("Sequence", "Unfinished frames only"),
        ),
        Option(
            "watch",
            "wait for new frames until none arrives for so many seconds; or inf",
            metavar="SECONDS",
            parse=seconds,
            field=Field("Sequence", "Follow", default="No", example="30, in seconds, or inf"),
        ),
        Option(
            "dask",
            "export on a farm: the address of its scheduler, or local or local:N for N processes on this machine",
            metavar="ADDRESS",
            field=Field("Sequence", "Farm", default="None: this machine", example="tcp://farm:8786, local:4"),
        ),
        Option(
            "dask-tls",
            "PEM files for the connection to the scheduler; default: those of Dask's configuration",
            metavar="CA,CERT,KEY",
            parse=credentials,
            field=Field("Sequence", "Farm TLS", tip="PEM files: CA, certificate, key", default="None"),
        ),
    ),
)
