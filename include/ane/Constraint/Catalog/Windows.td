//===- Windows.td - convolutions, pools, resizing -----------------------===//
#ifndef ANE_CONSTRAINT_CATALOG_WINDOWS_TD
#define ANE_CONSTRAINT_CATALOG_WINDOWS_TD

include "ane/Constraint/Constraint.td"

def ResizeModes : ANE_Constraint<"C47", "resize-modes"> {
  let summary = "resizing knows asymmetric and aligned corners only, not half-pixel centres";
  let symptom = Reject;
  let ops = [ANE_UpsampleBilinearOp, ANE_ResizeBilinearOp, ANE_ResizeOp];
  let predicate = Custom<"checkResizeModes", "the sampling grid is asymmetric, or has aligned corners">;
  let host = true;
  let remedy = "the CPU resizes; two matmuls with interpolation matrices do the same";
  let evidence = [
    Supports<ANEForge, "M5", "", Measured, "other modes do not match (Q35)">,
    Supports<ANEGuide, "M1", "", Inferred, "software with other rounding before H14">];
}

def RuntimeConvWeight : ANE_Constraint<"C53", "runtime-conv-weight"> {
  let summary = "the weight of a convolution is a constant";
  let symptom = WrongResult;
  let effect = IgnoresWeight;
  let ops = [ANE_ConvOp, ANE_ConvTransposeOp];
  let where = [OnInMemory];
  let predicate = OperandIsConstant<"weight">;
  let host = true;
  let remedy = "a matmul where the kernel is 1x1, else the CPU";
  let evidence = [
    Supports<FieldGuide, "M3 Max", "macOS 26.3", Disputed, "compiles, the weight surface is ignored (Q86); names x, W bind in reverse">,
    Supports<Maderix, "M1", "", Reported, "grouped: InvalidMILProgram (Q19)">,
    Contradicts<ANEGuide, "M1", "", Measured, "correct at batch 1 on e5rt; batch 2 kills the compile service (Q18)">];
}

def Conv3D : ANE_Constraint<"C63", "conv-3d"> {
  let summary = "convolutions and pools have at most two spatial axes";
  let symptom = Reject;
  let ops = [ANE_ConvOp, ANE_ConvTransposeOp, ANE_MaxPoolOp, ANE_AvgPoolOp, ANE_L2PoolOp];
  let predicate = Custom<"checkSpatialAxes", "the op has one or two spatial axes">;
  let legalisedBy = [LegalizePatches];
  let remedy = "a convolution becomes one over two axes, with depth as channels; others run on the CPU";
  let evidence = [Supports<ANEForge, "M1 ... M5", "", Measured, "3-D convolution fails to lower on every device">];
}

def KernelWidth : ANE_Constraint<"C64", "kernel-width"> {
  let summary = "the kernel of a convolution has a maximum width";
  let symptom = Reject;
  let ops = [ANE_ConvOp, ANE_ConvTransposeOp];
  let predicate = Custom<"checkKernelWidth", "the kernel is at most Limit::KernelWidth wide, Limit::KernelWidthStrided "
                         "where it is strided or transposed">;
  let legalisedBy = [LegalizePatches];
  let remedy = "a kernel that is its stride becomes a linear, a strided one counts blocks, others become a sum of narrower "
               "convolutions";
  let evidence = [
    Supports<ANEForge, "M1", "", Measured, "13 accepted, 14 rejected">,
    Supports<ANEForge, "M5", "", Measured, "15 accepted, 16 rejected">,
    Supports<Study751K, "M4", "macOS 27", Measured, "15 accepted, 16 and 31 refused">,
    Contradicts<ANEGuide, "H14 and later", "", Inferred, "the HAL table says 16">];
}

def KernelHeight : ANE_Constraint<"C221", "kernel-height"> {
  let summary = "the kernel of a convolution has a maximum height";
  let symptom = Reject;
  let ops = [ANE_ConvOp, ANE_ConvTransposeOp];
  let predicate = Custom<"checkKernelHeight", "the kernel is at most Limit::KernelHeight high">;
  let legalisedBy = [LegalizePatches];
  let remedy = "a sum of convolutions with parts of the kernel";
  let evidence = [
    Supports<Study751K, "M4", "macOS 27", Measured,
      "32 high refused: conv with large kernel does not meet decomposition preconditions; 31 accepted">,
    Supports<Study751K, "other chips and routes", "", Inferred, "the message is the engine compiler's, which all share">,
    Contradicts<ANEForge, "M1, M5", "", Measured, "height is not limited in effect (16 was tried)">];
}

def MaxPoolWidth : ANE_Constraint<"C220", "max-pool-width"> {
  let summary = "a max pool has a maximum width";
  let symptom = Reject;
  let ops = [ANE_MaxPoolOp];
  let predicate = Custom<"checkMaxPoolWidth", "the window is at most Limit::MaxPoolWidth wide">;
  let legalisedBy = [LegalizePools];
  let remedy = "several narrower pools, one behind the other, give the same";
  let evidence = [
    Supports<Study751K, "M4", "macOS 27", Measured,
      "a width of 9 refused: invalid pool kernel width, must be [1-8] or 32; a height of 9 accepted">,
    Supports<Study751K, "other chips and routes", "", Inferred, "the message is the engine compiler's, which all share">,
    Contradicts<ANEForge, "M1", "", Measured, "windows of 128 accepted: of which pool and axis is not told">];
}

def PoolWindow : ANE_Constraint<"C67", "pool-window"> {
  let summary = "the window of a pool has a maximum extent";
  let symptom = Reject;
  let ops = [ANE_MaxPoolOp, ANE_AvgPoolOp, ANE_L2PoolOp];
  let predicate = Custom<"checkPoolWindow", "the window is at most Limit::PoolWindow in each direction">;
  let host = true;
  let remedy = "the CPU computes it; a window of the whole tensor is a reduction";
  let evidence = [
    Supports<ANEGuide, "H14 and later", "", Inferred, "documented limit">,
    Supports<Study751K, "M4", "macOS 27", Measured, "a mean over 14 x 14 is accepted">,
    Contradicts<ANEForge, "M1", "", Measured, "128 accepted; odd windows just off a power of two can be rejected">];
}

#endif // ANE_CONSTRAINT_CATALOG_WINDOWS_TD
