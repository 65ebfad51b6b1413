// The source of a range.
#include "checker/finding/text_context.h"

namespace cml::checker {

std::string TextContext::value_name(ir::ObjectId id) const {
  const ir::Object& object = system.objects[id];
  const bool is_monitor = object.kind == ir::ObjectKind::Lock && object.owner.valid() &&
                          name(id) == names.name(HeapPlace{object.owner, object.position});
  return is_monitor ? "monitor of " + name(id) : name(id);
}

std::string TextContext::source(const SourceRange& range, std::string_view what) const {
  if (!range.file.valid() || range.file.index >= sources.size()) return std::string(what);
  std::string_view text = sources.text(range);
  text = text.substr(0, text.find('\n'));
  while (!text.empty() && (text.back() == ';' || text.back() == '\r' || text.back() == ' '))
    text.remove_suffix(1);
  return std::string(text.empty() ? what : text);
}

}  // namespace cml::checker
