// Reader-writer locks.
#include <string>
#include <utility>

#include "tests/random/drawing.h"

namespace cml::random_models {

std::string Generator::book() {
  if (!books_) return "book";
  return reads_.chance(60) ? "book[" + std::to_string(reads_.below(2)) + "]" : "book[t & 1]";
}

Body Generator::reading() {
  const std::string b = book();
  const std::string write = "page = " + std::to_string(reads_.below(3)) + ";";
  switch (reads_.below(14)) {
    case 0:
    case 1:
    case 2:
      return {around("with read " + b + " {", {simple("t = page;")})};
    case 3:
    case 4:
      return {around("with write " + b + " {", {simple(write)})};
    case 5:
      has("read again");
      return {
          around("with read " + b + " {",
                 {around("with read " + b + " {", {simple("t = page;")}), simple("u = page;")})};
    case 6:
      has("tryRead");
      return {
          around("if " + b + ".tryRead() {", {simple("t = page;"), simple(b + ".releaseRead();")})};
    case 7:
      has("tryWrite");
      return {around("if " + b + ".tryWrite() {", {simple(write), simple(b + ".releaseWrite();")})};
    case 8:
      if (reads_.chance(90)) {
        has("upgrade");
        return {
            around("with read " + b + " {", {around("with write " + b + " {", {simple(write)})})};
      }
      return {simple("note_page(" + b + ");")};
    case 9:
      if (reads_.chance(90)) {
        has("write under a lock for reading");
        return {around("with read " + b + " {", {simple(write)})};
      }
      return {simple(b + ".acquireRead();"), simple("u = page;"), simple(b + ".releaseRead();")};
    case 10:
      if (reads_.chance(45)) {
        has("release of what is not held so");
        return {simple(b + (reads_.chance(50) ? ".releaseRead();" : ".releaseWrite();"))};
      }
      return {simple(b + ".acquireWrite();"), simple("page = (page + 1) % 3;"),
              simple(b + ".releaseWrite();")};
    case 11:
      if (reads_.chance(90)) {
        has("written again");
        return {around("with write " + b + " {", {around("with read " + b + " {", {})})};
      }
      return {around("with read " + b + " {",
                     {around("if " + b + ".tryWrite() {", {simple("u = 2;")})})};
    default:
      return {around("with read " + b + " {", {simple("u = page;")})};
  }
}

void Generator::draw_reading() {
  books_ = reads_.chance(20) && has("array of reader-writer locks");
  const bool prefers = reads_.chance(45) && has("writers are preferred");
  has("reader-writer lock");
  tree_.declarations.push_back(std::string("rwlock book") + (books_ ? "[2]" : "") +
                               (prefers ? " prefers writers;" : ";"));
  tree_.declarations.emplace_back("shared page: int(0..2) = 0;");
  tree_.declarations.emplace_back("fun note_page(r: rwlock): int { with read r { return page; } }");
  const auto threads = static_cast<unsigned>(tree_.threads.size());
  insert(reads_.below(threads), {around("with write " + book() + " {", {simple("page = 1;")})});
  const unsigned count = 2 + reads_.below(2);
  for (unsigned i = 0; i < count; ++i)
    insert(reads_.below(threads), reading());
}

}  // namespace cml::random_models
