// Tables as in cli.md: a header, two blanks between columns, nothing after the last. On a terminal,
// lists and long names are cut to fit; without one nothing is cut.
#pragma once

#include <string>
#include <vector>

#include "cli/views/format.h"

namespace muster::cli::views {

struct Column {
  std::string header;
  bool right = false;   // right-aligned, for figures
  size_t at_least = 0;  // minimum width
  // usual width of a list column, gap included; longer lists are cut on a terminal; 0: no list
  size_t list_width = 0;
  size_t shrinks_to = 0;  // on a narrow terminal, may shrink to this width; 0: never
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
  // Adds a row. REQUIRES: as many cells as columns.
  void Add(std::vector<Cell> cells);
  bool empty() const { return rows_.empty(); }
  // The table; every line ends with '\n'.
  std::string Text(const ViewOptions& options) const;

 private:
  std::vector<size_t> Widths(const ViewOptions& options) const;
  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace muster::cli::views
