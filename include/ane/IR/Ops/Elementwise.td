//===- Elementwise.td - element-wise arithmetic -------------------------===//
#ifndef ANE_IR_OPS_ELEMENTWISE_TD
#define ANE_IR_OPS_ELEMENTWISE_TD

include "ane/IR/ANEBase.td"

//===-- one operand -----------------------------------------------------===//

class ANE_UnaryOp<string mnemonic, string text, Type type = ANE_FloatTensor, list<Trait> traits = []>
    : ANE_MILOp<mnemonic, [ANE_Elementwise] # traits> {
  let summary = text;
  let arguments = (ins type:$x);
  let results = (outs type:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let inference = "inferSameAs(adaptor.getX(), types)";
}

class ANE_RoundingOp<string mnemonic, string text> : ANE_UnaryOp<mnemonic, text> {
  let isCheap = 1;
  let range = "x.rounded()";
  let groups = [Roundings];
}

class ANE_FunctionOp<string mnemonic, string text, Type type = ANE_FloatTensor> : ANE_UnaryOp<mnemonic, text, type> {
  let groups = [Nonlinearities];
}

def ANE_AbsOp : ANE_UnaryOp<"abs", "|x|", ANE_NumberTensor> {
  let range = "x.magnitude()";
  let meaning = "abs(x)";
  let isCheap = 1;
}
def ANE_SignOp : ANE_UnaryOp<"sign", "-1, 0 or 1, the sign of x", ANE_NumberTensor> {
  let meaning = "sign(x)";
  let isCheap = 1;
  let range = "{-1, 1}";
}
def ANE_SquareOp : ANE_UnaryOp<"square", "x * x", ANE_NumberTensor> {
  let range = "x.square()";
  let meaning = "x * x";
  let isCheap = 1;
}
def ANE_Exp2Op : ANE_FunctionOp<"exp2", "2^x", ANE_NumberTensor> { let meaning = "exp2(x)"; }
def ANE_AcosOp : ANE_FunctionOp<"acos", "arc cosine of x"> { let meaning = "acos(x)"; }
def ANE_AsinOp : ANE_FunctionOp<"asin", "arc sine of x"> { let meaning = "asin(x)"; }
def ANE_AtanOp : ANE_FunctionOp<"atan", "arc tangent of x"> { let meaning = "atan(x)"; }
def ANE_AtanhOp : ANE_FunctionOp<"atanh", "inverse hyperbolic tangent of x"> { let meaning = "atanh(x)"; }
def ANE_CeilOp : ANE_RoundingOp<"ceil", "x rounded up"> { let meaning = "ceil(x)"; }
def ANE_CosOp : ANE_FunctionOp<"cos", "cosine of x"> {
  let range = "{-1, 1}";
  let meaning = "cos(x)";
}
def ANE_CoshOp : ANE_FunctionOp<"cosh", "hyperbolic cosine of x"> { let meaning = "cosh(x)"; }
def ANE_ErfOp : ANE_FunctionOp<"erf", "error function of x"> {
  let range = "{-1, 1}";
  let meaning = "erf(x)";
}
def ANE_ExpOp : ANE_FunctionOp<"exp", "e^x"> {
  let range = "x.exp()";
  let meaning = "exp(x)";
}
def ANE_FloorOp : ANE_RoundingOp<"floor", "x rounded down"> { let meaning = "floor(x)"; }
def ANE_RoundOp : ANE_RoundingOp<"round", "x rounded to the nearest integer, ties to even"> {
  let meaning = "round(x)";
}
def ANE_SinOp : ANE_FunctionOp<"sin", "sine of x"> {
  let range = "{-1, 1}";
  let meaning = "sin(x)";
}
def ANE_SinhOp : ANE_FunctionOp<"sinh", "hyperbolic sine of x"> { let meaning = "sinh(x)"; }
def ANE_SqrtOp : ANE_FunctionOp<"sqrt", "square root of x"> {
  let range = "x.sqrt()";
  let meaning = "sqrt(x)";
}
def ANE_TanOp : ANE_FunctionOp<"tan", "tangent of x"> { let meaning = "tan(x)"; }
def ANE_TanhOp : ANE_FunctionOp<"tanh", "hyperbolic tangent of x"> {
  let range = "{-1, 1}";
  let meaning = "tanh(x)";
}
def ANE_LogicalNotOp : ANE_UnaryOp<"logical_not", "not x", ANE_BoolTensor> {
  let hasFolder = 1;
  let meaning = "logicalNot(x)";
  let isCheap = 1;
}

class ANE_EpsilonOp<string mnemonic, string text, string defaultEpsilon> : ANE_FunctionOp<mnemonic, text> {
  let arguments = (ins ANE_FloatTensor:$x, ANE_DefaultFloat<defaultEpsilon>:$epsilon);
}

