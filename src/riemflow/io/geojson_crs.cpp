#include "riemflow/io/geojson_crs.hpp"

#include "riemflow/io/message.hpp"

namespace riemflow::io {
namespace {

using Token = JsonTokens::Token;

/// "urn:ogc:def:crs:OGC:1.3:CRS84", "EPSG:4326", "urn:ogc:def:crs:EPSG::4326", …
bool is_longitude_latitude(const std::string& name) {
  const std::string last = lower(name.substr(name.find_last_of(":/#") + 1));
  return last == "crs84" || last == "crs84h" || last == "4326";
}

}  // namespace

void check_crs(JsonTokens& tokens, Token first) {
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

}  // namespace riemflow::io
