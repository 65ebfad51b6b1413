#include "tests/brute/lock_relations.h"

namespace cml::brute {
namespace {

/// "Map.stripe[1]": the class, the field, whether it is an array.
struct LockName {
  std::string of, field;
  bool several = false;
};

LockName lock_name(const std::string& name) {
  LockName out;
  const std::string plain = name.substr(0, name.find('['));
  out.several = plain.size() < name.size();
  const std::size_t dot = plain.find('.');
  out.of = plain.substr(0, dot);
  out.field = dot == std::string::npos ? "monitor" : plain.substr(dot + 1);
  return out;
}

std::string of_any(const LockName& p) {
  return (p.several ? "one " : "the ") + p.field + " of one " + p.of;
}
std::string of_itself(const LockName& p) {
  return p.several ? "one " + p.field + " of its own" : "its own " + p.field;
}

/// "P[0].m[1]" is one of "P.m".
std::string of_none(const std::string& name) {
  std::string out;
  bool several = false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '[') {
      out += name[i];
      continue;
    }
    i = name.find(']', i);
    several = i + 1 == name.size() || name[i + 1] == '[';
  }
  return several ? "one of " + out : out;
}

}  // namespace

std::set<std::string> lasting_locks(const World& world, const Access& access) {
  std::set<std::string> out;
  for (const Leaf& lock : access.held)
    if (lock.heap == 0 || lock.heap == access.leaf.heap) out.insert(world.name(lock));
  return out;
}

std::set<std::string> relations(const World& world, const Leaf& of, const std::set<Leaf>& locks) {
  std::set<std::string> out;
  for (const Leaf& lock : locks) {
    const std::string name = world.name(lock);
    if (lock.heap == 0) {
      out.insert(of_none(name));
      continue;
    }
    out.insert(of_any(lock_name(name)));
    if (lock.heap == of.heap)
      out.insert(of_itself(lock_name(name)) + "\n" + of_any(lock_name(name)));
  }
  return out;
}

std::set<std::string> without_weaker(const std::set<std::string>& relations) {
  std::set<std::string> out;
  for (const std::string& one : relations) {
    const std::size_t also = one.find('\n');
    out.insert(one.substr(0, also));
  }
  for (const std::string& one : relations)
    if (const std::size_t also = one.find('\n'); also != std::string::npos)
      out.erase(one.substr(also + 1));
  return out;
}

void keep_common(std::map<std::string, std::set<std::string>>& all, const std::string& name,
                 const std::set<std::string>& now) {
  const auto [old, is_first] = all.try_emplace(name, now);
  if (!is_first) std::erase_if(old->second, [&now](const auto& one) { return !now.contains(one); });
}

}  // namespace cml::brute
