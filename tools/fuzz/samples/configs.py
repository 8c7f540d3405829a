"""Small OpenColorIO configs, by hand: a show's with everything in it, an old one, and the least there is."""

from __future__ import annotations

SHOW = b"""ocio_profile_version: 2.2

environment: {SHOT: sc010, LOOK: look.cube}
search_path: ["luts", "."]
strictparsing: false
family_separator: "/"
luma: [0.2126, 0.7152, 0.0722]
name: show
description: |
  A show made for a test.
  In two lines.

roles:
  aces_interchange: aces
  cie_xyz_d65_interchange: xyz
  default: raw
  color_timing: log
  compositing_log: log
  scene_linear: linear

file_rules:
  - !<Rule> {name: plates, colorspace: log, pattern: "*plate*", extension: exr}
  - !<Rule> {name: names, colorspace: linear, regex: ".*lin[0-9]+.*"}
  - !<Rule> {name: ColorSpaceNamePathSearch}
  - !<Rule> {name: Default, colorspace: linear}

viewing_rules:
  - !<Rule> {name: linear rule, encodings: scene-linear}

shared_views:
  - !<View> {name: shared, view_transform: plain, display_colorspace: screen, looks: "warm", rule: linear rule}

displays:
  monitor:
    - !<View> {name: film, view_transform: plain, display_colorspace: screen, looks: "+warm, -shot"}
    - !<View> {name: raw, colorspace: raw}
    - !<Views> [shared]

active_displays: [monitor]
active_views: [film, raw, shared]
inactive_colorspaces: [hidden]

looks:
  - !<Look>
    name: warm
    process_space: log
    description: warmer
    transform: !<CDLTransform> {slope: [1.1, 1, 0.9], offset: [0, 0.01, 0], power: [1, 1.1, 1], sat: 1.1}
  - !<Look>
    name: shot
    process_space: linear
    transform: !<FileTransform> {src: $LOOK, interpolation: tetrahedral}
    inverse_transform: !<ExponentTransform> {value: [1.1, 1.1, 1.1, 1]}

view_transforms:
  - !<ViewTransform>
    name: plain
    from_scene_reference: !<MatrixTransform> {matrix: [0.9, 0.1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]}

display_colorspaces:
  - !<ColorSpace>
    name: screen
    family: Display
    isdata: false
    encoding: sdr-video
    from_display_reference: !<ExponentWithLinearTransform> {gamma: 2.4, offset: 0.055, direction: inverse}
  - !<ColorSpace>
    name: xyz
    isdata: false

colorspaces:
  - !<ColorSpace>
    name: linear
    aliases: [lin, scene]
    family: Scene/Linear
    equalitygroup: ""
    bitdepth: 32f
    description: scene-linear values
    isdata: false
    categories: [working-space, file-io]
    encoding: scene-linear
    allocation: lg2
    allocationvars: [-8, 5, 0.004]
  - !<ColorSpace>
    name: aces
    isdata: false
    encoding: scene-linear
    to_scene_reference: !<MatrixTransform> {matrix: [0.7, 0.2, 0.1, 0, 0, 0.9, 0.1, 0, 0, 0, 1, 0, 0, 0, 0, 1]}
  - !<ColorSpace>
    name: log
    family: Scene/Log
    isdata: false
    encoding: log
    to_scene_reference: !<GroupTransform>
      children:
        - !<LogCameraTransform>
          base: 2
          log_side_slope: 0.1
          log_side_offset: 0.4
          lin_side_slope: 1
          lin_side_offset: 0.01
          lin_side_break: 0.01
          direction: inverse
        - !<RangeTransform> {min_in_value: -1, min_out_value: -1}
        - !<LogAffineTransform> {log_side_slope: [0.2, 0.2, 0.2], lin_side_offset: [0.1, 0.1, 0.1]}
        - !<LogTransform> {base: 10, direction: inverse}
  - !<ColorSpace>
    name: built
    isdata: false
    to_scene_reference: !<BuiltinTransform> {style: ACEScct_to_ACES2065-1}
  - !<ColorSpace>
    name: graded
    isdata: false
    from_scene_reference: !<GroupTransform>
      children:
        - !<GradingPrimaryTransform> {style: log, brightness: {rgb: [0, 0, 0], master: 0.1}, saturation: 1.1}
        - !<GradingToneTransform> {style: log, blacks: {rgb: [1, 1, 1], master: 1.1, start: 0.4, width: 0.4}}
        - !<GradingRGBCurveTransform> {style: log, red: {control_points: [0, 0, 0.5, 0.6, 1, 1]}}
        - !<FixedFunctionTransform> {style: ACES_GamutComp13, params: [1.147, 1.264, 1.312, 0.815, 0.803, 0.88, 1.2]}
        - !<AllocationTransform> {allocation: uniform, vars: [0, 1]}
        - !<ColorSpaceTransform> {src: linear, dst: aces}
  - !<ColorSpace>
    name: hidden
    isdata: false
    to_scene_reference: !<FileTransform> {src: look.cc, cccid: one}
  - !<ColorSpace>
    name: raw
    isdata: true

named_transforms:
  - !<NamedTransform>
    name: curve
    aliases: [a curve]
    family: Curves
    encoding: log
    transform: !<ExponentTransform> {value: 2.2, style: mirror}
"""

OLD = b"""ocio_profile_version: 1

search_path: luts
strictparsing: true
luma: [0.2126, 0.7152, 0.0722]

roles:
  default: raw
  scene_linear: linear

displays:
  default:
    - !<View> {name: Raw, colorspace: raw}
    - !<View> {name: Film, colorspace: film, looks: warm}

active_displays: []
active_views: []

looks:
  - !<Look>
    name: warm
    process_space: linear
    transform: !<CDLTransform> {slope: [1.1, 1, 0.9]}

colorspaces:
  - !<ColorSpace>
    name: raw
    isdata: true
    allocation: uniform
  - !<ColorSpace>
    name: linear
    isdata: false
  - !<ColorSpace>
    name: film
    from_reference: !<GroupTransform>
      children:
        - !<LogTransform> {base: 2}
        - !<FileTransform> {src: look.cube, interpolation: linear}
    to_reference: !<LookTransform> {src: linear, dst: linear, looks: warm}
"""

LEAST = b"ocio_profile_version: 2\nroles: {default: raw}\ncolorspaces:\n  - !<ColorSpace> {name: raw}\n"
