//===- session_programs.cpp - The programs that a session runs ------------===//
#include "runtime/core/session_programs.h"
#include <algorithm>
#include <map>
#include <utility>

namespace ane::rt {

SessionPrograms::SessionPrograms(Bundle &bundle, const Plan &plan, Values &values, MemoryBudget &budget)
    : bundle(bundle), plan(plan), values(values), budget(budget), entries(plan.programSteps) {
  if (plan.programSteps != 0)
    room.resize(plan.mostArguments);
}

std::vector<absl::Status> SessionPrograms::load() {
  std::vector<absl::Status> results(plan.programs.size());
  int64_t bytes = 0;
  for (const auto &program : plan.programs)
    bytes += program->fileBytes();
  auto loadOne = [&](uint64_t i) { results[i] = plan.programs[i]->load(); };
  if (!results.empty() && bundle.hasRoomFor(static_cast<int64_t>(results.size()), bytes))
    bundle.pool().forEach(results.size(), loadOne);
  else
    for (uint64_t i = 0; i < results.size(); ++i)
      loadOne(i);
  return results;
}

absl::StatusOr<std::vector<Argument>> SessionPrograms::arguments(const std::vector<manifest::Surface> &surfaces,
                                                                 const std::vector<size_t> &of) {
  std::vector<Argument> list;
  list.reserve(surfaces.size());
  for (size_t i = 0; i < surfaces.size(); ++i) {
    Value &value = values.at(of[i]);
    auto form = values.form(value, surfaces[i], bundle.surfaces(), budget);
    if (!form.ok())
      return form.status();
    list.push_back({&value, *form, &surfaces[i]});
    for (const manifest::Condition &condition : surfaces[i].holds)
      if (condition.exact && !std::exchange((*form)->wantsHalf, true))
        (*form)->scanned = 0; // another function may have looked, and not for that
  }
  return list;
}

absl::Status SessionPrograms::prepare(const PlannedStep &step, const ProgramStep &work) {
  auto inputs = arguments(work.procedure->inputs, step.inputs);
  if (!inputs.ok())
    return inputs.status();
  auto outputs = arguments(work.procedure->outputs, step.outputs);
  if (!outputs.ok())
    return outputs.status();
  const auto procedure = static_cast<size_t>(work.procedure - work.program->procedures.data());
  entries[work.slot] = {work.program,       plan.programs[work.shared], false,
                        *std::move(inputs), *std::move(outputs),        CachedProgram::Call(procedure)};
  return absl::OkStatus();
}

std::pair<absl::Span<Surface *const>, absl::Span<Surface *const>> SessionPrograms::surfaces(const Entry &entry) {
  auto place = room.begin();
  for (const auto *arguments : {&entry.inputs, &entry.outputs})
    for (const Argument &argument : *arguments)
      *place++ = argument.form->surface.get();
  absl::Span<Surface *const> all(room);
  return {all.subspan(0, entry.inputs.size()), all.subspan(entry.inputs.size(), entry.outputs.size())};
}

absl::Status SessionPrograms::bind(const ProgramStep &work) {
  Entry &entry = entries[work.slot];
  auto [inputs, outputs] = surfaces(entry);
  return entry.program->bind(entry.call, inputs, outputs);
}

absl::Status SessionPrograms::clamp(const Argument &argument) {
  if (bundle.numeric() != NumericPolicy::Clamp)
    return absl::OkStatus();
  return values.clampInfinite(*argument.value, *argument.form);
}

absl::Status SessionPrograms::bringInputs(const ProgramStep &work) {
  for (const Argument &input : entries[work.slot].inputs) {
    if (absl::Status s = values.bringSurface(*input.value, *input.form); !s.ok())
      return s;
    if (absl::Status s = clamp(input); !s.ok())
      return s;
  }
  return absl::OkStatus();
}

absl::StatusOr<Evaluation> SessionPrograms::evaluate(const ProgramStep &work) {
  Entry &entry = entries[work.slot];
  auto [inputs, outputs] = surfaces(entry);
  return entry.program->evaluate(entry.call, inputs, outputs);
}

absl::Status SessionPrograms::wroteOutputs(const ProgramStep &work) {
  for (const Argument &output : entries[work.slot].outputs) {
    if (absl::Status s = values.wroteSurface(*output.value, *output.form); !s.ok())
      return s;
    if (absl::Status s = clamp(output); !s.ok())
      return s;
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> SessionPrograms::replaceReaders(const std::vector<SessionWeights::Change> &changes,
                                                        const std::shared_ptr<const Folder> &files) {
  std::vector<bool> isRead(changes.size());
  // Procedures of one program are loaded as one; null: the steps have it already.
  std::map<const manifest::Program *, std::shared_ptr<CachedProgram>> readers;
  for (const Entry &entry : entries) {
    if (!entry.program || readers.count(entry.record))
      continue;
    WeightRanges ranges;
    for (size_t i = 0; i < changes.size(); ++i) {
      const SessionWeights::Change &change = changes[i];
      if (!std::count(change.stored->programs.begin(), change.stored->programs.end(), entry.record->name))
        continue;
      ranges.add({change.stored->file, change.offset, change.bytes});
      isRead[i] = true;
    }
    if (ranges.empty())
      continue;
    std::shared_ptr<CachedProgram> &reader = readers[entry.record];
    // Of several weights that are set before the next run, the first has made the program.
    if (entry.isOwn && entry.program->alsoChanged(ranges))
      continue;
    auto made = bundle.cachedFrom(*entry.record, files);
    if (!made.ok())
      return made.status();
    (*made)->makeOf({entry.program, files, std::move(ranges), entry.isOwn, bundle.wantedWay()});
    reader = *std::move(made);
  }
  // Only now: after an error no step has a program that others read otherwise.
  for (Entry &entry : entries)
    if (auto reader = readers.find(entry.record); entry.program && reader != readers.end() && reader->second) {
      entry.program = reader->second;
      entry.isOwn = true;
    }
  int64_t bytes = 0;
  for (size_t i = 0; i < changes.size(); ++i)
    if (isRead[i])
      bytes += changes[i].bytes;
  return bytes;
}

} // namespace ane::rt
