#pragma once
// From values to shares of a length or of a colour map, and the round values to mark on the way.

#include <string>
#include <vector>

#include "riemflow/figure/colour.hpp"

namespace riemflow::figure {

/// [from, to] to [0, 1], evenly or evenly in the logarithm. Of a log scale both ends are > 0.
struct Scale {
  double from = 0, to = 1;
  bool logarithmic = false;

  /// Not clipped. NaN stays NaN; on a log scale what is not positive is −∞.
  double share(double value) const;
  double value(double share) const;
  Colour colour(double value) const { return heat(share(value)); }
};

struct Tick {
  double at = 0;
  std::string label;
};

/// At least `least` round values in the scale, at most 2 × least: multiples of 1, 2, 2.5 or 5 times a power
/// of ten; on a log scale decades if there are enough of them. Only if the scale has any width.
std::vector<Tick> ticks(const Scale& scale, int least = 4);
/// The same of angles: multiples of 1, 2, 5, 10, 15, 30, 60 or 90, with a degree sign.
std::vector<Tick> degree_ticks(const Scale& scale, int least = 4);
/// 2…9 times each power of ten, for marks without labels; none if there are more than 6 decades.
std::vector<double> fine_ticks(const Scale& log_scale);

/// With `decimals` digits after the point, a true minus, thin spaces between thousands.
std::string number_text(double value, int decimals);
/// 10⁻⁵
std::string power_of_ten(int exponent);
/// As few digits as give back the value to `digits` of them: 0.3, 1250, 2.5·10⁻⁸.
std::string short_number(double value, int digits = 3);

/// The least scale with round ends that holds the values; a little one around a single value. Values that are
/// not finite (or on a log scale not positive) do not count.
Scale scale_of(const std::vector<double>& values, bool logarithmic = false);

}  // namespace riemflow::figure
