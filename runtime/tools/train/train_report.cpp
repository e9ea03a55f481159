//===- train_report.cpp - What ane-train prints and logs ------------------===//
#include "runtime/tools/train/train_report.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "runtime/support/clock.h"
#include <cerrno>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sys/ioctl.h>
#include <unistd.h>

namespace ane::rt::tools {
namespace {

using Json = nlohmann::ordered_json;
using manifest::sizeText;

/// JSON has no infinity and no NaN.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string rateText(const TrainedStep &step) {
  const double count = static_cast<double>(step.tokens ? step.tokens : step.examples);
  return absl::StrFormat("%.4g %s/s", step.seconds > 0 ? count / step.seconds : 0.0,
                         step.tokens ? "tokens" : "examples");
}

std::string stepText(const TrainedStep &step, int64_t steps) {
  const train::StepReport &report = step.report;
  std::string text = absl::StrFormat("step %d/%d  loss %.4f  lr %.3g  norm %.3g  %s", report.step, steps, report.loss,
                                     report.rate, report.norm, rateText(step));
  if (report.work.evaluations != 0)
    absl::StrAppend(&text, "  ", report.work.evaluations, " evaluations, ",
                    sizeText(static_cast<int64_t>(report.work.stagedBytes)), " staged");
  if (report.work.clamped != 0)
    absl::StrAppend(&text, "  ", report.work.clamped, " clamped");
  return text;
}

std::string timeText(int64_t seconds) {
  const int64_t hours = seconds / 3600, minutes = seconds / 60 % 60;
  return hours ? absl::StrFormat("%d:%02d:%02d", hours, minutes, seconds % 60)
               : absl::StrFormat("%d:%02d", minutes, seconds % 60);
}

/// "[#####---------------]  25 %  1:30 left"
std::string barText(int64_t step, int64_t steps, double secondsLeft) {
  constexpr int64_t kWidth = 20;
  const double share = static_cast<double>(step) / static_cast<double>(steps);
  const auto filled = static_cast<int64_t>(share * kWidth);
  return absl::StrFormat("[%s%s] %3d %%  %s left", std::string(filled, '#'), std::string(kWidth - filled, '-'),
                         static_cast<int64_t>(share * 100), timeText(std::llround(secondsLeft)));
}

/// A line for each parameter, with its size and what becomes of it.
std::string listText(const train::Parameters &parameters) {
  std::string text;
  for (const train::Parameter &parameter : parameters.all())
    absl::StrAppend(&text, "  ", parameter.name, " [", absl::StrJoin(parameter.shape, ", "), "]",
                    parameter.isStatistic ? " (running statistic)"
                    : parameter.frozen    ? " (frozen)"
                                          : "",
                    "\n");
  return text;
}

/// What a terminal shows of a line without a second one, which could not be written over.
size_t columnsOfTerminal() {
  winsize size = {};
  const bool isKnown = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return isKnown ? size.ws_col - 1 : std::string::npos;
}

} // namespace

