
// Headers of tree-sitter before 0.21 do not have it: pairs of a character and the state that it leads to.
#ifndef ADVANCE_MAP
#define ADVANCE_MAP(...)                                              \
  {                                                                   \
    static const uint16_t pairs[] = {__VA_ARGS__};                    \
    for (unsigned i = 0; i < sizeof(pairs) / sizeof(*pairs); i += 2)  \
      if (lookahead == pairs[i]) ADVANCE(pairs[i + 1]);               \
  }
#endif
