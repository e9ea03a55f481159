//===- Peer.cpp - another program that runs the same model ----------------===//

#include "Peer.h"
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace ane::bench;

Peer::~Peer() {
  // The end of its input ends the peer.
  if (to)
    fclose(to);
  if (from)
    fclose(from);
  if (child > 0)
    waitpid(child, nullptr, 0);
}

std::string Peer::start(const std::string &command) {
  int in[2], out[2];
  // Close-on-exec: the next peer must not hold this one's input open.
  if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
    return std::string("can't make a pipe: ") + std::strerror(errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  const char *arguments[] = {"sh", "-c", command.c_str(), nullptr};
  int error = posix_spawn(&child, "/bin/sh", &actions, nullptr, const_cast<char *const *>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  to = fdopen(in[1], "w");
  from = fdopen(out[0], "r");
  if (error)
    return "can't start '" + command + "': " + std::strerror(error);
  char line[512];
  if (!fgets(line, sizeof line, from) || std::strncmp(line, "ready", 5) != 0)
    return "the peer '" + command + "' ended or did not say that it is ready";
  described = line + 5;
  described.erase(0, described.find_first_not_of(' '));
  described.erase(described.find_last_not_of('\n') + 1);
  return "";
}

std::string Peer::run(double &ns, char request) {
  if (fputc(request, to) == EOF || fflush(to) != 0 || fscanf(from, "%lf", &ns) != 1)
    return "the peer ended";
  return "";
}
