#include "apps/riemflow/report/still.hpp"

#include <cmath>

#include "riemflow/figure/canvas.hpp"

namespace riemflow::app {

std::string still_png(const Scene& scene, const ModelData* data) {
  using namespace figure;
  const bool globe = scene.kind == SceneKind::globe;
  const Box box{6, 6, globe ? 500.0 : 340.0, globe ? 250.0 : 340.0};
  Canvas canvas(FileKind::png, box.width + 12, box.height + 12, 110);
  const int rows = static_cast<int>(scene.rows), columns = static_cast<int>(scene.columns);
  Image picture(columns, rows);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      picture.at(column, rows - 1 - row) =
          heat((scene.log_density[static_cast<std::size_t>(row * columns + column)] - scene.low) /
               (scene.high - scene.low));
  const Vec2 centre{box.x + box.width / 2, box.y + box.height / 2};
  const Line rim = scene.kind == SceneKind::disk ? ring(centre, box.width / 2) : outline(box);
  {
    const Canvas::Clip clip(canvas, {rim});
    canvas.image(picture, box);
    if (data != nullptr) {
      std::vector<Vec2> dots;
      const SheetPoints points = scene.sheet(data->test);
      for (std::size_t i = 0; i < points.size(); i += 2)
        dots.push_back({centre.x + box.width / 2 * points[i] / 32767.0,
                        centre.y - box.height / 2 * points[i + 1] / 32767.0});
      canvas.dots(dots, 0.9, kTeal, 0.2);
    }
  }
  canvas.stroke(rim, {kInk, 0.6});
  return canvas.finish();
}

}  // namespace riemflow::app
