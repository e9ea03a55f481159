//===- ioreport.cpp - A Mac's energy counters -----------------------------===//
//
// libIOReport has no header. Its functions are called as tools do that show them
// (dehydratedpotato/socpowerbud: socpwrbud.h; vladkens/macmon), which also tell
// the group "Energy Model" and its channels: "ANE", "DRAM", "GPU Energy" and
// "CPU Energy", several of each on machines of several dies. Nobody of this
// project has run it on a Mac.
//
//===----------------------------------------------------------------------===//
#include "runtime/device/ane/ioreport.h"

#include "absl/strings/match.h"
#include "runtime/device/ane/foundation.h"

#include <map>

namespace ane::rt::engine {
namespace {

using objc::Foundation;
using objc::Id;

struct Functions {
  Id (*channelsInGroup)(Id group, Id subgroup, uint64_t, uint64_t, uint64_t);
  void *(*subscribe)(void *, Id wanted, Id *subscribed, uint64_t, const void *);
  Id (*samples)(void *subscription, Id channels, const void *);
  Id (*delta)(Id before, Id after, const void *);
  int64_t (*value)(Id channel, int32_t);
  Id (*name)(Id channel);
  Id (*unit)(Id channel);
  void (*release)(const void *);

  explicit Functions(const objc::Libraries &in)
      : channelsInGroup(in.function<Id(Id, Id, uint64_t, uint64_t, uint64_t)>("IOReportCopyChannelsInGroup")),
        subscribe(in.function<void *(void *, Id, Id *, uint64_t, const void *)>("IOReportCreateSubscription")),
        samples(in.function<Id(void *, Id, const void *)>("IOReportCreateSamples")),
        delta(in.function<Id(Id, Id, const void *)>("IOReportCreateSamplesDelta")),
        value(in.function<int64_t(Id, int32_t)>("IOReportSimpleGetIntegerValue")),
        name(in.function<Id(Id)>("IOReportChannelGetChannelName")),
        unit(in.function<Id(Id)>("IOReportChannelGetUnitLabel")),
        release(in.function<void(const void *)>("CFRelease")) {}
  bool areThere() const { return channelsInGroup && subscribe && samples && delta && value && name && unit && release; }
};

std::vector<std::string> systemLibraries() {
#ifdef __APPLE__
  return {"/usr/lib/libobjc.A.dylib", "/System/Library/Frameworks/Foundation.framework/Foundation",
          "/System/Library/Frameworks/CoreFoundation.framework/CoreFoundation", "/usr/lib/libIOReport.dylib"};
#else
  return {};
#endif
}

/// The part of the chip that a channel is of; "" for others, which are parts of these.
std::string_view partOf(const std::string &channel) {
  if (absl::StartsWith(channel, "ANE"))
    return "ane";
  if (absl::StartsWith(channel, "DRAM"))
    return "dram";
  return absl::EndsWith(channel, "CPU Energy") ? "cpu" : absl::EndsWith(channel, "GPU Energy") ? "gpu" : "";
}

/// 0 for units that no energy has.
int64_t nanojoules(const std::string &unit) {
  return unit == "mJ" ? 1000000 : unit == "uJ" ? 1000 : unit == "nJ" ? 1 : 0;
}

class IOReport final : public EnergyMeter {
public:
  IOReport(objc::Libraries given, objc::Runtime runtime)
      : libraries(std::move(given)), functions(libraries), foundation(runtime) {}
  ~IOReport() override {
    for (const void *object : {static_cast<const void *>(before), static_cast<const void *>(channels),
                               static_cast<const void *>(subscription)})
      if (object)
        functions.release(object);
  }

  absl::Status subscribe() {
    if (!functions.areThere())
      return absl::UnimplementedError("this system has no counters of energy");
    const objc::Runtime::Pool pool(foundation.runtime);
    Id wanted = functions.channelsInGroup(foundation.string("Energy Model"), nullptr, 0, 0, 0);
    if (!wanted)
      return absl::UnimplementedError("this system counts no energy");
    subscription = functions.subscribe(nullptr, wanted, &channels, 0, nullptr);
    functions.release(wanted);
    before = subscription ? functions.samples(subscription, channels, nullptr) : nullptr;
    return before ? absl::OkStatus() : absl::UnimplementedError("this system does not show its counters of energy");
  }

  absl::StatusOr<Energy> read() override {
    return objc::Runtime::guarded("counters of energy", [&] { return readNow(); });
  }

private:
  absl::StatusOr<Energy> readNow() {
    const objc::Runtime::Pool pool(foundation.runtime);
    Id now = functions.samples(subscription, channels, nullptr);
    if (!now)
      return absl::UnavailableError("the counters of energy give no sample");
    Id delta = functions.delta(before, now, nullptr);
    functions.release(before);
    before = now;
    if (!delta)
      return absl::UnavailableError("the counters of energy give no difference");
    std::map<std::string_view, int64_t> parts;
    for (Id channel : foundation.objects(foundation.valueOf(delta, "IOReportChannels")))
      if (std::string_view part = partOf(foundation.text(functions.name(channel))); !part.empty())
        if (int64_t unit = nanojoules(foundation.text(functions.unit(channel))))
          parts[part] += functions.value(channel, 0) * unit;
    functions.release(delta);
    return Energy(parts.begin(), parts.end());
  }

  const objc::Libraries libraries;
  const Functions functions;
  const Foundation foundation;
  void *subscription = nullptr;
  Id channels = nullptr, before = nullptr;
};

} // namespace

absl::StatusOr<std::unique_ptr<EnergyMeter>> makeEnergyMeter(const std::vector<std::string> &given) {
  const std::vector<std::string> paths = given.empty() ? systemLibraries() : given;
  if (paths.empty())
    return absl::UnimplementedError("this system has no counters of energy");
  auto libraries = objc::Libraries::open(paths);
  if (!libraries.ok())
    return libraries.status();
  auto runtime = objc::Runtime::in(*libraries);
  if (!runtime.ok())
    return runtime.status();
  auto meter = std::make_unique<IOReport>(*std::move(libraries), *runtime);
  absl::Status status = objc::Runtime::guarded("counters of energy", [&] { return meter->subscribe(); });
  if (!status.ok())
    return status;
  return meter;
}

} // namespace ane::rt::engine
