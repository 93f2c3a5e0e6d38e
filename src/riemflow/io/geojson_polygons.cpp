#include "riemflow/io/geojson_polygons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "riemflow/core/error.hpp"
#include "riemflow/core/suggest.hpp"
#include "riemflow/io/geojson_reader.hpp"
#include "riemflow/io/message.hpp"
#include "riemflow/io/unpack.hpp"

namespace riemflow {
namespace {

using io::in_quotes;
using io::JsonTokens;
using Token = JsonTokens::Token;

constexpr const char* kRing = "give a ring as [[longitude, latitude], …], the last position as the first";

/// A JSON value with its place; members that GeoJSON does not give a meaning are left out.
struct Node {
  Token kind = Token::null;
  std::uint64_t line = 0, column = 0;
  std::string text;
  double number = 0;
  std::vector<Node> items;
  std::map<std::string, Node> members;
};

bool has_meaning(const std::string& key) {
  return key == "type" || key == "coordinates" || key == "geometry" || key == "geometries" ||
         key == "features";
}

/// Recursion is as deep as JsonTokens lets brackets be, kDeepest.
Node read_node(JsonTokens& tokens, Token token) {
  Node node;
  node.kind = token;
  node.line = tokens.line();
  node.column = tokens.column();
  if (token == Token::string) node.text = tokens.text();
  if (token == Token::number) node.number = tokens.number();
  if (token == Token::begin_array)
    for (Token next = tokens.next(); next != Token::end_array; next = tokens.next())
      node.items.push_back(read_node(tokens, next));
  if (token == Token::begin_object) {
    for (Token next = tokens.next(); next != Token::end_object; next = tokens.next()) {
      const std::string key = tokens.text();
      if (node.members.contains(key)) tokens.fail(in_quotes(key) + " for the second time", "give it once");
      const Token first = tokens.next();
      if (has_meaning(key))
        node.members[key] = read_node(tokens, first);
      else if (key == "crs")
        io::check_crs(tokens, first);
      else
        tokens.skip(first);
    }
  }
  return node;
}

class Reader {
 public:
  explicit Reader(std::string path) : path_(std::move(path)) {}

  GeoPolygons read(const Node& root) {
    object(root);
    GeoPolygons result;
    for (const auto& [type, count] : others_)
      result.remarks.push_back(fmt::format("{} {} left out: not an area", count, type));
    if (polygons_.empty())
      fail(root, "there is no polygon in it", "give a Polygon or a MultiPolygon, alone or in features");
    result.polygons = std::move(polygons_);
    return result;
  }

 private:
  [[noreturn]] void fail(const Node& node, const std::string& problem, const std::string& advice) const {
    throw Error(FilePlace{path_, node.line, node.column}, problem, advice);
  }

  const Node& member(const Node& node, const std::string& key, Token kind, const char* what) const {
    const auto found = node.members.find(key);
    if (found == node.members.end())
      fail(node, fmt::format("an object of GeoJSON without '{}'", key), "give it as RFC 7946 says");
    if (found->second.kind != kind)
      fail(found->second, fmt::format("'{}' is no {}", key, what), "correct it");
    return found->second;
  }

  void object(const Node& node) {
    if (node.kind != Token::begin_object)
      fail(node, "something that is no object of GeoJSON", "give it as {\"type\": …, …}");
    const Node& type_node = member(node, "type", Token::string, "text");
    const std::string& type = type_node.text;
    if (type == "FeatureCollection") {
      for (const Node& feature : member(node, "features", Token::begin_array, "array").items) object(feature);
    } else if (type == "GeometryCollection") {
      for (const Node& part : member(node, "geometries", Token::begin_array, "array").items) object(part);
    } else if (type == "Feature") {
      const auto geometry = node.members.find("geometry");
      if (geometry == node.members.end() || geometry->second.kind == Token::null)
        ++others_["Feature without a geometry"];
      else
        object(geometry->second);
    } else if (type == "Polygon") {
      polygon(member(node, "coordinates", Token::begin_array, "array"));
    } else if (type == "MultiPolygon") {
      for (const Node& part : member(node, "coordinates", Token::begin_array, "array").items) polygon(part);
    } else if (type == "Point" || type == "MultiPoint" || type == "LineString" || type == "MultiLineString") {
      ++others_[type];
    } else {
      static constexpr std::string_view kTypes[] = {"Polygon", "MultiPolygon", "Feature", "FeatureCollection",
                                                    "GeometryCollection"};
      const std::string_view nearest = nearest_name(type, kTypes);
      fail(type_node, fmt::format("{} is no type of GeoJSON", in_quotes(type)),
           nearest.empty() ? "give a Polygon or a MultiPolygon, alone or in features"
                           : fmt::format("perhaps you meant {}?", nearest));
    }
  }

