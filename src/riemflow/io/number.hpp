#pragma once
// Numbers as text, both ways.

#include <string>
#include <string_view>

namespace riemflow {

/// Appends the shortest text that reads back as the same number; "nan", "inf", "-inf".
void append_number(std::string& line, double value);
void append_number(std::string& line, float value);

namespace io {

enum class NumberKind { finite, missing, infinite, text };

/// `value` = the whole of `field`, but for blanks around it. missing: empty, NA, N/A, NaN, null, none in any
/// case. value is NaN unless finite.
NumberKind read_number(std::string_view field, char decimal, double& value);

}  // namespace io
}  // namespace riemflow
