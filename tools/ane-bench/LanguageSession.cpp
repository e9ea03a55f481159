//===- LanguageSession.cpp - a language model on the CPU ------------------===//

#include "LanguageSession.h"
#include "Session.h"
#include <algorithm>
#include <chrono>

using namespace ane::bench;

/// Tokens that every vocabulary has, not all the same.
static int32_t tokenAt(int position) { return 1 + position % 200; }

LanguageSession::~LanguageSession() {
  ane_session_destroy(parallel.session);
  ane_session_destroy(prompts.session);
  ane_session_destroy(single.session);
  ane_bundle_close(bundle);
}

/// Points at the data of an input of integers.
static std::string findInput(ane_session *session, const char *name, int32_t *&data, size_t &count) {
  size_t index, bytes = 0;
  void *found = nullptr;
  ane_status *status = ane_session_find_input(session, name, &index);
  if (!status)
    status = ane_session_input_data(session, index, &found, &bytes);
  data = static_cast<int32_t *>(found);
  count = bytes / sizeof(int32_t);
  return messageOf(status);
}

std::string LanguageSession::find(Function &function) {
  size_t one;
  std::string error = findInput(function.session, "input_ids", function.ids, function.count);
  return error.empty() ? findInput(function.session, "position", function.position, one) : error;
}

std::string LanguageSession::open(const std::string &path, int prompt, int sequences, int threads) {
  ane_options options = ANE_OPTIONS_INIT;
  options.device = "cpu";
  options.threads = threads;
  ane_status *status = ane_bundle_open(path.c_str(), &options, &bundle);
  if (!status)
    status = ane_session_create(bundle, "decode", &single.session);
  if (!status)
    status = ane_session_share(single.session, ("prefill_" + std::to_string(prompt)).c_str(), &prompts.session);
  if (!status && sequences)
    status = ane_session_create(bundle, ("decode_" + std::to_string(sequences)).c_str(), &parallel.session);
  std::string error = messageOf(status);
  for (Function *function : {&single, &prompts, &parallel})
    if (error.empty() && function->session)
      error = find(*function);
  int32_t *length;
  size_t one;
  if (error.empty())
    error = findInput(prompts.session, "length", length, one);
  if (!error.empty())
    return error;
  *length = prompt;
  *prompts.position = 0;
  for (int i = 0; i < prompt; ++i)
    prompts.ids[i] = tokenAt(i);
  return "";
}

std::string LanguageSession::prefill(double &ns) { return timed(prompts.session, ns); }

std::string LanguageSession::decode(int count, double &ns) { return steps(single, count, ns); }

std::string LanguageSession::together(int count, double &ns) { return steps(parallel, count, ns); }

/// A token of each sequence at a time, behind the prompt.
std::string LanguageSession::steps(Function &function, int count, double &ns) {
  ns = 0;
  for (int i = 0; i < count; ++i) {
    int32_t position = static_cast<int32_t>(prompts.count) + i;
    std::fill_n(function.position, function.count, position);
    for (size_t sequence = 0; sequence < function.count; ++sequence)
      function.ids[sequence] = tokenAt(position + static_cast<int>(sequence));
    double part;
    if (std::string error = timed(function.session, part); !error.empty())
      return error;
    ns += part;
  }
  return "";
}