def ANE_InverseOp : ANE_EpsilonOp<"inverse", "1 / (x + epsilon); MIL's default epsilon is not 0", "1.0e-4"> {
  let meaning = "1.0 / (x + epsilon)";
}
def ANE_RsqrtOp : ANE_EpsilonOp<"rsqrt", "1 / sqrt(x + epsilon)", "1.0e-12"> {
  let meaning = "1.0 / sqrt(x + epsilon)";
}
def ANE_LogOp : ANE_EpsilonOp<"log", "natural logarithm of x + epsilon", "1.0e-45"> {
  let meaning = "log(x + epsilon)";
}

def ANE_ClipOp : ANE_UnaryOp<"clip", "min(max(x, alpha), beta)"> {
  let meaning = "clamp(x, alpha, beta)";
  let isCheap = 1;
  let arguments = (ins ANE_FloatTensor:$x, ANE_Float:$alpha, ANE_Float:$beta);
  let range = "x.clamped(getAlpha().convertToDouble(), getBeta().convertToDouble())";
  let hasVerifier = 1;
}

def ANE_ThresholdOp : ANE_UnaryOp<"threshold", "max(x, alpha)", ANE_NumberTensor> {
  let meaning = "larger(x, alpha)";
  let isCheap = 1;
  let arguments = (ins ANE_NumberTensor:$x, ANE_Float:$alpha);
  let range = "x.atLeast(getAlpha().convertToDouble())";
}

def ANE_IdentityOp : ANE_UnaryOp<"identity", "x", ANE_Tensor> {
  let meaning = "x";
  let isCheap = 1;
  let view = "x";
  let flops = "0";
  let range = "x";
  let hasFolder = 1;
}

class ANE_UnaryComposite<string mnemonic, string text, Type type = ANE_FloatTensor>
    : ANE_PureOp<mnemonic, [ANE_Decomposable, ANE_Elementwise]> {
  let summary = text;
  let arguments = (ins type:$x);
  let results = (outs type:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let inference = "inferSameAs(adaptor.getX(), types)";
}

def ANE_NegOp : ANE_UnaryComposite<"neg", "-x", ANE_NumberTensor> {
  let meaning = "-x";
  let isCheap = 1;
  let description = "MIL has no negation: decomposes to `mul` by -1.";
  let hasFolder = 1;
}

def ANE_ReciprocalOp : ANE_UnaryComposite<"reciprocal", "1 / x"> {
  let meaning = "1.0 / x";
  let isCheap = 1;
  let description = "MIL's `inverse` adds an epsilon that is never 0 by default: decomposes to `real_div`.";
}

def ANE_AcoshOp : ANE_UnaryComposite<"acosh", "inverse hyperbolic cosine of x"> {
  let meaning = "acosh(x)";
  let description = "MIL has none: decomposes to log(x + sqrt(x^2 - 1)), without squares that overflow.";
}

def ANE_AsinhOp : ANE_UnaryComposite<"asinh", "inverse hyperbolic sine of x"> {
  let meaning = "asinh(x)";
  let description = "MIL has none: decomposes to sign(x) log(|x| + sqrt(x^2 + 1)), without squares that overflow.";
}

//===-- two operands ----------------------------------------------------===//

class ANE_BinaryOp<string mnemonic, string text, Type type = ANE_NumberTensor, list<Trait> traits = []>
    : ANE_MILOp<mnemonic, [ANE_Elementwise] # traits> {
  let isCheap = 1;
  let summary = text # ", with NumPy broadcasting";
  let arguments = (ins type:$x, type:$y);
  let results = (outs type:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x) `,` type($y)";
  let inference = "inferBroadcast(loc, adaptor.getX(), adaptor.getY(), types)";
}

def ANE_AddOp : ANE_BinaryOp<"add", "x + y", ANE_NumberTensor, [Commutative]> {
  let meaning = "x + y";
  let range = "x + y";
  let hasFolder = 1;
}
def ANE_SubOp : ANE_BinaryOp<"sub", "x - y"> {
  let meaning = "x - y";
  let range = "x - y";
  let hasFolder = 1;
}
def ANE_MulOp : ANE_BinaryOp<"mul", "x * y", ANE_NumberTensor, [Commutative]> {
  let meaning = "x * y";
  let range = "x * y";
  let hasFolder = 1;
}
def ANE_RealDivOp : ANE_BinaryOp<"real_div", "x / y; integers divide towards zero"> {
  let meaning = "x / y";
  let range = "x / y";
  let hasFolder = 1;
}
def ANE_FloorDivOp : ANE_BinaryOp<"floor_div", "floor(x / y)"> {
  let hasFolder = 1;
  let meaning = "floorQuotient(x, y)";
  let isCheap = 0;
}
def ANE_ModOp : ANE_BinaryOp<"mod", "x - y * floor(x / y), which has the sign of y"> {
  let meaning = "floorRemainder(x, y)";
  let isCheap = 0;
}
def ANE_PowOp : ANE_BinaryOp<"pow", "x^y"> {
  let hasFolder = 1;
  let meaning = "power(x, y)";
  let isCheap = 0;
}
def ANE_MaximumOp : ANE_BinaryOp<"maximum", "the larger of x and y", ANE_NumberTensor, [Commutative]> {
  let meaning = "larger(x, y)";
  let range = "larger(x, y)";
  let hasFolder = 1;
}
def ANE_MinimumOp : ANE_BinaryOp<"minimum", "the smaller of x and y", ANE_NumberTensor, [Commutative]> {
  let meaning = "smaller(x, y)";
  let range = "smaller(x, y)";
  let hasFolder = 1;
}

