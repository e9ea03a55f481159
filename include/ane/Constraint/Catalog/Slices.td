//===- Slices.td - parts of tensors --------------------------------------===//
#ifndef ANE_CONSTRAINT_CATALOG_SLICES_TD
#define ANE_CONSTRAINT_CATALOG_SLICES_TD

include "ane/Constraint/Constraint.td"

def WidthSlice : ANE_Constraint<"C72", "width-slice"> {
  let summary = "on H13 and H14 a slice that begins inside the last axis turns what exceeds 4,094 into infinity";
  let symptom = WrongResult;
  let effect = PartOverflows;
  let ops = [ANE_SliceBySizeOp, ANE_SliceByIndexOp, ANE_SplitOp, ANE_CropOp];
  let where = [Applies<[TierH13, TierH14], AllRoutes>];
  let predicate = CustomOfRanges<"checkWidthSlice", "the slice begins at 0 of the last axis, or its values are known to be at most "
                         "Numeric::SliceMax">;
  let legalisedBy = [LegalizeSlices];
  let remedy = "the slice is taken along another axis, between two transposes";
  let evidence = [
    Supports<ANEForge, "H13, H14", "", Measured, "4,094 passes, 4,096 and 4,100 become infinity; other axes are not affected (Q01)">,
    Supports<ANEGuide, "M1, M2", "", Measured, "the copy multiplies by 16 in a fixed-point format">,
    Contradicts<ANEForge, "M4, M4 Max, M5, M6", "", Measured, "nothing up to 60,000; H15 is clean by its table only">];
}

def WidthSliceConcat : ANE_Constraint<"C73", "width-slice-concat"> {
  let summary = "a concat of two slices that begin inside the last axis gives wrong elements on H13 and H14";
  let symptom = WrongResult;
  let effect = GivesGarbage;
  let ops = [ANE_ConcatOp];
  let where = [Applies<[TierH13, TierH14], [E5RT]>];
  let predicate = Custom<"checkWidthSliceConcat", "at most one operand is a slice that begins inside the last axis">;
  let legalisedBy = [LegalizeSlices];
  let remedy = "the slices are taken along another axis, between two transposes";
  let evidence = [Supports<ANEForge, "H13, H14", "", Measured, "wrong elements (Q02)">];
}

def RowSlice : ANE_Constraint<"C74", "row-slice"> {
  let summary = "a slice of one row, such as a classification token, is rejected on e5rt";
  let symptom = Reject;
  let ops = [ANE_SliceBySizeOp, ANE_SliceByIndexOp];
  let where = [Applies<[TierH16], [E5RT]>];
  let predicate = Custom<"checkRowSlice", "the slice keeps more than one row, or begins or ends on another axis, too">;
  let legalisedBy = [LegalizeSlices];
  let remedy = "a product with a row that has a single 1";
  let evidence = [Supports<ANEForge, "M5", "", Measured, "rejected; a one-hot product runs (Q20b)">];
}

def SliceOfInput : ANE_Constraint<"C75", "slice-of-input"> {
  let summary = "slice_by_index of a program's input makes some programs invalid";
  let symptom = Reject;
  let ops = [ANE_SliceByIndexOp];
  let where = [OnInMemory];
  let predicate = Custom<"checkSliceOfInput", "slice_by_index does not read an argument of the program">;
  let legalisedBy = [LegalizeSlices];
  let remedy = "without strides it is slice_by_size; else the argument is multiplied by 1 first";
  let evidence = [
    Supports<Hollance, "", "", Reported, "InvalidMILProgram in a program with norms and convolutions (Q46)">,
    Supports<Espresso, "M3 Max", "macOS 15", Reported, "fails on inputs of complex programs">,
    Contradicts<ANELM, "M3 Max", "macOS 26.3", Measured, "runs">,
    Contradicts<Orion, "M4 Max", "macOS 15", Measured, "runs">];
}

#endif // ANE_CONSTRAINT_CATALOG_SLICES_TD
