//===- Rope.cpp - rotary positions ----------------------------------------===//
//
// Frequencies are rounded to float32 where transformers rounds them, as a model was trained with what PyTorch computes:
// at position 2,000 an angle of exact numbers is off by 1e-4.
//
//===----------------------------------------------------------------------===//

#include "Rope.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::lm;

static constexpr double pi = 3.14159265358979323846;

DenseElementsAttr Rope::table(bool isSine, int64_t positions, MLIRContext *context) const {
  std::vector<float> values;
  values.reserve(positions * frequencies.size());
  for (int64_t position = 0; position < positions; ++position)
    for (float frequency : frequencies) {
      float angle = float(position) * frequency;
      values.push_back(float((isSine ? std::sin(double(angle)) : std::cos(double(angle))) * factor));
    }
  auto type = RankedTensorType::get({positions, int64_t(frequencies.size())}, Float32Type::get(context));
  return DenseElementsAttr::get(type, ArrayRef(values));
}

static Rope plainRope(double theta, int64_t width) {
  Rope rope;
  for (int64_t i = 0; i + 1 < width; i += 2)
    rope.frequencies.push_back(1.0f / std::pow(float(theta), float(i) / float(width)));
  return rope;
}

static std::string text(double value) { return nlohmann::json(value).dump(); }

/// Llama 3.1: long waves are stretched, short ones kept, those between blended.
static void scaleLlama3(Rope &rope, Config &parameters, int64_t original) {
  double factor = parameters.positive("factor"), low = parameters.number("low_freq_factor"),
         high = parameters.number("high_freq_factor");
  if (low >= high)
    return parameters.fail("low_freq_factor",
                           "is " + text(low) + ", expected less than high_freq_factor, " + text(high));
  for (float &frequency : rope.frequencies) {
    float wave = float(2 * pi) / frequency;
    if (wave < original / high)
      continue;
    if (wave > original / low) {
      frequency = float(frequency / factor);
      continue;
    }
    float share = float((original / wave - low) / (high - low));
    frequency = float((1 - share) * frequency / factor + share * frequency);
  }
}

/// YaRN: the same by the number of rotations within the original length, and a factor on the attention.
static void scaleYarn(Rope &rope, Config &parameters, double theta, int64_t original) {
  double factor = parameters.positive("factor"), width = double(rope.width());
  double fast = parameters.positiveOrNull("beta_fast").value_or(32),
         slow = parameters.positiveOrNull("beta_slow").value_or(1);
  auto pairOf = [&](double rotations) {
    return width * std::log(double(original) / (rotations * 2 * pi)) / (2 * std::log(theta));
  };
  double first = pairOf(fast), last = pairOf(slow);
  if (parameters.flagOr("truncate", true)) {
    first = std::floor(first);
    last = std::ceil(last);
  }
  first = std::max(first, 0.0);
  last = std::min(last, width - 1);
  if (first == last)
    last += 0.001;
  for (auto [i, frequency] : llvm::enumerate(rope.frequencies)) {
    double stretched = std::clamp((double(i) - first) / (last - first), 0.0, 1.0);
    frequency = float(frequency / factor * stretched + frequency * (1 - stretched));
  }
  auto magnitude = [&](double scale) { return factor <= 1 ? 1.0 : 0.1 * scale * std::log(factor) + 1.0; };
  double scale = parameters.numberOr("mscale", 0), scaleAll = parameters.numberOr("mscale_all_dim", 0);
  double inferred = scale != 0 && scaleAll != 0 ? magnitude(scale) / magnitude(scaleAll) : magnitude(1);
  rope.factor = parameters.positiveOrNull("attention_factor").value_or(inferred);
}

