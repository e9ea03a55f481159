//===- unfinished.h - What a killed process leaves ---------------*- C++ -*-===//
//
// What is written lies beside its place, as NAME.unfinished-1f2e3d4c, until it
// is whole and gets its name in one step. Its writer holds a lock on it (flock),
// which ends with the process, however it ends: who writes NAME next knows by
// that what nobody works on any more, and removes it.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_SUPPORT_UNFINISHED_H
#define ANE_RUNTIME_SUPPORT_UNFINISHED_H

#include <string>
#include <vector>

namespace ane::rt {

inline constexpr char kUnfinished[] = "unfinished";

/// A name beside `place` for a thing of `kind`, and all such names that exist.
std::string temporaryName(const std::string &place, const std::string &kind);
std::vector<std::string> temporaryNames(const std::string &place, const std::string &kind);

/// Locks what was created as `name` and opened as `fd`. False if somebody has
/// taken it for a left-over in between: then it takes another name. Some file
/// systems have no locks; there left-overs stay.
bool lockUnfinished(int fd, const std::string &name);

/// Removes what killed processes left of `place`.
void removeLeftOvers(const std::string &place);

/// Removes a file, or a folder with all that is in it.
void removeAll(const std::string &name);

} // namespace ane::rt

#endif // ANE_RUNTIME_SUPPORT_UNFINISHED_H
