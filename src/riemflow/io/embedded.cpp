#include "riemflow/io/embedded.hpp"

#include "riemflow/io/point_source.hpp"

extern const unsigned char riemflow_earthquakes[];
extern const std::size_t riemflow_earthquakes_size;
extern const unsigned char riemflow_torsions[];
extern const std::size_t riemflow_torsions_size;

namespace riemflow {

std::string_view embedded_earthquakes_csv() {
  return {reinterpret_cast<const char*>(riemflow_earthquakes), riemflow_earthquakes_size};
}

std::string_view embedded_torsions_csv() {
  return {reinterpret_cast<const char*>(riemflow_torsions), riemflow_torsions_size};
}

template <class T>
Points<T> embedded_earthquakes() {
  return converted<T>(read_all(*open_points_in(embedded_earthquakes_csv(), "earthquakes", {})).points);
}

template Points<float> embedded_earthquakes();
template Points<double> embedded_earthquakes();

}  // namespace riemflow