/// LongRoPE: a factor for each pair, of two lists, of which the length of the text decides.
static void scaleLong(Rope &rope, Config &parameters, double theta, int64_t original, const RopeContext &context) {
  std::vector<double> factors = parameters.numbers("short_factor");
  parameters.ignore({"long_factor"});
  if (context.context > original)
    return parameters.fail("long_factor",
                           "is for texts of more than " + Twine(original) + " tokens, for which all angles change: " +
                               "compile for a context of at most that many (--context=" + Twine(original) + ")");
  if (factors.size() != rope.frequencies.size())
    return parameters.fail("short_factor", "has " + Twine(factors.size()) + " factors, expected " +
                                               Twine(rope.frequencies.size()) + ", one for each pair of a head");
  for (auto [i, frequency] : llvm::enumerate(rope.frequencies))
    frequency = 1.0f / (float(factors[i]) * std::pow(float(theta), float(2 * i) / float(rope.width())));
  double factor = parameters.positiveOrNull("factor").value_or(double(context.maxPositions) / double(original));
  double inferred = factor <= 1 ? 1 : std::sqrt(1 + std::log(factor) / std::log(double(original)));
  rope.factor = parameters.positiveOrNull("attention_factor").value_or(inferred);
}

Rope mlir::ane::lm::readRope(Config parameters, double theta, std::optional<double> partial,
                             std::optional<int64_t> original, const RopeContext &context) {
  theta = parameters.numberOr("rope_theta", theta);
  std::string type = parameters.textOr("rope_type", parameters.textOr("type", "default"));
  if (context.isLong && (type == "su" || type == "yarn"))
    type = "longrope";
  int64_t length = parameters.integerOr("original_max_position_embeddings", original.value_or(context.maxPositions));
  length = original.value_or(length);
  // A model that turns whole heads reads the field with a rule of scaling only, and fails.
  double share = parameters.numberOr("partial_rotary_factor", partial.value_or(1));
  if (!partial && share != 1 && type != "default")
    parameters.fail("partial_rotary_factor", "is " + text(share) + ", and this model turns whole heads: take it out");
  if (!partial)
    share = 1;
  auto width = int64_t(double(context.headWidth) * share);
  if (!(share > 0 && share <= 1) || width < 2 || width % 2 != 0) {
    parameters.fail("partial_rotary_factor", "turns " + Twine(width) + " of a head's " + Twine(context.headWidth) +
                                                 " elements, expected an even number of them");
    width = 2;
  }
  if (!(theta > 1)) {
    parameters.fail("rope_theta", "is " + text(theta) + ", expected a number above 1");
    theta = 10000;
  }
  Rope rope = plainRope(theta, width);
  if (context.isLong && type != "default" && type != "longrope") {
    parameters.fail("rope_type", "is '" + type + "'; supported in this model are default and longrope");
  } else if (type == "linear") {
    auto factor = float(parameters.positive("factor"));
    for (float &frequency : rope.frequencies)
      frequency /= factor;
  } else if (type == "llama3") {
    scaleLlama3(rope, parameters, length);
  } else if (type == "yarn") {
    scaleYarn(rope, parameters, theta, length);
  } else if (type == "longrope") {
    scaleLong(rope, parameters, theta, length, context);
  } else if (type != "default") {
    parameters.fail("rope_type", "is '" + type + "'; supported are default, linear, llama3, yarn and longrope");
  }
  return rope;
}

Rope mlir::ane::lm::readModelRope(Config &config, const RopeContext &context, std::optional<double> partial) {
  double theta = config.number("rope_theta");
  std::optional<int64_t> original = config.integerOrNull("original_max_position_embeddings");
  auto sectionOf = [&](StringRef name) {
    std::optional<Config> section = config.section(name);
    return section && section->fields().empty() ? std::nullopt : section;
  };
  std::optional<Config> parameters = sectionOf("rope_parameters"), scaling = sectionOf("rope_scaling");
  if (parameters && scaling)
    parameters->expectFieldsOf(*scaling, {{"rope_theta", theta}, {"partial_rotary_factor", partial.value_or(1)}});
  else if (!parameters)
    parameters = scaling;
  return readRope(parameters.value_or(config.nothing()), theta, partial, original, context);
}
