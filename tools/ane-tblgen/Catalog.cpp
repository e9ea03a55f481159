//===- Catalog.cpp - constraint and target records as C++ -----------------===//

#include "Catalog.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TableGen/Error.h"

using namespace llvm;
using namespace ane_tblgen;

/// "macOS 26.3" -> 26, "" -> 0.
static int64_t readMacOS(const Record *evidence) {
  StringRef os = evidence->getValueAsString("os"), rest = os;
  int64_t major = 0;
  if (!os.empty() && (!rest.consume_front("macOS ") || rest.consumeInteger(10, major) || major <= 0))
    PrintFatalError(evidence, "evidence from '" + os + "', which is not 'macOS' and a version");
  return major;
}

EvidenceEntry ane_tblgen::readEvidence(const Record *record) {
  const Record *source = record->getValueAsDef("source");
  EvidenceEntry entry{source->getValueAsString("tag").str(),
                      source->getValueAsString("title").str(),
                      record->getValueAsString("chip").str(),
                      record->getValueAsString("os").str(),
                      record->getValueAsDef("strength")->getValueAsString("name").str(),
                      record->getValueAsDef("finding")->getValueAsString("name").str(),
                      record->getValueAsString("note").str(),
                      {},
                      readMacOS(record)};
  for (StringRef route : source->getValueAsListOfStrings("routes"))
    entry.routes.push_back(route.str());
  if (entry.note.empty())
    PrintFatalError(record, "evidence without a note");
  return entry;
}

std::vector<EvidenceEntry> ane_tblgen::readEvidenceList(const Record *record) {
  std::vector<EvidenceEntry> result;
  for (const Record *evidence : record->getValueAsListOfDefs("evidence"))
    result.push_back(readEvidence(evidence));
  return result;
}

static uint32_t readMaskOrNone(const Record *record, StringRef field) {
  uint32_t mask = 0;
  for (const Record *member : record->getValueAsListOfDefs(field))
    mask |= 1u << member->getValueAsInt("index");
  return mask;
}

static uint32_t readMask(const Record *record, StringRef field) {
  uint32_t mask = readMaskOrNone(record, field);
  if (!mask)
    PrintFatalError(record, "applies nowhere: empty " + field);
  return mask;
}

static Where readWhere(const Record *record) {
  Where where{readMask(record, "tiers"), readMask(record, "routes"), record->getValueAsInt("osFrom"),
              record->getValueAsInt("osTo"), record->getValueAsBit("ahead")};
  if (where.osFrom && where.osTo && where.osFrom > where.osTo)
    PrintFatalError(record, "applies to no OS: from " + Twine(where.osFrom) + " to " + Twine(where.osTo));
  return where;
}

/// "32,752" for "32752.0": as people write it.
static std::string numberText(StringRef number) {
  number.consume_back(".0");
  std::string text = number.str();
  size_t end = std::min(text.find('.'), text.size());
  for (size_t at = end; at > 3 && isDigit(text[at - 4]);)
    text.insert(at -= 3, ",");
  return text;
}

static std::vector<LimitRow> readLimitRows(const Record *limit) {
  std::vector<LimitRow> rows;
  for (const Record *row : limit->getValueAsListOfDefs("values")) {
    rows.push_back({{readMask(row, "tiers"), readMask(row, "routes"), 0, row->getValueAsInt("osTo"), true},
                    row->getValueAsInt("value"),
                    readEvidenceList(row)});
    if (rows.back().evidence.empty())
      PrintFatalError(limit, "limit '" + limit->getName().drop_front(strlen("Limit_")) + "': a value without evidence");
  }
  return rows;
}

