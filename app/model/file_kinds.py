"""The file formats that the window opens and writes, by suffix."""

from __future__ import annotations

from app.model.session import SUFFIX
from engine.movies.movie_files import MOVIE_SUFFIXES

CDL_SUFFIXES = (".cc", ".ccc", ".cdl")
CONFIG_SUFFIXES = (".ocio", ".ocioz")
LOOK_SUFFIXES = (
    *(".cube", ".clf", ".ctf", ".3dl", ".spi1d", ".spi3d", ".spimtx", ".csp", ".lut", ".vf", ".mga", ".m3d", ".cub"),
    *(".hdl", ".look", ".itx", ".icc", ".icm", ".lut1d", ".3dmesh", ".1dlut"),
)
_IMAGES = "*.exr *.tif *.tiff *.dpx *.png *.jpg *.jpeg *.hdr *.tx"
_MOVIES = " ".join(f"*{suffix}" for suffix in MOVIE_SUFFIXES)
IMAGE_FILTER = f"Images and movies ({_IMAGES} {_MOVIES});;Images ({_IMAGES});;Movies ({_MOVIES});;All files (*)"
LOOK_FILTER = f"LUT and CDL files ({' '.join(f'*{s}' for s in (*LOOK_SUFFIXES, *CDL_SUFFIXES))});;All files (*)"
CDL_FILTER = "ASC CDL (*.cc *.ccc *.cdl)"
SESSION_FILTER = f"Tessera sessions (*{SUFFIX})"
GRADE_FILTER = "Tessera grades (*.json)"
GRADED_FILTER = "Tessera grades and EXRs exported with one (*.json *.exr)"
