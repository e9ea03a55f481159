#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace {

/// Functions of the headers: the word before the parenthesis of each declaration.
std::set<std::string> declared() {
  std::set<std::string> names;
  for (const char *header : {ANE_HEADERS "/ane.h", ANE_HEADERS "/train.h"}) {
    std::ifstream file(header);
    for (std::string line; std::getline(file, line);) {
      size_t end = line.find('(');
      if (line.rfind("ANE_API ", 0) != 0 || end == std::string::npos)
        continue;
      size_t begin = line.find_last_of(" *", end) + 1;
      names.insert(line.substr(begin, end - begin));
    }
  }
  return names;
}

// What the library exports is what the headers declare, in the version of the ABI.
TEST(Shared, ExportsTheApiOnly) {
  FILE *nm = popen("nm -D --defined-only --with-symbol-versions " ANE_LIBRARY " 2>&1", "r");
  ASSERT_NE(nm, nullptr);
  char line[1024];
  std::set<std::string> exported;
  while (fgets(line, sizeof line, nm)) {
    std::string name(line);
    name = name.substr(name.rfind(' ') + 1);
    name.pop_back();
    if (name.rfind("ANE_", 0) == 0)
      continue; // the version itself
    size_t at = name.find("@@ANE_1.0");
    EXPECT_NE(at, std::string::npos) << name;
    exported.insert(name.substr(0, at));
  }
  EXPECT_EQ(pclose(nm), 0);
  EXPECT_EQ(exported, declared());
  EXPECT_GT(exported.size(), 30u);
}

} // namespace
