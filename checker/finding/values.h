// Values of words, objects and parts of them, for traces.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "checker/finding/text_context.h"
#include "checker/value.h"

namespace cml::checker {

[[nodiscard]] Value word_value(const TextContext& context, const ir::WordType& type,
                               std::int32_t word);
/// Words that are written by a pattern (ir/value_text.h). Of an empty pattern: one word, or a list.
[[nodiscard]] Value value_of_words(std::string_view pattern, std::span<const Value> words);
/// Some words of a variable, or of the oldest element of a channel, that begin at `fields`.
[[nodiscard]] Value part_value(const TextContext& context, const std::uint8_t* state,
                               ir::ObjectId object, std::uint32_t word, std::size_t count);
[[nodiscard]] Value object_value(const TextContext& context, const std::uint8_t* state,
                                 ir::ObjectId object);
[[nodiscard]] inline Value truth(bool is_true) { return {is_true ? "true" : "false", {is_true}}; }
[[nodiscard]] Value number(std::int32_t value);

}  // namespace cml::checker
