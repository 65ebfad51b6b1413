#include "ir/exec/rendezvous.h"

#include <algorithm>

namespace cml::ir {

void append(Record& record, const Record& part) {
  const auto touches = static_cast<std::uint32_t>(record.touches.size());
  const auto held = static_cast<std::uint32_t>(record.held.size());
  const auto events = static_cast<std::uint32_t>(record.events.size());
  const auto locals = static_cast<std::uint32_t>(record.locals.size());
  const auto words = static_cast<std::uint32_t>(record.call_words.size());
  for (Micro micro : part.micros) {
    micro.touches += touches;
    micro.events += events;
    micro.locals += locals;
    record.micros.push_back(micro);
  }
  for (Touch touch : part.touches) {
    if (touch.counted) touch.held += held;
    record.touches.push_back(touch);
  }
  for (CallEvent call : part.calls) {
    call.first += words;
    record.calls.push_back(call);
  }
  record.held.append(part.held);
  record.events.append(part.events);
  record.marks.append(part.marks);
  record.locals.append(part.locals);
  record.call_words.append(part.call_words);
  record.arrives |= part.arrives;
}

void take_part(const Record& record, std::size_t begin, std::size_t end, Record& part) {
  part.clear();
  const auto until = [&](auto member, std::size_t all) {
    return end < record.micros.size() ? std::size_t{record.micros[end].*member} : all;
  };
  const std::size_t touches = until(&Micro::touches, record.touches.size());
  const std::size_t events = until(&Micro::events, record.events.size());
  const std::size_t locals = until(&Micro::locals, record.locals.size());
  const Micro& first = record.micros[begin];
  for (std::size_t i = begin; i < end; ++i) {
    Micro micro = record.micros[i];
    micro.touches -= first.touches;
    micro.events -= first.events;
    micro.locals -= first.locals;
    part.micros.push_back(micro);
  }
  for (std::size_t i = first.touches; i < touches; ++i)
    part.touches.push_back(record.touches[i]);
  for (std::size_t i = first.events; i < events; ++i)
    part.events.push_back(record.events[i]);
  for (std::size_t i = first.locals; i < locals; ++i)
    part.locals.push_back(record.locals[i]);
  part.held.append(record.held);
  if (begin == 0) {
    part.marks.append(record.marks);
    part.calls.append(record.calls);
    part.call_words.append(record.call_words);
  }
  part.arrives = record.arrives;
  part.wants_locals = record.wants_locals;
}

}  // namespace cml::ir
