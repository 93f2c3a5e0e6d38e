#pragma once
// Numbers of things as people write them: 1000000, 1e6, 2.5e3.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

namespace riemflow::app {

/// A whole number from `least` to `most` ≤ 2^53; anything else is refused with the range.
CLI::Option* add_count(CLI::App& command, const std::string& flag, std::uint64_t& value, std::uint64_t least,
                       std::uint64_t most, const std::string& help);

}  // namespace riemflow::app
