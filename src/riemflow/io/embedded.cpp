#include "riemflow/io/embedded.hpp"

#include <charconv>

#include "riemflow/core/error.hpp"
#include "riemflow/manifold/earth.hpp"

extern const unsigned char riemflow_earthquakes[];
extern const std::size_t riemflow_earthquakes_size;
extern const unsigned char riemflow_torsions[];
extern const std::size_t riemflow_torsions_size;

namespace riemflow {
namespace {

/// The next comma-separated field of `line`, which loses it.
std::string_view next_field(std::string_view& line) {
  const std::size_t end = std::min(line.find(','), line.size());
  const std::string_view field = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return field;
}

double number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(error == std::errc() && end == text.data() + text.size(),
          "the embedded earthquakes hold '" + std::string(text) + "' where a number belongs",
          "rebuild from an unchanged data/significant_earthquakes.csv");
  return value;
}

}  // namespace

std::string_view embedded_earthquakes_csv() {
  return {reinterpret_cast<const char*>(riemflow_earthquakes), riemflow_earthquakes_size};
}

std::string_view embedded_torsions_csv() {
  return {reinterpret_cast<const char*>(riemflow_torsions), riemflow_torsions_size};
}

template <class T>
Points<T> embedded_earthquakes() {
  std::string_view text = embedded_earthquakes_csv();
  text.remove_prefix(text.find('\n') + 1);
  Points<T> points(0, 3);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty()) continue;
    next_field(line);  // year
    const double latitude = number(next_field(line)), longitude = number(next_field(line));
    points.values.resize(points.values.size() + 3);
    unit_vector<T>(latitude, longitude, points[points.size() - 1]);
  }
  return points;
}

template Points<float> embedded_earthquakes();
template Points<double> embedded_earthquakes();

}  // namespace riemflow
