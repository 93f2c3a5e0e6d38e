#pragma once
// The positions of GeoJSON (RFC 7946), one after the other: of Point and MultiPoint, alone, in a
// GeometryCollection, Feature or FeatureCollection. What is held is the path to the place in the file, not
// the file; only coordinates written before the "type" of their geometry are kept until it is known and,
// where a property is the points' weight, those of a feature until it ends.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "riemflow/io/json_tokens.hpp"

namespace riemflow::io {

/// Reads the value of "crs", a member of GeoJSON before RFC 7946, that begins with `first`. Throws Error
/// (bad_data) with its place unless it is null, CRS84 or EPSG:4326: longitude and latitude in degrees.
void check_crs(JsonTokens& tokens, JsonTokens::Token first);

/// [longitude, latitude, …]
struct GeoPosition {
  struct Number {
    double value;
    std::uint64_t line, column;  ///< where it stands; 0: there is no such number
  };
  Number longitude, latitude;
  std::uint64_t line, column;  ///< of the bracket
  std::uint64_t feature;       ///< from 1
  Number weight{0, 0, 0};      ///< NaN where the property is no number
};

class GeoJsonReader {
 public:
  /// weight: the property that is the weight of a feature's points; empty: none is wanted.
  GeoJsonReader(Window window, std::string path, std::string weight = "")
      : tokens_(std::move(window), std::move(path)), weight_(std::move(weight)) {}

  /// False at the end of the file. Throws Error (bad_data).
  bool next(GeoPosition& position);
  /// What else was met, by type: lines, polygons, features without a geometry.
  const std::map<std::string, std::uint64_t>& others() const { return others_; }
  /// Of the feature of the last position: the weight as it is written, and the names of its properties.
  const std::string& weight_text() const { return weight_text_; }
  const std::vector<std::string>& properties() const { return properties_; }

 private:
  using Token = JsonTokens::Token;
  enum class Kind { object, features, geometries, positions };

  /// An object or array that is being read.
  struct Frame {
    explicit Frame(Kind k) : kind(k) {}
    Kind kind;
    std::string type;               // of an object, once it has been read
    std::vector<std::string> seen;  // members, of those with a meaning
    bool has_coordinates = false;
    std::vector<GeoPosition> kept;  // coordinates before the type,
    bool kept_array = false;        // [[lon, lat], …], not [lon, lat],
    bool kept_empty = false;        // or []
    std::size_t first_ready = 0;    // where its positions begin in ready_
    GeoPosition::Number weight{0, 0, 0};
  };

  /// Positions wait for the end of their feature.
  bool is_held() const {
    return !weight_.empty() && !frames_.empty() && frames_.back().kind != Kind::features;
  }
  void step();
  void step_object(Token token);
  void read_type(Token token, Frame& frame);
  void read_coordinates(Token token, Frame& frame);
  void keep_coordinates(Frame& frame);
  void read_properties(Token token, Frame& frame);
  void finish_object();
  GeoPosition here() const;
  GeoPosition read_position(Token token);
  void finish_position(Token token, GeoPosition& position);

  JsonTokens tokens_;
  std::string weight_, weight_text_;
  std::vector<std::string> properties_;
  std::vector<Frame> frames_;
  std::vector<GeoPosition> ready_;  // found and not yet given, from next_ready_
  std::size_t next_ready_ = 0;
  std::uint64_t feature_ = 0;  // of a collection, from 1
  bool done_ = false;
  std::map<std::string, std::uint64_t> others_;
};

}  // namespace riemflow::io
