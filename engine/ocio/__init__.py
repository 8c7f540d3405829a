"""OpenColorIO import and export: processors and files become ops, ops become files.

Only this package imports PyOpenColorIO. OpenColorIO decomposes transforms; the arithmetic is Tessera's.
"""

from engine.ocio.cdl_files import list_cdl_ids, split_cdl_id, write_cdl
from engine.ocio.config import Config
from engine.ocio.config_files import builtin_configs, load_config
from engine.ocio.files import describe_look, look_from_file, ops_from_file
from engine.ocio.transforms import ops_from_processor

__all__ = [
    "Config",
    "builtin_configs",
    "describe_look",
    "list_cdl_ids",
    "load_config",
    "look_from_file",
    "ops_from_file",
    "ops_from_processor",
    "split_cdl_id",
    "write_cdl",
]
