#include "riemflow/figure/scale.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace riemflow::figure {
namespace {

constexpr double kSlack = 1e-9;  // of a step: an end that rounding moved is still an end

double power(int exponent) { return std::pow(10.0, exponent); }

/// Multiples of unit·10^exponent; the unit has at most one digit after the point.
struct Step {
  double unit = 1;
  int exponent = 0;
  double size() const { return unit * power(exponent); }
  int decimals() const { return std::max(0, -exponent + (unit == 2.5 ? 1 : 0)); }
};

/// k·step as decimal arithmetic gives it: 3·0.1 is 0.3.
double multiple(double k, const Step& step) {
  const double units = k * step.unit;
  return step.exponent < 0 ? units / power(-step.exponent) : units * power(step.exponent);
}

int count(const Scale& scale, double step) {
  return static_cast<int>(std::floor(scale.to / step + kSlack) - std::ceil(scale.from / step - kSlack)) + 1;
}

template <class Place>
void each_multiple(const Scale& scale, double step, const Place& place) {
  const double last = std::floor(scale.to / step + kSlack);
  for (double k = std::ceil(scale.from / step - kSlack); k <= last; ++k) place(k == 0 ? 0 : k);
}

/// The largest of at least `least` ticks. Steps are at most twice the next one: no more than 2·least. 2.5 is
/// taken only where 2 would give more.
Step step_for(const Scale& scale, int least) {
  constexpr std::array<double, 4> units = {5, 2.5, 2, 1};
  const int top = static_cast<int>(std::ceil(std::log10(scale.to - scale.from)));
  for (int exponent = top;; --exponent)
    for (const double unit : units) {
      const Step step{unit, exponent};
      if (unit == 2.5 && count(scale, Step{2, exponent}.size()) <= 2 * least) continue;
      if (count(scale, step.size()) >= least || exponent < top - 3) return step;
    }
}

bool far_from_one(double largest) { return largest >= 1e6 || largest < 1e-3; }

std::vector<Tick> linear_ticks(const Scale& scale, int least) {
  const Step step = step_for(scale, least);
  const double largest = std::max(std::abs(scale.from), std::abs(scale.to));
  const bool scientific = far_from_one(largest);
  const int exponent = scientific ? static_cast<int>(std::floor(std::log10(largest))) : 0;
  std::vector<Tick> result;
  each_multiple(scale, step.size(), [&](double k) {
    const double at = multiple(k, step);
    if (!scientific)
      result.push_back({at, number_text(at, step.decimals())});
    else if (at == 0)
      result.push_back({0, "0"});
    else
      result.push_back(
          {at, number_text(at / power(exponent), Step{step.unit, step.exponent - exponent}.decimals()) + "·" +
                   power_of_ten(exponent)});
  });
  return result;
}

std::string log_label(double digit, int exponent, bool scientific) {
  if (!scientific) return number_text(digit * power(exponent), std::max(0, -exponent));
  if (exponent == 0) return number_text(digit, 0);
  return digit == 1 ? power_of_ten(exponent) : number_text(digit, 0) + "·" + power_of_ten(exponent);
}

std::vector<Tick> log_ticks(const Scale& scale, const std::vector<double>& digits, int stride) {
  const double low = std::log10(scale.from), high = std::log10(scale.to);
  const bool scientific = scale.from < 0.99e-3 || scale.to >= 1e6;
  std::vector<Tick> result;
  for (int exponent = static_cast<int>(std::floor(low)); exponent <= std::floor(high + kSlack); ++exponent) {
    if (exponent % stride != 0) continue;
    for (const double digit : digits) {
      const double at = std::log10(digit) + exponent;
      if (at < low - kSlack || at > high + kSlack) continue;
      result.push_back({digit * power(exponent), log_label(digit, exponent, scientific)});
    }
  }
  return result;
}

}  // namespace

double Scale::share(double value) const {
  if (!logarithmic) return (value - from) / (to - from);
  if (std::isnan(value)) return value;
  if (value <= 0) return -std::numeric_limits<double>::infinity();
  return std::log(value / from) / std::log(to / from);
}

double Scale::value(double share) const {
  return logarithmic ? from * std::exp(share * std::log(to / from)) : from + share * (to - from);
}

