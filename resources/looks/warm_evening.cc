<?xml version="1.0" encoding="UTF-8"?>
<ColorCorrection xmlns="urn:ASC:CDL:v1.2" id="warm_evening">
  <Description>A warm evening: golden light, a little more contrast and colour. Made for ACEScct</Description>
  <SOPNode>
    <Slope>1.05 1.04 1.01</Slope>
    <Offset>-0.006 -0.0125 -0.015</Offset>
    <Power>1.01 1.01 1.01</Power>
  </SOPNode>
  <SatNode>
    <Saturation>1.05</Saturation>
  </SatNode>
</ColorCorrection>