void TrainProgress::show(const TrainedStep &step) {
  if (!step.report.skipped.empty())
    say(absl::StrCat("step ", step.report.step, " was skipped: ", step.report.skipped));
  // Ten times a second on a terminal, once in five seconds elsewhere, and the last one.
  const int64_t now = nowNs();
  if (first == 0) {
    first = step.report.step;
    firstNs = now - static_cast<int64_t>(step.seconds * 1e9);
  }
  if (now < nextNs && step.report.step != steps)
    return;
  nextNs = now + (isTerminal ? 100'000'000 : 5'000'000'000);
  std::string text = stepText(step, steps);
  if (!isTerminal) {
    out << text << std::endl;
    return;
  }
  // Evaluations and checkpoints take their part of the time, too.
  const double each = static_cast<double>(now - firstNs) / 1e9 / static_cast<double>(step.report.step - first + 1);
  text =
      absl::StrCat(barText(step.report.step, steps, each * static_cast<double>(steps - step.report.step)), "  ", text)
          .substr(0, columnsOfTerminal());
  const size_t length = text.size();
  text.resize(std::max(length, shown), ' ');
  out << '\r' << text << std::flush;
  shown = length;
}

void TrainProgress::end() {
  if (shown != 0)
    out << std::endl;
  shown = 0;
}

void TrainProgress::say(const std::string &text) {
  end();
  out << text << std::endl;
}

absl::StatusOr<TrainLog> TrainLog::open(const std::string &path) {
  TrainLog log;
  if (path.empty())
    return log;
  log.path = path;
  log.file.open(path, std::ios::app);
  if (!log.file)
    return absl::NotFoundError(absl::StrCat(path, ": cannot be appended to (", std::strerror(errno), ")"));
  return log;
}

absl::Status TrainLog::write(const std::string &line) {
  if (path.empty())
    return absl::OkStatus();
  file << line << std::endl;
  if (!file)
    return absl::DataLossError(absl::StrCat(path, ": cannot be written (", std::strerror(errno), ")"));
  return absl::OkStatus();
}

absl::Status TrainLog::resumed(int64_t step) { return write(Json{{"resumed", step}}.dump()); }

absl::Status TrainLog::event(int64_t step, const std::string &text) {
  return write(Json{{"step", step}, {"event", text}}.dump(-1, ' ', false, Json::error_handler_t::replace));
}

absl::Status TrainLog::step(const TrainedStep &step) {
  const train::StepReport &report = step.report;
  Json line = {{"step", report.step},
               {"loss", number(report.loss)},
               {"rate", report.rate},
               {"norm", number(report.norm)},
               {"loss_scale", report.lossScale},
               {"skipped", report.skipped.empty() ? Json(nullptr) : Json(report.skipped)},
               {"clamped", report.work.clamped},
               {"examples", step.examples}};
  if (step.tokens != 0)
    line["tokens"] = step.tokens;
  line["seconds"] = step.seconds;
  line["evaluations"] = report.work.evaluations;
  line["staged_bytes"] = report.work.stagedBytes;
  return write(line.dump());
}

absl::Status TrainLog::evaluation(int64_t step, double loss) {
  return write(Json{{"step", step}, {"evaluation_loss", number(loss)}}.dump());
}

std::string parametersText(const train::Parameters &parameters) {
  int64_t count = 0, elements = 0;
  for (const train::Parameter &parameter : parameters.all())
    if (!parameter.frozen) {
      ++count;
      elements += parameter.elements;
    }
  std::string list = listText(parameters);
  list.pop_back();
  return absl::StrCat("training ", count, " parameters of ", elements, " elements:\n", list);
}

void printPlan(const train::TrainingPlan &plan, const std::string &device, bool json, std::ostream &out) {
  int64_t elements = 0, frozen = 0;
  Json names = Json::object();
  for (const train::Parameter &parameter : plan.parameters.all()) {
    (parameter.frozen ? frozen : elements) += parameter.elements;
    if (!parameter.frozen)
      names[parameter.name] = parameter.shape;
  }
  if (json) {
    out << Json{{"device", device},
                {"parameters", elements},
                {"frozen_parameters", frozen},
                {"trained", names},
                {"weight_bytes", plan.weightBytes},
                {"gradient_bytes", plan.gradientBytes},
                {"moment_bytes", plan.momentBytes},
                {"session_bytes", plan.step.total() + plan.bakedBytes},
                {"mapped_bytes", plan.mappedBytes},
                {"evaluations_per_step", plan.evaluations},
                {"staged_bytes_per_step", plan.stagedBytes}}
               .dump()
        << "\n";
    return;
  }
  out << "device       " << device << "\n"
      << "parameters   " << elements << (frozen ? absl::StrCat(" trained, ", frozen, " frozen") : "") << "\n"
      << "memory       " << plan.memoryText() << "\n"
      << listText(plan.parameters) << "each step    " << plan.evaluations << " evaluations, "
      << sizeText(plan.stagedBytes) << " staged\n";
}

void printSummary(const TrainSummary &summary, bool json, std::ostream &out) {
  if (json) {
    Json line = {{"device", summary.device},
                 {"weights_by", summary.weightsBy},
                 {"first_step", summary.first},
                 {"steps", summary.steps},
                 {"skipped", summary.skipped},
                 {"clamped", summary.work.clamped},
                 {"loss", summary.steps ? number(summary.loss) : Json(nullptr)},
                 {"evaluation_loss", summary.evaluationLoss ? number(*summary.evaluationLoss) : Json(nullptr)},
                 {"examples", summary.examples},
                 {"tokens", summary.tokens},
                 {"seconds", summary.seconds},
                 {"evaluations", summary.work.evaluations},
                 {"staged_bytes", summary.work.stagedBytes},
                 {"checkpoint", summary.checkpoint.empty() ? Json(nullptr) : Json(summary.checkpoint)},
                 {"export", summary.exported.empty() ? Json(nullptr) : Json(summary.exported)}};
    out << line.dump(-1, ' ', false, Json::error_handler_t::replace) << "\n";
    return;
  }
  out << absl::StrFormat("%d steps in %.1f s on %s", summary.steps, summary.seconds, summary.device);
  if (summary.steps)
    out << absl::StrFormat(", loss %.4f", summary.loss);
  if (summary.evaluationLoss)
    out << absl::StrFormat(", evaluation loss %.4f", *summary.evaluationLoss);
  if (summary.skipped)
    out << ", " << summary.skipped << " skipped";
  if (summary.work.clamped)
    out << ", " << summary.work.clamped << " elements clamped";
  out << "\n";
  for (auto [what, path] : {std::pair("checkpoint", &summary.checkpoint), {"weights", &summary.exported}})
    if (!path->empty())
      out << what << ": " << *path << "\n";
}

} // namespace ane::rt::tools
