//===- table.h - Columns of text --------------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_TABLE_H
#define ANE_RUNTIME_TOOLS_TABLE_H

#include "absl/strings/str_cat.h"
#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

namespace ane::rt::tools {

/// Columns of text, each as wide as its widest cell; the first is left aligned.
class Table {
public:
  void row(std::vector<std::string> cells) { rows.push_back(std::move(cells)); }
  void print(std::ostream &out) const {
    std::vector<size_t> widths;
    for (const auto &cells : rows) {
      widths.resize(std::max(widths.size(), cells.size()));
      for (size_t i = 0; i < cells.size(); ++i)
        widths[i] = std::max(widths[i], cells[i].size());
    }
    for (const auto &cells : rows) {
      std::string line = " ";
      for (size_t i = 0; i < cells.size(); ++i) {
        std::string pad(widths[i] - cells[i].size(), ' ');
        absl::StrAppend(&line, " ", i == 0 ? cells[i] + pad : pad + cells[i]);
      }
      out << line << "\n";
    }
  }

private:
  std::vector<std::vector<std::string>> rows;
};

} // namespace ane::rt::tools
#endif // ANE_RUNTIME_TOOLS_TABLE_H
