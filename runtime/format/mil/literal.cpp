//===- literal.cpp - Numbers of MIL text ----------------------------------===//
#include "runtime/format/mil/literal.h"

#include "absl/strings/charconv.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace ane::rt::mil {
namespace {

/// Removes the sign and an "0x" prefix.
struct Split {
  bool negative = false;
  bool hex = false;
  std::string_view digits;

  explicit Split(std::string_view text) : digits(text) {
    if (!digits.empty() && (digits[0] == '-' || digits[0] == '+')) {
      negative = digits[0] == '-';
      digits.remove_prefix(1);
    }
    if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
      hex = true;
      digits.remove_prefix(2);
    }
  }
};

std::string quoted(std::string_view text) { return "'" + std::string(text.substr(0, 40)) + "'"; }

int digitValue(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

bool isUnsigned(ElementType dtype) { return milName(dtype)[0] == 'u'; }

} // namespace

bool looksLikeFloat(std::string_view text) {
  Split split(text);
  return split.digits.find_first_of(split.hex ? ".pP" : ".eEnN") != std::string_view::npos;
}

std::string parseFloat(std::string_view text, ElementType dtype, double &value) {
  Split split(text);
  std::string_view digits = split.digits;
  if (digits == "inf" || digits == "infinity") {
    value = std::numeric_limits<double>::infinity();
  } else if (digits == "nan") {
    value = std::numeric_limits<double>::quiet_NaN();
    return {}; // one NaN, without sign
  } else {
    // 0x3c00 could be the value 15360 or the bits of 1.0; both are found in
    // descriptions of the format.
    if (split.hex && !looksLikeFloat(text))
      return "hexadecimal integer " + quoted(text) + " in a literal of type " + std::string(milName(dtype)) +
             " is ambiguous; write a hex float (0x1.8p+1)";
    const char *end = digits.data() + digits.size();
    absl::from_chars_result result =
        absl::from_chars(digits.data(), end, value, split.hex ? absl::chars_format::hex : absl::chars_format::general);
    if (result.ptr != end || result.ec == std::errc::invalid_argument)
      return quoted(text) + " is not a number";
    // Underflow to zero or a denormal is rounding; overflow is an error.
    if (result.ec == std::errc::result_out_of_range && std::fabs(value) >= 1)
      return quoted(text) + " is out of range of any float type";
  }
  if (split.negative)
    value = -value;
  return {};
}

std::string parseInteger(std::string_view text, ElementType dtype, int64_t &value) {
  Split split(text);
  const unsigned bits = bitWidth(dtype);
  const bool isSigned = !isUnsigned(dtype);
  const uint64_t allOnes = std::numeric_limits<uint64_t>::max() >> (64 - bits);
  uint64_t limit = isSigned ? (allOnes >> 1) + (split.negative ? 1 : 0) : (split.negative ? 0 : allOnes);
  const unsigned base = split.hex ? 16 : 10;
  uint64_t magnitude = 0;
  for (char c : split.digits) {
    int digit = digitValue(c);
    if (digit < 0 || digit >= static_cast<int>(base))
      return quoted(text) + " is not an integer, as type " + std::string(milName(dtype)) + " needs";
    if (magnitude > (limit - std::min<uint64_t>(limit, digit)) / base || magnitude * base + digit > limit)
      return quoted(text) + " is out of range of " + std::string(milName(dtype));
    magnitude = magnitude * base + digit;
  }
  value = static_cast<int64_t>(split.negative ? 0 - magnitude : magnitude);
  return {};
}

std::string formatFloat(double value) {
  if (std::isnan(value))
    return "nan";
  std::string text = std::signbit(value) ? "-" : "";
  value = std::fabs(value);
  if (std::isinf(value))
    return text + "inf";
  if (value == 0)
    return text + "0x0p+0";
  // printf's %a is not the same on every C library; this is.
  int exponent = 0;
  double mantissa = std::frexp(value, &exponent) * 2; // in [1, 2)
  uint64_t bits = 0;
  std::memcpy(&bits, &mantissa, sizeof(bits));
  bits &= (uint64_t(1) << 52) - 1;
  text += "0x1";
  if (bits != 0) {
    text += '.';
    // Four bits at a time from the top, until only zeros are left below.
    for (int shift = 48; bits != 0; shift -= 4) {
      text += "0123456789abcdef"[bits >> shift];
      bits &= (uint64_t(1) << shift) - 1;
    }
  }
  --exponent;
  text += exponent < 0 ? "p" : "p+";
  return text + std::to_string(exponent);
}

std::string formatInteger(int64_t value, ElementType dtype) {
  if (dtype == ElementType::Bool)
    return value ? "true" : "false";
  if (isUnsigned(dtype))
    return std::to_string(static_cast<uint64_t>(value));
  return std::to_string(value);
}

} // namespace ane::rt::mil
