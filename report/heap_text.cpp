// Chains begin at objects that no other one shown refers to.
#include "report/heap_text.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <set>

namespace cml::report {
namespace {

using checker::HeapObject;
using checker::NamedValue;

class Picture {
 public:
  Picture(const std::vector<HeapObject>& objects, const TextStyle& style) : style_(style) {
    for (const HeapObject& object : objects)
      objects_.emplace(object.name, &object);
    for (const HeapObject& object : objects)
      order_.push_back(&object);
  }

  std::string text() {
    std::string out;
    std::set<std::string> referred;
    for (const HeapObject* object : order_)
      for (const NamedValue& field : object->fields)
        if (is_shown(field)) referred.insert(field.value.text);
    for (const HeapObject* object : order_)  // from where nothing leads to, and then circles
      if (!referred.contains(object->name)) chains(*object, out);
    for (const HeapObject* object : order_)
      if (!drawn_.contains(object->name)) chains(*object, out);
    details(out);
    return out.empty() ? out : "  objects in the end:\n" + out;
  }

 private:
  /// A reference to an object of the picture.
  [[nodiscard]] bool is_shown(const NamedValue& field) const {
    return objects_.contains(field.value.text);
  }
  /// One that leads out of it: "Node#3".
  static bool is_outside(const NamedValue& field) {
    const std::string& text = field.value.text;
    const std::size_t at = text.rfind('#');
    return at != std::string::npos && at > 0 && at + 1 < text.size() &&
           std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at) + 1, text.end(),
                       [](unsigned char c) { return std::isdigit(c) != 0; });
  }
  [[nodiscard]] bool is_link(const NamedValue& field) const {
    return is_shown(field) || is_outside(field);
  }

  /// A line for each way on; the first continues the line.
  void chains(const HeapObject& first, std::string& out) {
    struct Start {
      const HeapObject* object;
      std::size_t field;
    };
    std::vector<Start> starts{{&first, 0}};
    for (std::size_t i = 0; i < starts.size(); ++i) {
      auto [object, field] = starts[i];
      std::string line = head_of(*object);
      bool has_link = false;
      for (;;) {
        drawn_.insert(object->name);
        while (field < object->fields.size() && !is_link(object->fields[field]))
          ++field;
        if (field >= object->fields.size()) break;
        has_link = true;
        const NamedValue& link = object->fields[field];
        for (std::size_t more = field + 1; more < object->fields.size(); ++more) {
          if (!is_link(object->fields[more])) continue;
          starts.push_back({object, more});
          break;
        }
        line += fmt::format(" ─{}→ {}", link.name, link.value.text);
        if (!is_shown(link) || drawn_.contains(link.value.text)) break;
        object = objects_.at(link.value.text);
        field = 0;
      }
      if (has_link) out += "    " + wrapped(printable(line), style_.width, 8, 4) + "\n";
    }
  }
  /// How one gets to it, if the name does not say.
  static std::string head_of(const HeapObject& object) {
    if (object.path.empty()) return object.name;
    return fmt::format("{} = {}", object.path, object.name);
  }

  /// With its class, if the name does not say that.
  static std::string full_name(const HeapObject& object) {
    const bool says = object.of.empty() || object.name.starts_with(object.of + "#");
    return says ? object.name : fmt::format("{}: {}", object.name, object.of);
  }

  void details(std::string& out) const {
    std::size_t width = 0;
    for (const HeapObject* object : order_)
      width = std::max(width, full_name(*object).size());
    for (const HeapObject* object : order_) {
      std::string text;
      for (const NamedValue& field : object->fields)
        if (!is_link(field) && field.value.text != "free")
          text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", field.name, field.value.text);
      if (text.empty()) continue;
      const std::string name = fmt::format("{:<{}}  ", full_name(*object), width);
      const int indent = static_cast<int>(name.size()) + 4;
      out +=
          "    " + printable(name) + wrapped(printable(text), style_.width, indent, indent) + "\n";
    }
  }

  const TextStyle& style_;
  std::map<std::string, const HeapObject*> objects_;
  std::vector<const HeapObject*> order_;
  std::set<std::string> drawn_;
};

}  // namespace

std::string heap_text(const std::vector<HeapObject>& objects, const TextStyle& style) {
  return objects.empty() ? "" : Picture(objects, style).text();
}

}  // namespace cml::report
