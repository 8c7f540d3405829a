"""OpenColorIO import and export: processors and files become ops, ops become files.

Only this package imports PyOpenColorIO. OpenColorIO decomposes transforms; the arithmetic is Tessera's.

The public names are imported on first use. Threads may import modules of the package at the same time: if the package
imported its modules itself, each could wait for the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.core.public_names import importer

if TYPE_CHECKING:
    from engine.ocio.cdl_files import list_cdl_ids as list_cdl_ids
    from engine.ocio.cdl_files import split_cdl_id as split_cdl_id
    from engine.ocio.cdl_files import write_cdl as write_cdl
    from engine.ocio.config import Config as Config
    from engine.ocio.config_files import builtin_configs as builtin_configs
    from engine.ocio.config_files import load_config as load_config
    from engine.ocio.files import describe_look as describe_look
    from engine.ocio.files import look_from_file as look_from_file
    from engine.ocio.files import ops_from_file as ops_from_file
    from engine.ocio.transforms import ops_from_processor as ops_from_processor

_HOME = {
    "Config": "config",
    "builtin_configs": "config_files",
    "describe_look": "files",
    "list_cdl_ids": "cdl_files",
    "load_config": "config_files",
    "look_from_file": "files",
    "ops_from_file": "files",
    "ops_from_processor": "transforms",
    "split_cdl_id": "cdl_files",
    "write_cdl": "cdl_files",
}
__all__ = sorted(_HOME)
__getattr__ = importer(__name__, _HOME)