class ANE_CompareOp<string mnemonic, string text, list<Trait> traits = []>
    : ANE_MILOp<mnemonic, [ANE_Elementwise] # traits> {
  let isCheap = 1;
  let summary = text # ", with NumPy broadcasting; the result is bool";
  let arguments = (ins ANE_ElementTensor:$x, ANE_ElementTensor:$y);
  let results = (outs ANE_BoolTensor:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x) `,` type($y)";
  let inference = "inferCompare(loc, adaptor.getX(), adaptor.getY(), types)";
}

def ANE_EqualOp : ANE_CompareOp<"equal", "x = y", [Commutative]> { let meaning = "x == y"; }
def ANE_NotEqualOp : ANE_CompareOp<"not_equal", "x != y", [Commutative]> { let meaning = "x != y"; }
def ANE_GreaterOp : ANE_CompareOp<"greater", "x > y"> { let meaning = "x > y"; }
def ANE_GreaterEqualOp : ANE_CompareOp<"greater_equal", "x >= y"> { let meaning = "x >= y"; }
def ANE_LessOp : ANE_CompareOp<"less", "x < y"> { let meaning = "x < y"; }
def ANE_LessEqualOp : ANE_CompareOp<"less_equal", "x <= y"> { let meaning = "x <= y"; }

def ANE_LogicalAndOp : ANE_BinaryOp<"logical_and", "x and y", ANE_BoolTensor, [Commutative]> {
  let hasFolder = 1;
  let meaning = "x & y";
}
def ANE_LogicalOrOp : ANE_BinaryOp<"logical_or", "x or y", ANE_BoolTensor, [Commutative]> {
  let hasFolder = 1;
  let meaning = "x | y";
}
def ANE_LogicalXorOp : ANE_BinaryOp<"logical_xor", "x xor y", ANE_BoolTensor, [Commutative]> { let meaning = "x ^ y"; }

//===-- bits: MIL has none, and integers stay on the CPU (C23) ----------===//

def ANE_BitwiseNotOp : ANE_PureOp<"bitwise_not", [ANE_Elementwise]> {
  let meaning = "~x";
  let isCheap = 1;
  let summary = "the complement of every bit of x";
  let arguments = (ins ANE_IndexTensor:$x);
  let results = (outs ANE_IndexTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let inference = "inferSameAs(adaptor.getX(), types)";
}

class ANE_BitwiseOp<string mnemonic, string text, list<Trait> traits = []>
    : ANE_PureOp<mnemonic, [ANE_Elementwise] # traits> {
  let isCheap = 1;
  let summary = text # ", with NumPy broadcasting";
  let arguments = (ins ANE_IndexTensor:$x, ANE_IndexTensor:$y);
  let results = (outs ANE_IndexTensor:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x) `,` type($y)";
  let inference = "inferBroadcast(loc, adaptor.getX(), adaptor.getY(), types)";
}

def ANE_BitwiseAndOp : ANE_BitwiseOp<"bitwise_and", "the bits that x and y share", [Commutative]> {
  let meaning = "x & y";
}
def ANE_BitwiseOrOp : ANE_BitwiseOp<"bitwise_or", "the bits of x and of y", [Commutative]> { let meaning = "x | y"; }
def ANE_BitwiseXorOp : ANE_BitwiseOp<"bitwise_xor", "the bits in which x and y differ", [Commutative]> {
  let meaning = "x ^ y";
}
def ANE_ShiftLeftOp : ANE_BitwiseOp<"shift_left", "x 2^y; 0 where y is the width of x or more"> {
  let meaning = "shiftLeft(x, y)";
}
def ANE_ShiftRightOp : ANE_BitwiseOp<"shift_right", "floor(x / 2^y); 0 or -1 where y is the width of x or more"> {
  let meaning = "shiftRight(x, y)";
}

//===-- three operands --------------------------------------------------===//

def ANE_SelectOp : ANE_MILOp<"select", [ANE_Elementwise]> {
  let summary = "a where cond is true, b elsewhere; all three broadcast";
  let arguments = (ins ANE_BoolTensor:$cond, ANE_Tensor:$a, ANE_Tensor:$b);
  let results = (outs ANE_Tensor:$result);
  let assemblyFormat = "$cond `,` $a `,` $b attr-dict `:` type($cond) `,` type($a) `,` type($b)";
  let range = "unite({ranges[1], ranges[2]})";
  let hasFolder = 1;
}

#endif // ANE_IR_OPS_ELEMENTWISE_TD
