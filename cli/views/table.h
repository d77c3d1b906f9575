// Tables as cli.md draws them: a header, two blanks between columns, nothing after the last. They
// fit the terminal by cutting lists and long names; without a terminal nothing is cut.
#pragma once

#include <string>
#include <vector>

#include "cli/views/format.h"

namespace muster::cli::views {

struct Column {
  std::string header;
  bool right = false;   // figures stand at the right end
  size_t at_least = 0;  // columns, even if nothing is that wide
  size_t list_width =
      0;  // a list of this usual width, its gap counted: longer ones are cut on a terminal
  size_t shrinks_to = 0;  // may be cut to this on a narrow terminal; 0: never
};

struct Cell {
  std::string text;
  Paint paint = Paint::kNone;
  Cell(std::string t, Paint p = Paint::kNone) : text(std::move(t)), paint(p) {}
  Cell(const char* t) : text(t) {}
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // REQUIRES as many cells as columns.
  void Add(std::vector<Cell> cells);
  bool empty() const { return rows_.empty(); }
  // Every line ended by '\n'.
  std::string Text(const ViewOptions& options) const;

 private:
  std::vector<size_t> Widths(const ViewOptions& options) const;
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace muster::cli::views