/// "13"; where it differs "13 (H16: 15)".
static std::string valueText(ArrayRef<LimitRow> rows, const RecordKeeper &records) {
  std::vector<NamedIndex> tiers = readIndexed(records, "Tier"), routes = readIndexed(records, "RouteKind");
  std::vector<std::string> exceptions; // to the last row
  for (const LimitRow &row : drop_end(rows)) {
    std::vector<std::string> places;
    for (const auto &[mask, names] : {std::pair(row.where.tiers, &tiers), std::pair(row.where.routes, &routes)})
      if (std::string text = maskText(mask, *names); text != "all")
        places.push_back(text);
    if (row.where.osTo)
      places.push_back("up to macOS " + std::to_string(row.where.osTo));
    exceptions.push_back(join(places, " on ") + ": " + numberText(std::to_string(row.value)));
  }
  std::string rest = numberText(std::to_string(rows.back().value));
  return exceptions.empty() ? rest : rest + " (" + join(exceptions, "; ") + ")";
}

/// A field of a record that people read, with values in place of Limit::X and Numeric::X.
static std::string readText(const RecordKeeper &records, const Record *record, StringRef field) {
  StringRef sentence = record->getValueAsString(field);
  std::string text;
  while (!sentence.empty()) {
    size_t at = std::min(sentence.find("Limit::"), sentence.find("Numeric::"));
    text += sentence.take_front(at);
    sentence = sentence.drop_front(std::min(at, sentence.size()));
    if (sentence.empty())
      break;
    bool isLimit = sentence.consume_front("Limit::");
    if (!isLimit)
      sentence.consume_front("Numeric::");
    StringRef name = sentence.take_while([](char c) { return isAlnum(c); });
    sentence = sentence.drop_front(name.size());
    const Record *record = records.getDef(((isLimit ? "Limit_" : "Numeric_") + name).str());
    if (!record)
      PrintFatalError("no limit and no number '" + name + "'");
    text += isLimit ? valueText(readLimitRows(record), records) : numberText(record->getValueAsString("value"));
  }
  return text;
}

static PredicateEntry readPredicate(const RecordKeeper &records, const Record *record) {
  PredicateEntry entry{readText(records, record, "english"),       record->getValueAsString("body").trim().str(),
                       record->getValueAsString("function").str(), record->getValueAsBit("wantsRanges"),
                       record->getValueAsString("rule").str(),     {}};
  for (StringRef argument : record->getValueAsListOfStrings("ruleArguments"))
    entry.ruleArguments.push_back(argument.str());
  return entry;
}

/// "C01": a letter and at least two digits.
static bool isConstraintID(StringRef id) {
  return id.size() >= 3 && id[0] == 'C' && all_of(id.drop_front(), llvm::isDigit);
}

static bool isSlug(StringRef slug) {
  return !slug.empty() && all_of(slug, [](char c) { return isLower(c) || isDigit(c) || c == '-'; });
}

/// The tiers of the chips that evidence names: "M1 Pro, M4".
static uint32_t tiersOf(const RecordKeeper &records, StringRef chips) {
  uint32_t mask = 0;
  for (StringRef name : split(chips, ',')) {
    std::string word;
    for (char c : name)
      if (isAlnum(c))
        word += toLower(c);
    for (const ChipEntry &chip : readChips(records))
      if (word == chip.target || is_contained(chip.aliases, word))
        mask |= 1u << chip.tierIndex;
  }
  return mask;
}

/// Where a source tells no macOS, the newest on which any of them measured: no lift begins earlier on its word.
static int64_t latestMacOS(const EvidenceEntry &evidence) { return evidence.macOS ? evidence.macOS : 27; }

