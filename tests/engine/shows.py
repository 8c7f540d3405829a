"""A small OpenColorIO config of our own, such as a show has: file rules, context variables, a LUT, a shared view."""

from __future__ import annotations

from pathlib import Path

SHOW = """\
ocio_profile_version: 2.3
name: show
environment: {SHOT: sc010, GAIN: "2"}
search_path: luts
family_separator: /
strictparsing: true
roles:
  aces_interchange: AP0
  cie_xyz_d65_interchange: XYZ
  scene_linear: Plate
  compositing_log: Plate Log
  data: Mask
  default: Plate
file_rules:
  - !<Rule> {name: Log plates, pattern: "*_log*", extension: exr, colorspace: Plate Log}
  - !<Rule> {name: Mattes, regex: ".*_matte_.*", colorspace: Mask}
  - !<Rule> {name: ColorSpaceNamePathSearch}
  - !<Rule> {name: Default, colorspace: default}
shared_views:
  - !<View> {name: Film, view_transform: Plain, display_colorspace: <USE_DISPLAY_NAME>, looks: Shot}
displays:
  Monitor:
    - !<View> {name: Video, view_transform: Plain, display_colorspace: Monitor}
    - !<View> {name: Values, colorspace: Mask}
    - !<Views> [Film]
view_transforms:
  - !<ViewTransform>
    name: Plain
    from_scene_reference: !<MatrixTransform> {matrix: [0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1]}
looks:
  - !<Look>
    name: Shot
    process_space: Plate Log
    transform: !<FileTransform> {src: look_$SHOT.cc}
  - !<Look>
    name: Broken
    process_space: Plate
    transform: !<FileTransform> {src: gone.cube}
display_colorspaces:
  - !<ColorSpace>
    name: Monitor
    family: Screens
    encoding: sdr-video
    from_display_reference: !<ExponentTransform> {value: 2.4, style: mirror, direction: inverse}
  - !<ColorSpace> {name: XYZ, family: Screens}
colorspaces:
  - !<ColorSpace> {name: AP0, family: Reference, encoding: scene-linear, aliases: [lin_ap0_scene]}
  - !<ColorSpace>
    name: Plate
    family: Plates/Linear
    encoding: scene-linear
    categories: [file-io]
    aliases: [plate_lin]
    to_scene_reference: !<MatrixTransform> {matrix: [0.6, 0.3, 0.1, 0, 0.1, 0.8, 0.1, 0, 0, 0.1, 0.9, 0, 0, 0, 0, 1]}
  - !<ColorSpace>
    name: Plate Log
    family: Plates/Log
    encoding: log
    categories: [file-io, working-space]
    to_scene_reference: !<GroupTransform>
      children:
        - !<LogAffineTransform> {log_side_slope: 0.2, log_side_offset: 0.6, direction: inverse}
        - !<ColorSpaceTransform> {src: Plate, dst: AP0}
  - !<ColorSpace>
    name: Old Plate
    family: Plates
    description: behind a LUT that is not there
    to_scene_reference: !<FileTransform> {src: missing.spi1d}
  - !<ColorSpace>
    name: Graded
    to_scene_reference: !<CDLTransform> {slope: [2, 1, 1]}
  - !<ColorSpace> {name: Mask, family: Data, isdata: true}
named_transforms:
  - !<NamedTransform> {name: Curve, aliases: [crv], transform: !<ExponentTransform> {value: 2.2}}
"""

CC = "<ColorCorrection id='{0}'><SOPNode><Slope>{1} 1 1</Slope><Offset>0 0 0</Offset><Power>1 1 1</Power></SOPNode>"


def write_show(folder: Path, text: str = SHOW) -> Path:
    """The config and its files: looks of the shots sc010, red times 1.5, and sc020, red times 3."""
    (folder / "luts").mkdir(parents=True, exist_ok=True)
    for name, slope in (("sc010", 1.5), ("sc020", 3.0)):
        (folder / "luts" / f"look_{name}.cc").write_text(CC.format(name, slope) + "</ColorCorrection>")
    (folder / "config.ocio").write_text(text)
    return folder / "config.ocio"