std::vector<Tick> ticks(const Scale& scale, int least) {
  if (!(scale.to > scale.from) || (scale.logarithmic && scale.from <= 0)) return {};
  if (!scale.logarithmic) return linear_ticks(scale, least);
  std::vector<Tick> result = log_ticks(scale, {1}, 1);
  const auto most = static_cast<std::size_t>(2 * least);
  if (result.size() > most) return log_ticks(scale, {1}, static_cast<int>((result.size() + most - 1) / most));
  for (const std::vector<double>& digits : {std::vector<double>{1, 3}, {1, 2, 5}}) {
    if (result.size() >= static_cast<std::size_t>(least)) return result;
    result = log_ticks(scale, digits, 1);
  }
  return result.size() >= static_cast<std::size_t>(least) ? result : linear_ticks(scale, least);
}

std::vector<Tick> degree_ticks(const Scale& scale, int least) {
  constexpr std::array<double, 8> steps = {90, 60, 30, 15, 10, 5, 2, 1};
  std::vector<Tick> result;
  for (const double step : steps) {
    if (count(scale, step) < least) continue;
    each_multiple(scale, step, [&](double k) {
      result.push_back({k * step, number_text(k * step, 0) + "°"});
    });
    return result;
  }
  result = ticks(scale, least);
  for (Tick& tick : result) tick.label += "°";
  return result;
}

std::vector<double> fine_ticks(const Scale& scale) {
  std::vector<double> result;
  if (!scale.logarithmic || std::log10(scale.to / scale.from) > 6) return result;
  for (int exponent = static_cast<int>(std::floor(std::log10(scale.from)));
       exponent <= std::floor(std::log10(scale.to)); ++exponent)
    for (int digit = 2; digit <= 9; ++digit) {
      const double at = digit * power(exponent);
      if (at >= scale.from && at <= scale.to) result.push_back(at);
    }
  return result;
}

std::string number_text(double value, int decimals) {
  std::string digits = fmt::format("{:.{}f}", std::abs(value), decimals);
  const bool zero = digits.find_first_not_of("0.") == std::string::npos;
  std::size_t whole = std::min(digits.find('.'), digits.size());
  if (whole > 4)
    for (std::size_t at = whole; at > 3; at -= 3) {
      if (at - 3 > 0) digits.insert(at - 3, "\u2009");
    }
  return (value < 0 && !zero ? "−" : "") + digits;
}

std::string power_of_ten(int exponent) {
  constexpr std::array<const char*, 10> high = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string result = exponent < 0 ? "10⁻" : "10";
  for (const char digit : std::to_string(std::abs(exponent)))
    result += high[static_cast<std::size_t>(digit - '0')];
  return result;
}

std::string short_number(double value, int digits) {
  if (std::isnan(value)) return "none";
  if (std::isinf(value)) return value < 0 ? "−∞" : "∞";
  if (value == 0) return "0";
  const auto trimmed = [&](double x, int decimals) {
    while (decimals > 0 &&
           std::abs(x - std::round(x * power(decimals - 1)) / power(decimals - 1)) < 1e-3 * power(-decimals))
      --decimals;
    return number_text(x, decimals);
  };
  // After rounding to the digits, 9.996 is 10.0.
  const double rounded = std::stod(fmt::format("{:.{}e}", value, digits - 1));
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(rounded)) + 1e-12));
  if (!far_from_one(std::abs(rounded))) return trimmed(rounded, std::max(0, digits - 1 - exponent));
  const std::string mantissa = trimmed(rounded / power(exponent), digits - 1);
  return mantissa == "1" ? power_of_ten(exponent) : mantissa + "·" + power_of_ten(exponent);
}

Scale scale_of(const std::vector<double>& values, bool logarithmic) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : values) {
    if (!std::isfinite(value) || (logarithmic && value <= 0)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low > high) return {logarithmic ? 0.1 : 0, 1, logarithmic};
  if (logarithmic) {
    if (high / low < 1.1) return {low / 2, high * 2, true};
    const double margin = std::pow(high / low, 0.03);
    return {low / margin, high * margin, true};
  }
  if (high - low <= 1e-9 * std::max(std::abs(low), std::abs(high))) {
    const double around = low == 0 ? 1 : 0.1 * std::abs(low);
    return {low - around, high + around, false};
  }
  // To the next half of a step beyond the values.
  const double step = step_for({low, high, false}, 4).size() / 2;
  return {std::floor(low / step + kSlack) * step, std::ceil(high / step - kSlack) * step, false};
}

}  // namespace riemflow::figure