/// The evidence that measured a rule to be false where it is lifted; an error unless there is some for each tier and
/// route, from no later OS than the lift's.
static std::vector<LiftEvidence> readLiftEvidence(const RecordKeeper &records, const ConstraintEntry &entry,
                                                  const Where &where) {
  std::vector<LiftEvidence> result;
  std::vector<NamedIndex> tiers = readIndexed(records, "Tier"), routes = readIndexed(records, "RouteKind");
  for (const EvidenceEntry &evidence : entry.evidence) {
    LiftEvidence found{tiersOf(records, evidence.chip) & where.tiers, 0, evidence};
    for (const NamedIndex &route : routes)
      if (is_contained(evidence.routes, route.name))
        found.routes |= (1u << route.index) & where.routes;
    if (evidence.finding == "contradicts" && evidence.strength == "measured" && latestMacOS(evidence) <= where.osFrom &&
        found.tiers && found.routes)
      result.push_back(std::move(found));
  }
  for (const NamedIndex &tier : tiers)
    for (const NamedIndex &route : routes)
      if ((where.tiers >> tier.index & 1) && (where.routes >> route.index & 1) &&
          none_of(result, [&](const LiftEvidence &found) {
            return (found.tiers >> tier.index & 1) && (found.routes >> route.index & 1);
          }))
        PrintFatalError(entry.record, entry.id + ": lifted on tier " + tier.name + ", route " + route.name +
                                          ", from macOS " + Twine(where.osFrom) +
                                          ", without evidence that measured it to be false there");
  return result;
}

/// The rules that a record must meet before anything is generated from it.
static void validate(const Record *record, const ConstraintEntry &entry) {
  if (!isConstraintID(entry.id))
    PrintFatalError(record, "constraint id '" + entry.id + "' is not 'C' and two or more digits");
  if (!isSlug(entry.slug))
    PrintFatalError(record, entry.id + ": slug '" + entry.slug + "' is not lower-case words joined by '-'");
  bool harmful = entry.symptom != "Slow" && entry.symptom != "Inaccurate";
  if (harmful && entry.evidence.empty())
    PrintFatalError(record, entry.id + ": symptom " + entry.symptom + " without evidence");
  if (harmful && none_of(entry.evidence, [](const EvidenceEntry &e) { return e.finding == "supports"; }))
    PrintFatalError(record, entry.id + ": no evidence that supports it");
  if (entry.passes.empty() && entry.remedy.empty())
    PrintFatalError(record, entry.id + ": neither legalisedBy nor a remedy");
  if (entry.host && !entry.passes.empty())
    PrintFatalError(record, entry.id + ": 'host' together with legalisedBy");
  if (entry.scope == "PerOp" && entry.ops.empty() && !entry.anyOp)
    PrintFatalError(record, entry.id + ": scope PerOp without ops");
  if (entry.anyOp && !entry.ops.empty())
    PrintFatalError(record, entry.id + ": anyOp together with ops");
  if (entry.where.empty())
    PrintFatalError(record, entry.id + ": applies nowhere");
  // Something finds what breaks the record, or the record says why nothing does.
  const Record *predicate = record->getValueAsDef("predicate");
  bool evaluated = !predicate->isSubClassOf("CheckedElsewhere");
  if (StringRef(entry.enforcedBy).starts_with("Verify") != evaluated)
    PrintFatalError(record, entry.id + ": enforced by " + entry.enforcedBy + ", and its predicate is " +
                                (evaluated ? "evaluated" : "checked elsewhere"));
  if ((entry.enforcedBy == "Nobody") != predicate->isSubClassOf("NotEnforced"))
    PrintFatalError(record,
                    entry.id + ": 'NotEnforced' is the predicate of what is enforced by Nobody, and of nothing else");
  if (!evaluated && (entry.enforcedBy == "Nobody") != entry.predicate.rule.empty())
    PrintFatalError(record, entry.id + ": enforced by " + entry.enforcedBy + ", " +
                                (entry.predicate.rule.empty() ? "without" : "with") + " a rule of the linter");
}

