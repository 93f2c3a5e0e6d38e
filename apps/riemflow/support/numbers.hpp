#pragma once
// Several numbers in one option.

#include <string>
#include <vector>

namespace riemflow::app {

/// Those of "35,139,700". n: how many there must be; 0: any. form: how help writes them, "LAT,LON,KM". Throws
/// Error(Fault::usage).
std::vector<double> numbers_of(const std::string& text, std::size_t n, const std::string& option,
                               const std::string& form);

}  // namespace riemflow::app
