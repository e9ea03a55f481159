//===- steps.h - Steps of a tokenizer in JSON -------------------*- C++ -*-===//
//
// The spelling of Hugging Face's tokenizer.json, in which a step is an object
// with a "type", or null for none; Sequence is a list of others. What is
// added for the bundle's own files: the normalizer and the decoder SentencePiece,
// and "by_character" of the decoder ByteFallback.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_TEXT_TOKENIZER_STEPS_H
#define ANE_RUNTIME_TEXT_TOKENIZER_STEPS_H

#include "runtime/text/tokenizer/json_fields.h"
#include "runtime/text/tokenizer/model.h"

namespace ane::rt::text {

/// Each appends the steps of a value; errors go to the file.
void readNormalizer(const Json &value, JsonFile &file, const std::string &place, std::vector<Normalizer> &steps);
void readPreTokenizer(const Json &value, JsonFile &file, const std::string &place, std::vector<PreTokenizer> &steps);
void readDecoder(const Json &value, JsonFile &file, const std::string &place, std::vector<Decoder> &steps);

/// The flags of an added token, which are false where they are missing; `needsAll`:
/// that is an error.
void readFlags(Fields &fields, bool needsAll, AddedToken &token);

/// What the readers above read.
Json toJson(const Normalizer &step);
Json toJson(const PreTokenizer &step);
Json toJson(const Decoder &step);

} // namespace ane::rt::text

#endif // ANE_RUNTIME_TEXT_TOKENIZER_STEPS_H
