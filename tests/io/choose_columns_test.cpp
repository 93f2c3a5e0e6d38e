// Which columns are the points, where names speak for another manifold.

#include <tuple>
#include <utility>

#include "riemflow/core/rotation.hpp"
#include "riemflow/manifold/parse.hpp"
#include "tests/io/reading.hpp"

namespace riemflow {
namespace {

// In range, so that only the names tell: every value would pass for what the manifold needs.
TEST(ForeignNames, OfAnotherManifoldAreRefusedUnlessChosen) {
  for (const auto& [manifold, text, column, held, taken] :
       {std::tuple{"sphere:2", "phi,psi\n10,20\n", "1 'phi'", "an angle", "a latitude"},
        {"sphere:2", "theta,phi\n10,20\n", "1 'theta'", "an angle", "a latitude"},
        {"sphere:2", "x,y\n10,20\n", "1 'x'", "a coordinate", "a latitude"},
        {"sphere:2", "id,chi1,chi2\na,10,20\n", "2 'chi1'", "an angle", "a latitude"},
        {"sphere:2", "lat,lon_deg,phi\n1,0,0\n", "", "", ""},
        {"torus:2", "lat,lon\n10,20\n", "1 'lat'", "a latitude", "an angle"},
        {"ball:2", "lat,lon\n0.1,0.2\n", "1 'lat'", "a latitude", "a coordinate"},
        {"ball:2", "phi,psi\n0.1,0.2\n", "1 'phi'", "an angle", "a coordinate"},
        {"sphere:2 x torus:1", "lat,lon,lat\n1,2,3\n", "3 'lat'", "a latitude", "an angle"}}) {
    SCOPED_TRACE(std::string(manifold) + ": " + text);
    if (*column == 0) {
      EXPECT_NO_THROW(read_text(text, on(manifold)));
      continue;
    }
    const Error error = error_of(text, on(manifold));
    EXPECT_EQ(error.fault(), Fault::bad_data);
    const std::string name = parse_manifold<double>(manifold)->name();
    EXPECT_EQ(std::string(error.what()).substr(0, std::string(error.what()).find("; if")),
              std::string("f: column ") + column + " is " + held + " by its name, but " + name +
                  " would take it for " + taken);
    EXPECT_NE(error.advice().find("‹columns› "), std::string::npos);
  }
  expect_place(read_text("phi,psi\n10,20\n", columns("phi,psi", "sphere:2")), 0, 10, 20);
  expect_place(read_text("x,y\n10,20\n", columns("y,x", "sphere:2")), 0, 20, 10);
}

TEST(ForeignNames, WhatMayBeAnyonesIsTaken) {
  expect_place(read_text("breadth,length\n10,20\n", on("sphere:2")), 0, 10, 20);
  EXPECT_EQ(read_text("x,y\n10,20\n", on("torus:2")).points.size(), 1u);
  EXPECT_EQ(read_text("lat,lon\n10,20\n", on("euclidean:2")).points.size(), 1u);
  EXPECT_EQ(read_text("lat,lon,phi\n1,2,3\n", on("sphere:2 x torus:1")).points.size(), 1u);
}

// Spaces whose points are written in notations: names tell columns apart in any order, chosen or not.
TEST(Notations, AreReadByTheNamesOfTheirColumns) {
  const auto point_of = [](const std::string& text, const ReadOptions& options) {
    const ReadPoints read = read_text(text, options);
    return std::vector<double>(read.points[0].begin(), read.points[0].end());
  };
  // lon, lat as GIS has them: of an axis the latitude is 20.
  const auto axis = point_of("lon,lat\n10,20\n", on("axis:2")),
             sphere = point_of("lat,lon\n20,10\n", on("sphere:2"));
  EXPECT_EQ(axis, sphere);
  EXPECT_EQ(point_of("x,y,z\n0,0.6,0.8\n", on("axis:2")), (std::vector<double>{0, 0.6, 0.8}));
  // Scalar last, as SciPy writes quaternions.
  const std::vector<double> turn = {0.5, 0.1, 0.5, 0.7};
  for (const ReadOptions& options :
       {on("rotation:3"), columns("x,y,z,w", "rotation:3"), columns("1-4", "rotation:3")}) {
    const auto q = point_of("x,y,z,w\n0.1,0.5,0.7,0.5\n", options);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(q[i], turn[i], 1e-9);
  }
  EXPECT_EQ(point_of("roll,pitch,yaw\n10,20,30\n", columns("roll,pitch,yaw", "rotation:3")),
            point_of("yaw,pitch,roll\n30,20,10\n", on("rotation:3")));
  // Names that say nothing: in the order given.
  EXPECT_EQ(point_of("a,b,c,d\n1,0,0,0\n", columns("a,b,c,d", "rotation:3")),
            (std::vector<double>{1, 0, 0, 0}));
  // A place beside a time of day.
  EXPECT_EQ(point_of("lat,lon,hour\n20,10,5\n", on("sphere:2 x torus:1,L=24"))[3], 5);
  EXPECT_EQ(point_of("hour,latitude,longitude\n5,20,10\n", on("sphere:2 x torus:1,L=24"))[3], 5);
  EXPECT_EQ(point_of("hour,latitude,longitude\n5,20,10\n", on("torus:1,L=24 x sphere:2"))[0], 5);
  EXPECT_EQ(complaint("lat,hour\n20,5\n", on("interval:1,to=90 x torus:1,L=24")),
            "f: column 1 'lat' is a latitude by its name, but interval:1,from=0,to=90 x torus:1,L=24 would "
            "take it for a "
            "number; if the columns are what interval:1,from=0,to=90 x torus:1,L=24 needs, choose them, as "
            "in ‹columns› "
            "1,2; else the data are of another manifold");
}

// Of a product each factor that names tell has its columns, in any order; the others have what is left.
TEST(Products, FactorsAreReadByTheNamesOfTheirColumns) {
  const auto read = [](const std::string& text, const ReadOptions& options) {
    const ReadPoints points = read_text(text, options);
    EXPECT_TRUE(points.assumptions.warnings.empty()) << points.assumptions.warnings.front();
    return std::pair(points.points.values, points.assumptions.columns_how);
  };
  using Read = std::pair<std::vector<double>, std::string>;
  const std::string others = "by name, the others in their order";
  const auto near = [](const std::vector<double>& a, const std::vector<double>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-12) << i;
  };
  const std::string pose = "rotation:3 x euclidean:3";
  const Read usual = read("phi1,Phi,phi2,X,Y,Z\n200,40,20,1,2,3\n", on(pose));
  EXPECT_EQ(usual.second, others);
  // The quaternion of Bunge's angles, then the place.
  const auto [w, x, y, z] =
      rotation::from_bunge({200 * std::acos(-1) / 180, 40 * std::acos(-1) / 180, 20 * std::acos(-1) / 180});
  near(usual.first, {w, x, y, z, 1, 2, 3});
  for (const char* text : {"X,Y,Z,phi1,Phi,phi2\n1,2,3,200,40,20\n", "phi2,X,Phi,Y,Z,phi1\n20,1,40,2,3,200\n",
                           "X,phi1 (deg),Phi_deg,phi2,Y,Z\n1,200,40,20,2,3\n",
                           "id,X,Euler1,Euler2,Euler3,Y,Z\nq,1,200,40,20,2,3\n"})
    EXPECT_EQ(read(text, on(pose)).first, usual.first) << text;
  EXPECT_EQ(read("X,Y,Z,phi1,Phi,phi2\n1,2,3,200,40,20\n", columns("1-6", pose)),
            (Read{usual.first, "as chosen, told apart by their names"}));
  EXPECT_EQ(read("q,phi2,Phi,Y,Z,phi1,X\n9,20,40,2,3,200,1\n", columns("X,Y,Z,phi1,Phi,phi2", pose)).first,
            usual.first);
  // Quaternions beside x, y, z of another factor; the scalar last, and as the real part.
  const std::vector<double> turned = {0.5, 0.1, 0.5, 0.7, 1, 2, 3};
  for (const char* text :
       {"tx,ty,tz,w,x,y,z\n1,2,3,0.5,0.1,0.5,0.7\n", "x,y,z,w,tx,ty,tz\n0.1,0.5,0.7,0.5,1,2,3\n",
        "tx,ty,tz,q0,q1,q2,q3\n1,2,3,0.5,0.1,0.5,0.7\n", "i,j,k,real,tx,ty,tz\n0.1,0.5,0.7,0.5,1,2,3\n"})
    near(read(text, on(pose)).first, turned);
  near(read("tx,ty,tz,w,x,y,z\n1,2,3,0.5,0.1,0.5,0.7\n", on("euclidean:3 x rotation:3")).first,
       {1, 2, 3, 0.5, 0.1, 0.5, 0.7});
  // Two of a kind: by the numbers of the factors, or in the order of the columns.
  const std::string two = "rotation:3 x rotation:3";
  for (const char* text : {"w_2,x_2,y_2,z_2,w_1,x_1,y_1,z_1\n0,1,0,0,1,0,0,0\n",
                           "rx,ry,rz,w,x,y,z\n0,0,0,0,1,0,0\n", "w,x,y,z,w,x,y,z\n1,0,0,0,0,1,0,0\n"})
    near(read(text, on(two)).first, {1, 0, 0, 0, 0, 1, 0, 0});
  // A place and an angle have theirs; what is left has the depth.
  for (const char* text : {"depth,phi,lon,lat\n5,90,0,0\n", "lat,depth,phi,lon\n0,5,90,0\n"})
    near(read(text, on("sphere:2 x euclidean:1 x torus:1")).first, {1, 0, 0, 5, std::acos(-1) / 2});
  near(read("ra,dec,z\n0,90,5\n", on("euclidean:1 x sphere:2")).first, {5, 0, 0, 1});
  // y is not the positive number's, but stands first.
  near(read("y,x\n1,2\n", on("positive:1 x euclidean:1")).first, {1, 2});
  near(read("x,y\n1,2\n", on("positive:1 x euclidean:1")).first, {1, 2});
  near(read("x_1,y\n1,2\n", on("positive:1 x euclidean:1")).first, {2, 1});
}

TEST(Products, WhatIsLeftMustFit) {
  const std::string pose = "rotation:3 x euclidean:3";
  EXPECT_EQ(
      complaint("X,Y,Z,phi1,Phi,phi2,IQ\n1,2,3,4,5,6,7\n", on(pose)),
      "f: columns 4 'phi1', 5 'Phi', 6 'phi2' are of rotation:3 by their names; euclidean:3 needs 3, and "
      "left are 1 'X', 2 'Y', 3 'Z', 7 'IQ'; choose the columns of all factors by their names or numbers "
      "with ‹columns›");
  EXPECT_EQ(
      complaint("phi1,Phi,phi2\n4,5,6\n", on(pose)),
      "f: columns 1 'phi1', 2 'Phi', 3 'phi2' are of rotation:3 by their names; euclidean:3 needs 3, and "
      "none are left; choose the columns of all factors by their names or numbers with ‹columns›");
  // The quaternion's x, y, z are there twice: neither by name, nor in this order.
  EXPECT_EQ(read_text("w,x,y,z,X,Y,Z\n1,0,0,0,1,2,3\n", on(pose)).points[0][6], 3);
  EXPECT_TRUE(
      complaint("X,Y,Z,w,x,y,z\n1,2,3,1,0,0,0\n", on(pose))
          .starts_with("f: column 1 'X' has the name of another number than w, which it would be in this "
                       "order; call the columns of rotation:3 what they are (unit quaternions (w x y z); "
                       "Bunge's"));
  // Four and three, or three and four?
  EXPECT_EQ(
      complaint("1,0,0,0,10,20,30\n", on("rotation:3 x rotation:3")),
      "f: 7 columns may be w x y z phi1 phi phi2 or phi1 phi phi2 w x y z; call them so in a header, as "
      "files of CSV have");
}

// By the order of columns that are called otherwise: said, or refused where a name is that of another number.
TEST(Notations, AreNotReadByTheOrderOfOtherNames) {
  const auto warnings = [](const std::string& text, const ReadOptions& options) {
    return read_text(text, options).assumptions.warnings;
  };
  const std::string ways =
      "call the columns of rotation:3 what they are (unit quaternions (w x y z); Bunge's Euler angles (phi1 "
      "Phi "
      "phi2); rotation matrices (r11 r12 … r33); rotation vectors (rx ry rz: the axis times the angle in "
      "radians); Matthies' and Roe's Euler angles (alpha beta gamma); yaw, pitch and roll)";
  const std::string roe =
      "column 3 'phi' has the name of another number than phi2, which it would be in this order";
  EXPECT_EQ(complaint("psi,theta,phi\n10,20,30\n", on("rotation:3")),
            "f: " + roe + "; " + ways + ", or choose them in that order, as in ‹columns› 1-3");
  EXPECT_EQ(warnings("psi,theta,phi\n100,20,30\n", columns("psi,theta,phi", "rotation:3")),
            (std::vector<std::string>{roe + "; if that is wrong, " + ways + "."}));
  EXPECT_TRUE(
      complaint("q1,q2,q3,q4\n1,0,0,0\n", on("rotation:3")).starts_with("f: column 1 'q1' has the name of"));
  EXPECT_TRUE(
      complaint("x,y,z\n10,20,30\n", on("rotation:3")).starts_with("f: column 1 'x' has the name of"));
  const std::string order =
      "the names of columns 1 'a', 2 'b', 3 'c' do not say what they are; they are taken in this order for "
      "phi1, "
      "phi, phi2, of Bunge's Euler angles (phi1 Phi phi2); if that is wrong, " +
      ways + ".";
  EXPECT_EQ(warnings("a,b,c\n100,20,30\n", on("rotation:3")), std::vector<std::string>{order});
  EXPECT_EQ(warnings("a,b,c\n100,20,30\n", columns("a,b,c", "rotation:3")), std::vector<std::string>{order});
  // Without a header, and of one number, there is nothing to be wrong.
  EXPECT_TRUE(warnings("100,20,30\n", on("rotation:3")).empty());
  EXPECT_TRUE(warnings("duration\n100\n", on("positive:1")).empty());
  EXPECT_TRUE(warnings("Phi1,PHI,phi2\n100,20,30\n", on("rotation:3")).empty());
  EXPECT_TRUE(warnings("a,b,c\n0.5,0.3,0.2\n", on("simplex:2"))
                  .front()
                  .starts_with("the names of columns 1 'a', 2 'b', 3 'c' do not say what they are; they are "
                               "taken in this order for p1, "
                               "p2, p3, of proportions that add to 1"));
}

// Rotations all the same, but more often swapped columns.
TEST(Notations, SayWhatIsUnusual) {
  const auto warning = [](const std::string& text) {
    const auto all = read_text(text, on("rotation:3")).assumptions.warnings;
    return all.empty() ? std::string() : all.front();
  };
  EXPECT_EQ(
      warning("phi1,Phi,phi2\n10,20,30\n10,200,30\n10,-20,30\n"),
      "line 3: Phi is 200°, outside of 0° to 180°; are the columns (phi1 = 1, phi = 2, phi2 = 3) swapped?");
  EXPECT_EQ(
      warning("phi1,Phi,phi2\n10,-20,130\n"),
      "line 2: Phi is -20°, outside of 0° to 180°; are the columns (phi1 = 1, phi = 2, phi2 = 3) swapped?");
  EXPECT_EQ(warning("phi1_rad,Phi_rad,phi2_rad\n1,4,1\n"),
            "line 2: Phi is 229.183°, outside of 0° to 180°; are the columns (phi1 = 1, phi = 2, phi2 = 3) "
            "swapped?");
  EXPECT_EQ(warning("phi1,Phi,phi2\n370,180,-30\n10,0,30\n"), "");
  EXPECT_EQ(warning("alpha,beta,gamma\n10,190,30\n").substr(0, 16), "line 2: beta is ");
  EXPECT_EQ(warning("yaw,pitch,roll\n10,100,30\n").substr(0, 17), "line 2: pitch is ");
  EXPECT_EQ(warning("yaw,pitch,roll\n200,-90,-180\n"), "");
}

// Columns that are called after a space which must be asked for.
TEST(Notations, NameTheirSpace) {
  const std::string advice =
      "say ‹manifold› rotation:3, or with a crystal's point group, as in rotation:3/432; or choose other "
      "columns "
      "with ‹columns›";
  EXPECT_EQ(complaint("phi1,Phi,phi2,IQ\n10,20,30,1\n"),
            "f: columns 1-3 have the names of Bunge's Euler angles (phi1 Phi phi2); " + advice);
  EXPECT_EQ(complaint("w,x,y,z\n1,0,0,0\n"),
            "f: columns 1-4 have the names of unit quaternions (w x y z); " + advice);
  EXPECT_EQ(complaint("w,x,y,z\n1,0,0,0\n", columns("1-4")),
            "f: columns 1-4 have the names of unit quaternions (w x y z); " + advice);
  EXPECT_EQ(complaint("r11,r12,r13,r21,r22,r23,r31,r32,r33\n1,0,0,0,1,0,0,0,1\n"),
            "f: columns 1-9 have the names of rotation matrices (r11 r12 … r33); " + advice);
  EXPECT_EQ(
      complaint("s11,s12,s22\n1,0,1\n"),
      "f: columns 1-3 have the names of the upper triangles of matrices, row by row; say ‹manifold› spd:2; "
      "or choose other columns with ‹columns›");
  // Of three rows, which is another space.
  EXPECT_TRUE(
      complaint("s11,s12,s13,s22,s23,s33\n1,0,0,1,0,1\n").starts_with("f: no columns with names that are"));
  // Names that say more, or that are as good for another space.
  expect_place(read_text("w,x,y,z,lat,lon\n1,0,0,0,10,20\n"), 0, 10, 20);
  EXPECT_EQ(read_text("alpha,beta,gamma\n10,20,30\n").assumptions.manifold, "torus:3");
  EXPECT_EQ(read_text("x,y,z\n1,0,0\n").assumptions.manifold, "sphere:2");
}

// As many columns as the manifold needs, one of them text.
TEST(TextColumns, AreNoCoordinates) {
  // The numbers alone fit: as latitude and longitude, where three columns would be a vector.
  const ReadPoints places = read_text("id,breadth,length\nus7000,10,20\nus7001,-30,40\n", on("sphere:2"));
  expect_place(places, 0, 10, 20);
  expect_place(places, 1, -30, 40);
  EXPECT_EQ(read_text("a,b,c,d\nx,1,2,3\n", on("sphere:2 x torus:1")).points.size(), 1u);
  // They do not: file, column and what there is.
  for (const auto& [manifold, text, expected] :
       {std::tuple{
            "euclidean:3", "id,lat,lon\nus7000,1,2\n",
            "f: euclidean:3 needs 3 columns, and there are 3, but column 1 'id' holds no number in the "
            "first rows; give the column that is missing, or another ‹manifold›; numbers are in "
            "columns 2,3"},
        {"torus:3", "a,b,c\n1,2,west\n3,4,east\n",
         "f: torus:3 needs 3 columns, and there are 3, but column 3 'c' holds no number in the first rows; "
         "give "
         "the column that is missing, or another ‹manifold›; numbers are in columns 1,2"},
        {"ball:2", "0.1,a\n0.2,b\n",
         "f: ball:2 needs 2 columns, and there are 2, but column 2 holds no number in the first rows; give "
         "the "
         "column that is missing, or another ‹manifold›; numbers are in column 1"},
        {"sphere:2", "place,name\na,b\n",
         "f: sphere:2 needs 2 columns (latitude and longitude) or 3 (coordinates), and there are 2, but "
         "column "
         "1 'place' holds no number in the first rows; give a file with numbers in its columns"}}) {
    EXPECT_EQ(complaint(text, on(manifold)), expected);
  }
}

// One slip does not make a column text: it is told with its line, or skipped, and no other column is taken in
// its place.
TEST(TextColumns, ASlipIsNotOne) {
  const std::string text = "a,b,c\n1,0,0\n0,O,1\n0,0,1\n";
  EXPECT_TRUE(complaint(text, on("sphere:2")).starts_with("f:3:3: "));
  ReadOptions options = on("sphere:2");
  options.skip_invalid = true;
  const ReadPoints kept = read_text(text, options);
  ASSERT_EQ(kept.points.size(), 2u);
  EXPECT_EQ(kept.points[1][2], 1);
  // Nor do missing values, where there is a number somewhere.
  EXPECT_TRUE(complaint("a,b\n,1\n2,3\n", on("torus:2")).starts_with("f:2:1: "));
}

}  // namespace
}  // namespace riemflow
