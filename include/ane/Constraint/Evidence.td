//===- Evidence.td - where a hardware fact comes from -------------------===//
// Nothing here was measured by this project: every record restates a public source, or what an owner of a Mac has sent back
// (scripts/merge_mac_check.py). Sources that disagree are all kept.
#ifndef ANE_CONSTRAINT_EVIDENCE_TD
#define ANE_CONSTRAINT_EVIDENCE_TD

/// A public source of facts. `routes` are those on which it measured; none where that differs or is not told.
class Source<string sourceTag, string sourceTitle, list<string> onRoutes = []> {
  string tag = sourceTag;
  string title = sourceTitle;
  list<string> routes = onRoutes;
}
def Orion : Source<"Orion", "mechramc/Orion and its paper (arXiv 2603.06728): M4 Max, macOS 15, in-memory route", ["in_memory"]>;
def Maderix : Source<"maderix", "maderix/ANE, its issues and pull requests: M1 ... M5 Max, in-memory route", ["in_memory"]>;
def ANEForge : Source<"ANEForge", "sbryngelson/ANEForge (arXiv 2606.17090): e5rt sweeps, cliffs, quirks", ["e5rt"]>;
def ANEGuide : Source<"ane-guide", "sbryngelson/ane-guide (arXiv 2606.22283): HAL tables of all compiler targets">;
def Libane : Source<"libane", "AmiraniLabs/libane: M3 Pro, in-memory route", ["in_memory"]>;
def QwenANE : Source<"qwen-ane", "True2456/qwen-ane: M5 Max, macOS 27.0, in-memory route", ["in_memory"]>;
def Rustane : Source<"rustane", "ncdrone/rustane: M3 Ultra and M4 Max, in-memory route", ["in_memory"]>;
def Omlx : Source<"omlx", "jundot/omlx documents and issues: M1 Ultra ... M5 Pro">;
def FieldGuide : Source<"field guide", "skyfallsin/apple-neural-engine-field-guide: M3 Max, macOS 26.3.1, in-memory route", ["in_memory"]>;
def ANELM : Source<"ANE-LM", "skyfallsin/ANE-LM and johnmai-dev/ANE-LM: M3 Max, in-memory route", ["in_memory"]>;
def ANEgpt : Source<"ANEgpt", "vipuldivyanshu92/ANEgpt: M4 and M5, in-memory route", ["in_memory"]>;
def Espresso : Source<"Espresso", "christopherkarani/Espresso: M3 Max, macOS 15, in-memory route", ["in_memory"]>;
def M0at : Source<"m0at", "m0at/ANEtransformers: M5 and M4, macOS 26.3, in-memory route", ["in_memory"]>;
def AneInfer : Source<"ane-infer", "thebasedcapital/ane-infer: M5, macOS 26.3, in-memory route", ["in_memory"]>;
def Crane : Source<"CRANE", "fused vision-block project: M-series, macOS 15, chip not named">;
def Laws : Source<"ANE laws", "ANE empirical laws: M4 Max, Core ML route", ["coreml"]>;
def Zml : Source<"zml", "article on a Zig executor: M2 Max">;
def Hollance : Source<"hollance", "hollance/neural-engine: Core ML notes, various chips", ["coreml"]>;
def CoreAI : Source<"Core AI projects", "apple/coreai-models, coreai-torch, coremltools issues and related repositories">;
def Hybrid : Source<"hybrid paper", "comparison of Core ML, ANE-LM and MLX: M2 Ultra, macOS 26.3">;
def ANEMLLBench : Source<"ANEMLL-Bench", "Anemll/anemll-bench: the head of a Llama, M1 ... M6, macOS 15, Core ML route", ["coreml"]>;
def MILBlob : Source<"MILBlob", "apple/coremltools, public header of the blob format">;
def Coremltools : Source<"coremltools", "apple/coremltools: versions, opsets and operations of Core ML", ["coreml"]>;
def StableHLO : Source<"stablehlo-coreml", "kasper0406/stablehlo-coreml, issues and pull requests: Core ML route">;
def Study751K : Source<"751K study", "751K/Apple-Neural-Engine-Microarchitecture-Study-M6: M4 (macOS 27.0.1) and M6, Core ML route; names of devices", ["coreml"]>;
def MiniMaxH3 : Source<"MiniMax-H3-Swift", "loading-awesome/MiniMax-H3-Swift, its notes on the engine: M3 Ultra">;
def Forge : Source<"anemll-forge", "Anemll/anemll-forge: M5 Max, M6, Core ML and Core AI routes">;
def IEEE754 : Source<"IEEE 754", "IEEE 754-2019, binary16: 11 bits of significand, normal from 2^-14 to 65,504, subnormal by steps of 2^-24">;
def MacCheck : Source<"mac-check", "mac-check.sh of this project, run by owners of Macs: chip and build of macOS with each", ["in_memory"]>;
def Anecc : Source<"anecc", "eiln/anecc notes">;

/// How much a statement weighs.
class Strength<string strengthName, string strengthText> {
  string name = strengthName;
  string text = strengthText;
}
def Measured : Strength<"measured", "compiled and executed on that chip with a numeric check, or a limit found by probing it">;
def Reported : Strength<"reported", "ran or failed in the source's normal flow, or one user's report">;
def Inferred : Strength<"inferred", "decoded from compiler tables, predicted by a rule, or concluded from other facts">;
def Disputed : Strength<"disputed", "the observation has a confound, or its explanation is contested">;

class Finding<string findingName> { string name = findingName; }
def FindsTrue : Finding<"supports">;
def FindsFalse : Finding<"contradicts">;

class Evidence<Source src, string onChip, string onOS, Strength how, Finding what, string text> {
  Source source = src;
  string chip = onChip;
  string os = onOS;      // "macOS 26.3"; "" when the source does not say
  Strength strength = how;
  Finding finding = what;
  string note = text;
}
class Supports<Source src, string onChip, string onOS, Strength how, string text>
    : Evidence<src, onChip, onOS, how, FindsTrue, text>;
class Contradicts<Source src, string onChip, string onOS, Strength how, string text>
    : Evidence<src, onChip, onOS, how, FindsFalse, text>;

#endif // ANE_CONSTRAINT_EVIDENCE_TD
