#pragma once
// Where a flow is computed.

#include <array>
#include <optional>
#include <string_view>

namespace riemflow {

enum class Device { cpu, cuda, automatic };

/// In the order of the enumerators.
inline constexpr std::array<std::string_view, 3> kDevices = {"cpu", "cuda", "auto"};

constexpr std::optional<Device> device_named(std::string_view name) {
  for (std::size_t i = 0; i < kDevices.size(); ++i)
    if (kDevices[i] == name) return static_cast<Device>(i);
  return std::nullopt;
}

}  // namespace riemflow
