//===- Session.cpp - a bundle's function on a device ----------------------===//

#include "Session.h"
#include <chrono>
#include <fstream>

using namespace ane::bench;

std::string ane::bench::messageOf(ane_status *status) {
  std::string message = ane_status_message(status);
  ane_status_free(status);
  return message;
}

Session::~Session() {
  ane_session_destroy(session);
  ane_bundle_close(bundle);
}

std::string Session::open(const std::string &path, const char *device, int threads, const std::string &inputs) {
  ane_options options = ANE_OPTIONS_INIT;
  options.device = device;
  options.threads = threads;
  if (ane_status *status = ane_bundle_open(path.c_str(), &options, &bundle))
    return messageOf(status);
  if (ane_status *status = ane_session_create(bundle, nullptr, &session))
    return messageOf(status);
  return setInputs(session, inputs);
}

std::string ane::bench::setInputs(ane_session *session, const std::string &inputs) {
  for (size_t i = 0, count = ane_session_input_count(session); i < count; ++i) {
    ane_tensor_info info = ANE_TENSOR_INFO_INIT;
    void *data;
    size_t bytes;
    if (ane_status *status = ane_session_input_info(session, i, &info))
      return messageOf(status);
    if (ane_status *status = ane_session_input_data(session, i, &data, &bytes))
      return messageOf(status);
    std::string file = inputs + "/" + info.name + ".bin";
    std::ifstream stream(file, std::ios::binary);
    if (!stream.read(static_cast<char *>(data), bytes))
      return "can't read " + std::to_string(bytes) + " bytes from " + file;
  }
  return "";
}

std::string ane::bench::timed(ane_session *session, double &ns) {
  auto start = std::chrono::steady_clock::now();
  ane_status *status = ane_session_run(session);
  ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
  return messageOf(status);
}
