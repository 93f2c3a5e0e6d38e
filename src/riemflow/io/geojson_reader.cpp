#include "riemflow/io/geojson_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "riemflow/core/suggest.hpp"
#include "riemflow/io/message.hpp"

namespace riemflow::io {
namespace {

constexpr std::string_view kTypes[] = {"Point",           "MultiPoint",        "LineString",
                                       "MultiLineString", "Polygon",           "MultiPolygon",
                                       "Feature",         "FeatureCollection", "GeometryCollection"};
constexpr std::string_view kMembers[] = {"type", "coordinates", "geometry", "geometries", "features"};
constexpr const char* kCorrect = "correct the GeoJSON";
constexpr const char* kPosition = "give [longitude, latitude]";
constexpr const char* kPositions = "give [[longitude, latitude], …]";

/// "urn:ogc:def:crs:OGC:1.3:CRS84", "EPSG:4326", "urn:ogc:def:crs:EPSG::4326", …
bool is_longitude_latitude(const std::string& name) {
  const std::string last = lower(name.substr(name.find_last_of(":/#") + 1));
  return last == "crs84" || last == "crs84h" || last == "4326";
}

}  // namespace

void check_crs(JsonTokens& tokens, JsonTokens::Token first) {
  using Token = JsonTokens::Token;
  if (first == Token::null) return;
  const auto refuse = [&](const std::string& what) {
    tokens.fail("the coordinate system is " + what,
                "give longitude and latitude in degrees (CRS84, EPSG:4326), as with ogr2ogr -t_srs EPSG:4326 "
                "-lco RFC7946=YES OUT.geojson IN.geojson");
  };
  if (first != Token::begin_object) refuse("no object with a name");
  bool named = false;
  for (Token key = tokens.next(); key != Token::end_object; key = tokens.next()) {
    const bool properties = tokens.text() == "properties";
    const Token value = tokens.next();
    if (!properties || value != Token::begin_object) {
      tokens.skip(value);
      continue;
    }
    for (key = tokens.next(); key != Token::end_object; key = tokens.next()) {
      const bool name = tokens.text() == "name";
      const Token text = tokens.next();
      if (name && text == Token::string) {
        if (!is_longitude_latitude(tokens.text())) refuse(in_quotes(tokens.text()));
        named = true;
      }
      tokens.skip(text);
    }
  }
  if (!named) refuse("not named");
}

bool GeoJsonReader::next(GeoPosition& position) {
  while (next_ready_ == ready_.size() || is_held()) {
    if (done_) return false;
    if (next_ready_ == ready_.size()) {
      ready_.clear();
      next_ready_ = 0;
    }
    step();
  }
  position = ready_[next_ready_++];
  return true;
}

/// Reads on by about one name or position.
void GeoJsonReader::step() {
  const Token token = tokens_.next();
  if (frames_.empty()) {
    done_ = token == Token::end;
    if (done_) return;
    if (token != Token::begin_object)
      tokens_.fail("a GeoJSON file is one object", "give it as {\"type\": …}");
    frames_.emplace_back(Kind::object);
    return;
  }
  const Kind kind = frames_.back().kind;
  if (kind == Kind::object) {
    step_object(token);
  } else if (token == Token::end_array) {
    frames_.pop_back();
  } else if (kind == Kind::positions) {
    ready_.push_back(read_position(token));
  } else {
    if (token != Token::begin_object)
      tokens_.fail("something other than an object in an array of objects", kCorrect);
    if (kind == Kind::features) {
      ++feature_;
      properties_.clear();
      weight_text_.clear();
    }
    frames_.emplace_back(Kind::object);
    frames_.back().first_ready = ready_.size();
  }
}

void GeoJsonReader::step_object(Token token) {
  if (token == Token::end_object) return finish_object();
  Frame& frame = frames_.back();
  const std::string key = tokens_.text();
  if (std::find(std::begin(kMembers), std::end(kMembers), key) != std::end(kMembers)) {
    if (std::find(frame.seen.begin(), frame.seen.end(), key) != frame.seen.end())
      tokens_.fail(in_quotes(key) + " for the second time", "give it once");
    frame.seen.push_back(key);
  }
  token = tokens_.next();
  if (key == "type") {
    read_type(token, frame);
  } else if (key == "features" || key == "geometries") {
    if (token != Token::begin_array) tokens_.fail(in_quotes(key) + " is no array", kCorrect);
    frames_.emplace_back(key == "features" ? Kind::features : Kind::geometries);
  } else if (key == "geometry" && token == Token::begin_object) {
    frames_.emplace_back(Kind::object);
  } else if (key == "geometry") {
    if (token != Token::null) tokens_.fail("'geometry' is neither an object nor null", kCorrect);
    ++others_["Feature without a geometry"];
  } else if (key == "coordinates") {
    read_coordinates(token, frame);
  } else if (key == "crs") {
    check_crs(tokens_, token);
  } else if (key == "properties" && !weight_.empty() && token == Token::begin_object) {
    read_properties(token, frame);
  } else {
    tokens_.skip(token);
  }
}

void GeoJsonReader::read_type(Token token, Frame& frame) {
  if (token != Token::string) tokens_.fail("'type' is no text", kCorrect);
  frame.type = tokens_.text();
  if (std::find(std::begin(kTypes), std::end(kTypes), frame.type) != std::end(kTypes)) return;
  const std::string_view nearest = nearest_name(frame.type, kTypes);
  tokens_.fail(fmt::format("{} is no type of GeoJSON", in_quotes(frame.type)),
               nearest.empty()
                   ? "give GeoJSON, as in {\"type\": \"Point\", \"coordinates\": [longitude, latitude]}"
                   : fmt::format("perhaps you meant {}?", nearest));
}

void GeoJsonReader::read_coordinates(Token token, Frame& frame) {
  frame.has_coordinates = true;
  if (frame.type == "Point") {
    ready_.push_back(read_position(token));
  } else if (frame.type == "MultiPoint") {
    if (token != Token::begin_array) tokens_.fail("coordinates that are no array", kPositions);
    frames_.emplace_back(Kind::positions);
  } else if (frame.type.empty() && token == Token::begin_array) {
    keep_coordinates(frame);
  } else {
    tokens_.skip(token);
  }
}

/// Of an object that may turn out to be a feature.
void GeoJsonReader::read_properties(Token token, Frame& frame) {
  constexpr std::size_t kMostNames = 100;
  properties_.clear();
  weight_text_.clear();
  for (token = tokens_.next(); token != Token::end_object; token = tokens_.next()) {
    const std::string name = tokens_.text();
    if (properties_.size() < kMostNames) properties_.push_back(name);
    token = tokens_.next();
    if (name == weight_) {
      if (frame.weight.line != 0)
        tokens_.fail(fmt::format("the property {} for the second time", in_quotes(name)), "give it once");
      const bool number = token == Token::number;
      frame.weight = {number ? tokens_.number() : std::numeric_limits<double>::quiet_NaN(), tokens_.line(),
                      tokens_.column()};
      weight_text_ = number || token == Token::string ? tokens_.text()
                     : token == Token::null           ? "null"
                     : token == Token::boolean        ? "true or false"
                     : token == Token::begin_array    ? "an array"
                                                      : "an object";
    }
    tokens_.skip(token);
  }
}

/// The opening bracket has been read.
void GeoJsonReader::keep_coordinates(Frame& frame) {
  GeoPosition first = here();
  Token token = tokens_.next();
  frame.kept_array = token == Token::begin_array;
  frame.kept_empty = token == Token::end_array;
  if (!frame.kept_array) {
    finish_position(token, first);
    frame.kept.push_back(first);
    return;
  }
  for (; token != Token::end_array; token = tokens_.next()) frame.kept.push_back(read_position(token));
}

void GeoJsonReader::finish_object() {
  const Frame frame = std::move(frames_.back());
  frames_.pop_back();
  if (frame.type.empty()) tokens_.fail("an object ends without a 'type'", kCorrect);
  if (frame.type == "Feature")
    for (std::size_t i = frame.first_ready; i < ready_.size(); ++i) ready_[i].weight = frame.weight;
  const bool point = frame.type == "Point", points = frame.type == "MultiPoint";
  if (!point && !points) {
    if (frame.type.find("Line") != frame.type.npos || frame.type.find("Polygon") != frame.type.npos)
      ++others_[frame.type];
    return;
  }
  const char* expected = point ? kPosition : kPositions;
  if (!frame.has_coordinates) tokens_.fail("a " + frame.type + " without coordinates", expected);
  if (points && frame.kept_empty) return;
  if (!frame.kept.empty() && frame.kept_array != points)
    tokens_.fail("coordinates of the wrong shape in a " + frame.type, expected);
  ready_.insert(ready_.end(), frame.kept.begin(), frame.kept.end());
}

GeoPosition GeoJsonReader::here() const {
  return {{0, 0, 0}, {0, 0, 0}, tokens_.line(), tokens_.column(), std::max<std::uint64_t>(feature_, 1)};
}

/// `token` should be its opening bracket.
GeoPosition GeoJsonReader::read_position(Token token) {
  if (token != Token::begin_array) tokens_.fail("no position where one is expected", kPosition);
  GeoPosition position = here();
  finish_position(tokens_.next(), position);
  return position;
}

/// `token` follows the opening bracket; what is no number, or beyond the second, is passed over.
void GeoJsonReader::finish_position(Token token, GeoPosition& position) {
  for (int i = 0; token != Token::end_array; ++i, token = tokens_.next()) {
    if (token == Token::number && i < 2)
      (i == 0 ? position.longitude : position.latitude) = {tokens_.number(), tokens_.line(),
                                                           tokens_.column()};
    tokens_.skip(token);
  }
}

}  // namespace riemflow::io