  void polygon(const Node& node) {
    if (node.kind != Token::begin_array) fail(node, "a polygon that is no array of rings", kRing);
    if (node.items.empty()) {
      ++others_["empty Polygon"];
      return;
    }
    Polygon result;
    for (const Node& part : node.items) result.push_back(ring(part));
    if (const auto hole = misplaced_hole(result, path_))
      fail(node.items[hole->ring],
           fmt::format("ring {} of the polygon is a hole that {}", hole->ring + 1,
                       hole->how == MisplacedHole::outside  ? "lies outside the first ring"
                       : hole->how == MisplacedHole::across ? "is not wholly inside the first ring"
                                                            : "overlaps another"),
           hole->how == MisplacedHole::outside
               ? "give areas apart from each other as a MultiPolygon"
               : "give holes inside the first ring and apart from each other");
    polygons_.push_back(std::move(result));
  }

  Ring ring(const Node& node) {
    if (node.kind != Token::begin_array) fail(node, "a ring that is no array of positions", kRing);
    Ring result;
    for (const Node& part : node.items) result.push_back(position(part));
    if (result.size() < 4)
      fail(node, fmt::format("a ring of {} position{}", result.size(), result.size() == 1 ? "" : "s"),
           "a ring has at least 4, the last the same as the first");
    const LonLat &first = result.front(), &last = result.back();
    if (first.latitude != last.latitude || first.longitude != last.longitude)
      fail(node.items.back(),
           fmt::format("a ring that is not closed: it begins at [{}, {}] and ends at [{}, {}]",
                       first.longitude, first.latitude, last.longitude, last.latitude),
           "repeat the first position at the end");
    result.pop_back();
    return result;
  }

  LonLat position(const Node& node) {
    if (node.kind != Token::begin_array || node.items.size() < 2 || node.items[0].kind != Token::number ||
        node.items[1].kind != Token::number)
      fail(node, "no position where one is expected", "give [longitude, latitude]");
    const Node &longitude = node.items[0], &latitude = node.items[1];
    if (!(std::abs(latitude.number) <= 90))
      fail(latitude, fmt::format("the latitude is {}", latitude.number),
           "give degrees from -90 to 90; GeoJSON wants [longitude, latitude]");
    if (!(std::abs(longitude.number) <= 360))
      fail(longitude, fmt::format("the longitude is {}", longitude.number),
           "give degrees from -180 to 180; beyond, up to 360, across the antimeridian");
    return {longitude.number, latitude.number};
  }

  std::string path_;
  std::vector<Polygon> polygons_;
  std::map<std::string, std::size_t> others_;
};

GeoPolygons read(std::unique_ptr<io::ByteSource> bytes, const std::string& name) {
  JsonTokens tokens(io::Window(std::move(bytes)), name);
  const Node root = read_node(tokens, tokens.next());
  if (tokens.next() != Token::end) tokens.fail("something follows the object", "give one object of GeoJSON");
  return Reader(name).read(root);
}

}  // namespace

GeoPolygons read_geojson_polygons(const std::string& path) {
  return read(io::open_bytes(path), path == "-" ? "<stdin>" : path);
}

GeoPolygons read_geojson_polygons_in(std::string_view text, const std::string& name) {
  return read(io::unpacked(io::memory_bytes(text), name), name);
}

EarthRegion region_of(const GeoPolygons& found, const std::string& name) {
  EarthRegion region = earth_polygons(found.polygons, name);
  region.remarks.insert(region.remarks.begin(), found.remarks.begin(), found.remarks.end());
  return region;
}

}  // namespace riemflow
