#pragma once
// Enumerators by the names that options, files and messages have for them. The names stand beside the
// enumeration, in the order of its values:
//   enum class Activation { tanh, swish };
//   constexpr auto names_of(Activation) { return std::to_array<std::string_view>({"tanh", "swish"}); }

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace riemflow {

template <class E>
concept NamedEnum = requires(E value) {
  names_of(value).size();
};

template <NamedEnum E>
constexpr std::string_view name_of(E value) {
  return names_of(value)[static_cast<std::size_t>(value)];
}

/// None where no value has that name.
template <NamedEnum E>
constexpr std::optional<E> value_named(std::string_view name) {
  constexpr auto names = names_of(E{});
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<E>(i);
  return std::nullopt;
}

}  // namespace riemflow
