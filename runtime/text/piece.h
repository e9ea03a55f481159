//===- piece.h - Text and where it is from ----------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEXT_PIECE_H
#define ANE_RUNTIME_TEXT_PIECE_H

#include <string>

namespace ane::rt::text {

/// A part of a rendered chat. The name of a special token stands for that token
/// only where all of it is from the template; what users write is text.
struct Piece {
  std::string text;
  bool fromTemplate = true;
};

} // namespace ane::rt::text

#endif // ANE_RUNTIME_TEXT_PIECE_H
