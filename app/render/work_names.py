"""What the preview's thread works on, in words."""

from __future__ import annotations

from app.render.grid_requests import GridRequest
from app.render.probe_samples import ProbeRequest, SampleRequest
from app.render.requests import FALSE_COLOUR, ColoursRequest, Request, ScopeRequest


def name_of_work(work: object) -> str:
    """Return what a request makes the thread work on; '' for work that nobody waits for."""
    if isinstance(work, GridRequest):
        return "Computing the grid"
    if isinstance(work, ScopeRequest):
        return "Counting for the scopes"
    if isinstance(work, ProbeRequest | SampleRequest | ColoursRequest):
        return "Reading values"
    if not isinstance(work, Request):
        return ""
    return "Computing false colour" if FALSE_COLOUR in work.view.overlays else "Computing the image"
