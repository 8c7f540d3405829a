<?xml version="1.0" encoding="UTF-8"?>
<ColorCorrection xmlns="urn:ASC:CDL:v1.2" id="warm_evening">
  <Description>A warm evening: golden highlights, a little more contrast and colour</Description>
  <SOPNode>
    <Slope>1.14 1.0 0.84</Slope>
    <Offset>0.0 0.0 0.002</Offset>
    <Power>1.06 1.05 1.02</Power>
  </SOPNode>
  <SatNode>
    <Saturation>1.08</Saturation>
  </SatNode>
</ColorCorrection>
