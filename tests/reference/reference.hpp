#pragma once
// The reference: slow, obvious, double precision. Every kernel of the library is tested against it, so it
// shares nothing with them but dual numbers. The number type N is double, or Dual<double> where the
// parameters carry a derivative. A point z is the concatenation of its factors' ambient coordinates.

#include "tests/reference/covariant.hpp"
#include "tests/reference/density.hpp"
#include "tests/reference/divergence.hpp"
#include "tests/reference/field.hpp"
#include "tests/reference/flow.hpp"
#include "tests/reference/loss.hpp"
#include "tests/reference/network.hpp"
#include "tests/reference/parameters.hpp"
#include "tests/reference/runge_kutta.hpp"
#include "tests/reference/spec.hpp"
#include "tests/reference/vectors.hpp"
