#pragma once
// The paper's data sets on the Earth, as its table splits them.

#include <span>
#include <string>

#include "riemflow/core/points.hpp"

namespace riemflow {

struct EarthSet {
  const char* name;  ///< of a known data set
  double epochs;     ///< of the flows, the paper's
  double train_tolerance;
  const char *mixture, *stereographic, *riemannian;  ///< the paper's NLL
};

/// The paper's four; quick: the embedded earthquakes stand in for them, so that it runs anywhere.
std::span<const EarthSet> earth_sets(bool quick);

/// customary: a random split, equal points on both sides of it as they fall. distinct: one of each set of
/// equal points is kept before the split. two_way: the customary split, with the validation points among
/// those for training, as the paper says of its own (which has training and test points only).
enum class Protocol { customary, distinct, two_way };

struct EarthSplit {
  Points<double> training, validation, test;
};

/// Throws Error if the file is not there, with where to get it, or is not the known one.
void check_earth_set(const EarthSet& set, const std::string& data_dir);

/// 80/10/10, by the seed.
EarthSplit earth_split(const EarthSet& set, Protocol protocol, std::uint64_t seed,
                       const std::string& data_dir);

}  // namespace riemflow
