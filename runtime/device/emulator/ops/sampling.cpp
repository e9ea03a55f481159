//===- sampling.cpp - Grid points of resizing ops -------------------------===//

#include "runtime/device/emulator/ops/sampling.h"

#include <algorithm>

namespace ane::rt::emulator {

Sampling readSampling(OpArgs &args) {
  std::string name = args.string("sampling_mode", "DEFAULT");
  constexpr std::pair<const char *, Sampling> kModes[] = {{"STRICT_ALIGN_CORNERS", Sampling::StrictAlign},
                                                          {"ALIGN_CORNERS", Sampling::Align},
                                                          {"DEFAULT", Sampling::Default},
                                                          {"OFFSET_CORNERS", Sampling::Offset},
                                                          {"UNALIGN_CORNERS", Sampling::Unalign}};
  for (auto [text, mode] : kModes)
    if (name == text)
      return mode;
  args.argumentError("sampling_mode", "is \"", name,
                     "\"; it must be one of: STRICT_ALIGN_CORNERS, "
                     "ALIGN_CORNERS, DEFAULT, OFFSET_CORNERS, "
                     "UNALIGN_CORNERS");
  return Sampling::Default;
}

std::vector<double> gridPoints(Sampling sampling, double in, int64_t out) {
  std::vector<double> points(static_cast<size_t>(out));
  double count = static_cast<double>(out);
  for (int64_t i = 0; i < out; ++i) {
    double position = static_cast<double>(i);
    double point = 0.0;
    switch (sampling) {
    case Sampling::Align:
    case Sampling::StrictAlign:
      if (out > 1)
        point = position * (in - 1) / (count - 1);
      else if (sampling == Sampling::Align)
        point = (in - 1) / 2;
      break;
    case Sampling::Default:
      point = position * in / count;
      break;
    case Sampling::Offset:
      point = (position + 0.5) * std::max(1.0, in - 1) / count;
      break;
    case Sampling::Unalign:
      point = (position + 0.5) * in / count - 0.5;
      break;
    }
    points[static_cast<size_t>(i)] = point;
  }
  return points;
}

} // namespace ane::rt::emulator
