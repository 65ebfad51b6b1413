#include "tests/matrix/matrix.h"

#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace cml::test {
namespace {

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, '|');) {
    const std::size_t begin = cell.find_first_not_of(' ');
    const std::size_t end = cell.find_last_not_of(' ');
    cells.push_back(begin == std::string::npos ? "" : cell.substr(begin, end - begin + 1));
  }
  return cells;
}

void add_line(Row& row, const std::string& key, const std::string& value) {
  if (key == "declare") {
    row.declare += (row.declare.empty() ? "" : " ") + value;
  } else if (key == "do") {
    row.body = value;
  } else if (key == "value") {
    row.value = value;
  } else if (key == "beside") {
    row.beside = value;
  } else if (key == "itself") {
    row.itself = cells_of(value);
  } else if (key == "function") {
    row.function = cells_of(value);
  } else {
    throw std::runtime_error("no line of a row: " + key);
  }
}

std::string line(std::string_view key, const std::string& value) {
  return value.empty() ? "" : fmt::format("{}: {}\n", key, value);
}

}  // namespace

std::vector<Row> read_rows(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("no file " + path);
  std::vector<Row> rows;
  for (std::string text; std::getline(in, text);) {
    if (text.empty() || text.starts_with("//")) continue;
    const std::size_t colon = text.find(": ");
    const std::string key = text.substr(0, colon);
    if (colon == std::string::npos) throw std::runtime_error("no line of a row: " + text);
    if (key == "row") {
      rows.push_back({});
      rows.back().name = text.substr(colon + 2);
    } else if (rows.empty()) {
      throw std::runtime_error("no row yet: " + text);
    } else {
      add_line(rows.back(), key, text.substr(colon + 2));
    }
  }
  return rows;
}

void write_rows(const std::string& path, const std::vector<Row>& rows) {
  std::ifstream in(path);
  std::string text;
  for (std::string comment; std::getline(in, comment) && comment.starts_with("//");)
    text += comment + "\n";
  in.close();
  for (const Row& row : rows)
    text += "\n" + line("row", row.name) + line("declare", row.declare) + line("do", row.body) +
            line("value", row.value) + line("beside", row.beside) +
            line("itself", fmt::format("{}", fmt::join(row.itself, " | "))) +
            line("function", fmt::format("{}", fmt::join(row.function, " | ")));
  std::ofstream(path) << text;
}

std::string model_text(const Cell& cell, bool holds) {
  const Row& row = *cell.row;
  const auto with_sign = [holds](const std::string& value) {
    return holds ? value : "!(" + value + ")";
  };
  std::string text = row.declare + "\n";
  if (cell.in_function)
    text += fmt::format("fun f(): bool {{ var ok: bool; {} return ok; }}\n", row.body);
  const std::string body = cell.in_function ? "let ok = f();" : "var ok: bool; " + row.body;
  const std::string check = fmt::format("{} assert {};", body, with_sign("ok"));
  const std::string value = with_sign(cell.in_function ? "f()" : row.value);
  switch (cell.column) {
    case Column::Thread:
      text += fmt::format("thread T {{ {} }}\n", check);
      break;
    case Column::Atomic:
      text += fmt::format("thread T {{ atomic {{ {} }} }}\n", check);
      break;
    case Column::Await:
      text += fmt::format("thread T {{ await {}; fail; }}\n", value);
      break;
    case Column::Until:
      text += fmt::format("lock w; thread T {{ with w {{ w.wait() until {}; fail; }} }}\n", value);
      break;
    case Column::Invariant:
      text += fmt::format("invariant i: {};\nthread T {{ skip; }}\n", value);
      break;
    case Column::Finally:
      text += fmt::format("thread T {{ skip; }}\nfinally {{ {} }}\n", check);
      break;
  }
  return text + row.beside + "\n";
}

std::string_view usual(Column column, bool holds) {
  const bool waits = column == Column::Await || column == Column::Until;
  if (waits) return holds ? "assertion" : "deadlock";  // `fail` is behind it
  return holds ? "verified" : "assertion";
}

}  // namespace cml::test