std::vector<ConstraintEntry> ane_tblgen::readConstraints(const RecordKeeper &records) {
  std::vector<ConstraintEntry> result;
  StringMap<const Record *> ids, slugs;
  for (const Record *record : records.getAllDerivedDefinitions("ANE_Constraint")) {
    ConstraintEntry entry;
    entry.record = record;
    entry.id = record->getValueAsString("id").str();
    entry.slug = record->getValueAsString("slug").str();
    for (StringRef field : {"summary", "symptom", "predicate"})
      if (!record->getValue(field)->getValue()->isComplete())
        PrintFatalError(record, entry.id + ": no " + field);
    entry.summary = readText(records, record, "summary");
    entry.symptom = record->getValueAsDef("symptom")->getValueAsString("name").str();
    entry.symptomText = record->getValueAsDef("symptom")->getValueAsString("text").str();
    entry.scope = record->getValueAsDef("scope")->getValueAsString("name").str();
    entry.remedy = readText(records, record, "remedy");
    entry.enforcedBy = record->getValueAsDef("enforcedBy")->getValueAsString("name").str();
    entry.verdict = record->getValueAsString("verdict").str();
    entry.effect = record->getValueAsDef("effect")->getValueAsString("name").str();
    entry.effectText = record->getValueAsDef("effect")->getValueAsString("text").str();
    entry.noRule = record->getValueAsString("noRule").str();
    entry.anyOp = record->getValueAsBit("anyOp");
    entry.catalog = record->getValueAsBit("catalog");
    entry.host = record->getValueAsBit("host");
    entry.disputed = record->getValueAsBit("disputed");
    entry.predicate = readPredicate(records, record->getValueAsDef("predicate"));
    for (const Record *op : record->getValueAsListOfDefs("ops"))
      entry.ops.push_back(
          (op->getValueAsDef("opDialect")->getValueAsString("name") + "." + op->getValueAsString("opName")).str());
    for (const Record *pass : record->getValueAsListOfDefs("legalisedBy")) {
      entry.passes.push_back(pass->getValueAsString("argument").str());
      entry.passSummaries.push_back(pass->getValueAsString("summary").str());
    }
    for (const Record *where : record->getValueAsListOfDefs("where"))
      entry.where.push_back(readWhere(where));
    entry.evidence = readEvidenceList(record);
    for (const Record *lift : record->getValueAsListOfDefs("lifts")) {
      if (!entry.catalog)
        PrintFatalError(record, entry.id + ": only a rule of the catalog can be lifted");
      Where where = readWhere(lift->getValueAsDef("where"));
      entry.lifts.push_back({where, lift->getValueAsString("reason").str(),
                             readPredicate(records, lift->getValueAsDef("remains")),
                             readLiftEvidence(records, entry, where)});
    }
    validate(record, entry);

    auto [id, newID] = ids.try_emplace(entry.id, record);
    if (!newID) {
      PrintError(record, "constraint id '" + entry.id + "' is used twice");
      PrintFatalNote(id->second->getLoc(), "first use is here");
    }
    auto [slug, newSlug] = slugs.try_emplace(entry.slug, record);
    if (!newSlug) {
      PrintError(record, "slug '" + entry.slug + "' is used twice");
      PrintFatalNote(slug->second->getLoc(), "first use is here");
    }
    result.push_back(std::move(entry));
  }
  llvm::sort(result, [](const ConstraintEntry &a, const ConstraintEntry &b) {
    return std::make_pair(a.id.size(), a.id) < std::make_pair(b.id.size(), b.id);
  });
  return result;
}

std::vector<ChipEntry> ane_tblgen::readChips(const RecordKeeper &records) {
  std::vector<ChipEntry> result;
  StringMap<const Record *> names;
  std::vector<Record *> chips = records.getAllDerivedDefinitions("Chip");
  // File order, not the order of record names.
  llvm::sort(chips, [](const Record *a, const Record *b) { return a->getID() < b->getID(); });
  for (const Record *record : chips) {
    const Record *tier = record->getValueAsDef("tier");
    ChipEntry entry{record,
                    record->getValueAsString("target").str(),
                    tier->getValueAsString("name").str(),
                    record->getValueAsString("silicon").str(),
                    record->getValueAsString("note").str(),
                    record->getValueAsInt("ne"),
                    tier->getValueAsInt("index"),
                    record->getValueAsInt("clockMHz"),
                    record->getValueAsInt("effectiveMHz"),
                    {},
                    {},
                    record->getValueAsBit("hasMIL"),
                    record->getValueAsBit("mSeries"),
                    readEvidenceList(record)};
    if (entry.evidence.empty())
      PrintFatalError(record, "chip '" + entry.target + "' without evidence");
    for (StringRef alias : record->getValueAsListOfStrings("aliases"))
      entry.aliases.push_back(alias.str());
    for (StringRef name : record->getValueAsListOfStrings("runtimeNames"))
      entry.runtimeNames.push_back(name.str());
    std::vector<std::string> spellings = entry.aliases;
    spellings.push_back(entry.target);
    for (const std::string &spelling : spellings) {
      if (!all_of(spelling, [](char c) { return isLower(c) || isDigit(c); }))
        PrintFatalError(record, "chip name '" + spelling + "' is not lower case and digits");
      auto [entry, isNew] = names.try_emplace(spelling, record);
      if (!isNew) {
        PrintError(record, "chip name '" + spelling + "' is used twice");
        PrintFatalNote(entry->second->getLoc(), "first use is here");
      }
    }
    result.push_back(std::move(entry));
  }
  return result;
}

