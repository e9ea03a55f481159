//===- Netlist.td - layers that only hand-written netlists have ----------===//
// Facts about the netlist route whose layers are no MIL operation. No program that is written here contains one.
#ifndef ANE_CONSTRAINT_CATALOG_NETLIST_TD
#define ANE_CONSTRAINT_CATALOG_NETLIST_TD

include "ane/Constraint/Constraint.td"

class NetlistLayer<string id, string slug> : ANE_Constraint<id, slug> {
  let scope = PerProgram;
  let where = [Applies<AllTiers, [Netlist]>];
  let enforcedBy = Nobody;
  let predicate = NotEnforced<"the layer is no MIL operation: it is never written">;
}

def NormChannels : ANE_Constraint<"C104", "norm-channels"> {
  let summary = "local_response_norm takes at most 15 channels on M1";
  let symptom = Reject;
  let ops = [ANE_LocalResponseNormOp];
  let where = [Applies<[TierH13], [Netlist]>];
  let predicate = Custom<"checkNormChannels", "there are at most Limit::NormChannels channels">;
  let host = true;
  let remedy = "the CPU computes it";
  let evidence = [
    Supports<ANEForge, "M1", "", Measured, "16 channels fail; alpha is divided by the window (Q26)">,
    Contradicts<ANEForge, "M5 Pro", "", Measured, "correct on e5rt">];
}

def MinMaxNorm : NetlistLayer<"C128", "minmax-norm"> {
  let summary = "minmax_norm knows width and height, not channels";
  let symptom = Reject;
  let remedy = "reductions and a quotient";
  let evidence = [Supports<ANEForge, "M1", "", Measured, "the channel axis is rejected (Q27)">];
}

def ScaledElementwise : NetlistLayer<"C129", "scaled-elementwise"> {
  let summary = "scaled_elementwise rejects differences and ignores the scale of products";
  let symptom = WrongResult;
  let remedy = "a product and a difference";
  let evidence = [Supports<ANEForge, "all", "", Measured, "Sub is rejected, Mult drops the scale (Q28)">];
}

def DynamicSlice : NetlistLayer<"C130", "dynamic-slice"> {
  let summary = "dynamic_slice is known to work for a width of 4 and a size of 2 only";
  let symptom = Reject;
  let remedy = "a product with a one-hot matrix";
  let evidence = [Supports<ANEForge, "H14 and later", "", Measured, "other shapes fail (Q29)">];
}

def SpaceToChannel : NetlistLayer<"C131", "space-to-channel"> {
  let summary = "space_to_channel wants a batch of 1 and a depth of 1, and has TensorFlow's order";
  let symptom = Reject;
  let remedy = "reshapes and transposes";
  let evidence = [Supports<ANEForge, "all", "", Measured, "equals the pixel ops for one channel only (Q31)">];
}

def FarthestPoints : NetlistLayer<"C132", "farthest-points"> {
  let summary = "farthest point sampling takes 1,024 of 8,192 points, by Euclidean distance";
  let symptom = Reject;
  let remedy = "the CPU samples";
  let evidence = [Supports<ANEForge, "all", "", Measured, "k at most 1,024, N at most 8,192 (Q32)">];
}

def NetlistText : ANE_Constraint<"C191", "netlist-text"> {
  let summary = "the netlist route takes hand-written networks, no MIL text";
  let symptom = Reject;
  let effect = ComputesAnyway; // so that it shows what the other records say of the layers
  let scope = PerProgram;
  let where = [Applies<AllTiers, [Netlist]>];
  let enforcedBy = Linter;
  let predicate = CheckedElsewhere<"no program on this route is MIL text; the tools compile nothing for it", "netlistText">;
  let remedy = "route in_memory, coreml or e5rt; other findings are about the layers that the operations would be";
  let evidence = [
    Supports<ANEForge, "M1, M5", "", Reported, "a property list of units, given by modelWithNetworkDescription (matrix 0.3, 7.1)">];
}

#endif // ANE_CONSTRAINT_CATALOG_NETLIST_TD
