// Texts that others wrote: what is wrong with them is said with its place, and numbers are read back as they were.
#include "runtime/support/json_text.h"
#include "runtime/support/number_text.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace ane::rt;

namespace {

using Json = nlohmann::ordered_json;

TEST(JsonText, SaysWhatIsWrong) {
  auto message = [](const std::string &text) {
    return std::string(parseJsonObject<Json>(text, "a.json", 16, "; get it again").status().message());
  };
  EXPECT_EQ(message(R"({"a": [1, {"b": null}]})"), "");
  EXPECT_EQ(message("[]"), "a.json: is no JSON object; get it again");
  EXPECT_EQ(message(""), "a.json: is no JSON text: can't be read from line 1, column 1; get it again");
  EXPECT_EQ(message("{\"a\": 1,\n \"b\": NaN}"),
            "a.json: is no JSON text: can't be read from line 2, column 7; get it again");
  EXPECT_NE(message(R"({"a": 1e999})").find("a.json: is no JSON text: "), std::string::npos);
  for (size_t depth : {17, 300'000}) {
    std::string open(depth, '['), close(depth, ']');
    EXPECT_EQ(message("{\"a\": " + open + close + "}"), "a.json: is nested deeper than 16; get it again");
    EXPECT_EQ(message("{\"a\": " + open), "a.json: is nested deeper than 16; get it again");
  }
}

TEST(NumberText, IsReadAsTheSameNumber) {
  EXPECT_EQ(numberText(16), "16");
  EXPECT_EQ(numberText(-0.5), "-0.5");
  for (double value : {16.0 / 3, 16 * std::sqrt(8), 1e-300, 1e22, -0.1})
    EXPECT_EQ(std::stod(numberText(value)), value);
}

} // namespace