std::vector<NamedIndex> ane_tblgen::readIndexed(const RecordKeeper &records, StringRef className) {
  std::vector<NamedIndex> result;
  for (const Record *record : records.getAllDerivedDefinitions(className))
    result.push_back({record->getValueAsString("name").str(), record->getValueAsString("text").str(),
                      record->getValueAsInt("index")});
  llvm::sort(result, [](const NamedIndex &a, const NamedIndex &b) { return a.index < b.index; });
  return result;
}

void ane_tblgen::emitLimitRows(const std::vector<LimitEntry> &limits, raw_ostream &os) {
  for (auto [index, limit] : enumerate(limits))
    for (const LimitRow &row : limit.rows)
      os << "  {" << index << ", " << row.where.tiers << ", " << row.where.routes << ", " << row.where.osTo << ", "
         << row.value << "}, // " << limit.name << "\n";
}

std::vector<LimitEntry> ane_tblgen::readLimits(const RecordKeeper &records) {
  std::vector<LimitEntry> result;
  uint32_t allTiers = (1u << readIndexed(records, "Tier").size()) - 1;
  uint32_t allRoutes = (1u << readIndexed(records, "RouteKind").size()) - 1;
  std::vector<Record *> limits = records.getAllDerivedDefinitions("LimitKind");
  llvm::sort(limits, [](const Record *a, const Record *b) { return a->getID() < b->getID(); });
  for (const Record *record : limits) {
    StringRef name = record->getName();
    if (!name.consume_front("Limit_"))
      PrintFatalError(record, "the name of a limit starts with 'Limit_'");
    LimitEntry entry{name.str(), record->getValueAsString("unit").str(), readText(records, record, "summary"),
                     record->getValueAsBit("worstIsLow"), readLimitRows(record)};
    for (uint32_t tier = 0; allTiers >> tier; ++tier)
      for (uint32_t route = 0; allRoutes >> route; ++route)
        if (none_of(entry.rows, [&](const LimitRow &row) {
              return (row.where.tiers >> tier & 1) && (row.where.routes >> route & 1) && !row.where.osTo;
            }))
          PrintFatalError(record,
                          "limit '" + name + "' has no value for tier " + Twine(tier) + " on route " + Twine(route));
    result.push_back(std::move(entry));
  }
  return result;
}

const FactRow *FactEntry::at(const ChipEntry &chip) const {
  for (const FactRow &row : rows)
    if (row.tiers >> chip.tierIndex & 1 || is_contained(row.chips, chip.record))
      return &row;
  return nullptr;
}

std::vector<FactEntry> ane_tblgen::readFacts(const RecordKeeper &records) {
  std::vector<FactEntry> result;
  std::vector<Record *> facts = records.getAllDerivedDefinitionsIfDefined("Fact");
  llvm::sort(facts, [](const Record *a, const Record *b) { return a->getID() < b->getID(); });
  for (const Record *record : facts) {
    StringRef name = record->getName();
    if (!name.consume_front("Fact_"))
      PrintFatalError(record, "the name of a fact starts with 'Fact_'");
    FactEntry entry{name.str(),
                    record->getValueAsString("group").str(),
                    record->getValueAsString("unit").str(),
                    readText(records, record, "summary"),
                    {}};
    for (const Record *row : record->getValueAsListOfDefs("values")) {
      FactRow value{readMaskOrNone(row, "tiers"), {}, row->getValueAsInt("value"), readEvidenceList(row)};
      for (const Record *chip : row->getValueAsListOfDefs("chips"))
        value.chips.push_back(chip);
      if (value.evidence.empty() || (!value.tiers && value.chips.empty()))
        PrintFatalError(record, "fact '" + name + "': a value without evidence, or for no chip");
      entry.rows.push_back(std::move(value));
    }
    if (entry.rows.empty())
      PrintFatalError(record, "fact '" + name + "' has no value");
    result.push_back(std::move(entry));
  }
  return result;
}

std::vector<OpGroupEntry> ane_tblgen::readOpGroups(const RecordKeeper &records) {
  std::vector<OpGroupEntry> result;
  for (const Record *record : records.getAllDerivedDefinitions("OpGroup")) {
    OpGroupEntry entry{record->getName().str(), record->getValueAsString("text").str(), {}, {}};
    for (const Record *op : records.getAllDerivedDefinitions("Op")) {
      if (!op->getValue("groups") || !is_contained(op->getValueAsListOfDefs("groups"), record))
        continue;
      entry.ops.push_back(op->getValueAsString("opName").str());
      entry.classes.push_back(op->getName().split('_').second.str());
    }
    if (!entry.ops.empty())
      result.push_back(std::move(entry));
  }
  return result;
}

std::vector<NumericEntry> ane_tblgen::readNumerics(const RecordKeeper &records) {
  std::vector<NumericEntry> result;
  std::vector<Record *> numerics = records.getAllDerivedDefinitions("NumericKind");
  llvm::sort(numerics, [](const Record *a, const Record *b) { return a->getID() < b->getID(); });
  for (const Record *record : numerics) {
    StringRef name = record->getName();
    if (!name.consume_front("Numeric_"))
      PrintFatalError(record, "the name of a number starts with 'Numeric_'");
    NumericEntry entry{name.str(), record->getValueAsString("value").str(), readText(records, record, "summary"),
                       readEvidenceList(record)};
    double ignored;
    if (StringRef(entry.value).getAsDouble(ignored))
      PrintFatalError(record, "number '" + name + "': '" + entry.value + "' is not a number");
    if (entry.evidence.empty())
      PrintFatalError(record, "number '" + name + "' without evidence");
    result.push_back(std::move(entry));
  }
  return result;
}

std::string ane_tblgen::quoted(StringRef text) {
  std::string result = "\"";
  raw_string_ostream(result).write_escaped(text);
  return result + "\"";
}

std::string ane_tblgen::maskText(uint32_t mask, const std::vector<NamedIndex> &names) {
  std::vector<std::string> parts;
  for (const NamedIndex &name : names)
    if (mask >> name.index & 1)
      parts.push_back(name.name);
  return parts.size() == names.size() ? "all" : join(parts, ", ");
}

void ane_tblgen::emitEvidence(const EvidenceEntry &evidence, raw_ostream &os) {
  os << "{" << quoted(evidence.source) << ", " << quoted(evidence.chip) << ", " << quoted(evidence.os) << ", "
     << quoted(evidence.strength) << ", " << (evidence.finding == "supports") << ", " << quoted(evidence.note) << "}";
}

void ane_tblgen::printEvidence(raw_ostream &os, const std::vector<EvidenceEntry> &evidence, StringRef indent) {
  for (const EvidenceEntry &entry : evidence) {
    os << indent << "- " << entry.finding << ", " << entry.strength << " (" << entry.source;
    if (!entry.chip.empty())
      os << "; " << entry.chip;
    if (!entry.os.empty())
      os << "; " << entry.os;
    os << "): " << entry.note << "\n";
  }
}
