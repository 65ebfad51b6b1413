"""The structures of examples/structures, as the clients use them, and their variants with misplaced locks."""

import dataclasses
import pathlib
import re

import abstract

ROOT = pathlib.Path(__file__).resolve().parents[2]

_OF_KEYS = """  for key in 1..KEYS {{
    content = content * {radix} + ({value});
  }}
"""
_FOR_KEYS = "  for key in 1..KEYS {{\n    {};\n  }}\n"
_OF_QUEUE = """  var node = queue.head.next;
  while node != null {
    content = content * 4 + node.value;
    node = node.next;
  }
"""
_OF_MAP = """  for key in 1..KEYS {
    content = content * 4;
    let entry = map.find(key);
    if entry != null {
      content = content + entry.value;
    }
  }
"""


@dataclasses.dataclass(frozen=True)
class Structure:
    name: str
    kind: type
    variable: str
    content: str  # statements that compute `content`, the number that the abstract type has for the state
    observer: str  # calls that look at all of it

    def text(self, with_property=True):
        """The example without its client, its title and what stands before that; perhaps without its property."""
        text = (ROOT / "examples/structures" / f"{self.name}.cml").read_text()
        _, _, text = text.partition("model ")
        _, _, text = text.partition("\n")
        text, client, _ = text.partition("// The client")
        assert client, self.name
        if not with_property:
            text, count = re.subn(r"property .* implements .*;\n\n", "", text)
            assert count == 1, self.name
        return text.strip() + "\n"


STRUCTURES = (
    Structure("coarse_list", abstract.Set, "set", """  for key in 1..KEYS {
    let node = set.before(key).next;
    content = content * 2 + (node != null && node.key == key ? 1 : 0);
  }
""", _FOR_KEYS.format("set.has(key)")),
    Structure("optimistic_list", abstract.Set, "set", _OF_KEYS.format(radix=2, value="set.contains(key) ? 1 : 0"),
              _FOR_KEYS.format("set.contains(key)")),
    Structure("tree", abstract.Set, "set", _OF_KEYS.format(radix=2, value="set.contains(key) ? 1 : 0"),
              _FOR_KEYS.format("set.contains(key)")),
    Structure("queue", abstract.Queue, "queue", _OF_QUEUE, "  for place in 0..<CALLS {\n    queue.at(place);\n  }\n"),
    Structure("coarse_map", abstract.Map, "map", _OF_MAP, _FOR_KEYS.format("map.valueOf(key)")),
    Structure("striped_map", abstract.Map, "map", _OF_MAP, _FOR_KEYS.format("map.valueOf(key)")))


def _edited(text, edits):
    """Each edit changes `add` and `remove`, and nothing else."""
    for old, new in edits:
        assert text.count(old) == 2, old
        text = text.replace(old, new)
    return text + "\nfun careless(key: int(1..KEYS)): bool {\n  return key % 2 == 1;\n}\n"


def is_careless(key):
    """For which keys a variant misplaces its locks: then every such element has neighbours that are treated well."""
    return key % 2 == 1


# What each variant does for the keys that `careless` names.
MISPLACED = {
    "coarse_list": {
        # searches before it has the lock
        "late": (("    guard.beginWrite();\n    let previous = before(key);\n", """    var previous = head;
    if careless(key) {
      previous = before(key);
    }
    guard.beginWrite();
    if !careless(key) {
      previous = before(key);
    }
"""),),
        # gives the lock back before it changes the list
        "early": (("    let next = previous.next;\n", """    let next = previous.next;
    if careless(key) {
      guard.endWrite();
    }
"""), ("    guard.endWrite();\n    return", """    if !careless(key) {
      guard.endWrite();
    }
    return""")),
        # takes the lock as a reader
        "reader": (("    guard.beginWrite();\n", """    if careless(key) {
      guard.beginRead();
    } else {
      guard.beginWrite();
    }
"""), ("    guard.endWrite();\n", """    if careless(key) {
      guard.endRead();
    } else {
      guard.endWrite();
    }
""")),
    },
    "optimistic_list": {
        # validates before it has the locks
        "late": (("      with left {\n", """      let valid = careless(key) && adjacent(left, right);
      with left {
"""), ("if adjacent(left, right) {", "if valid || adjacent(left, right) {")),
        # locks the left one of the two nodes only
        "left": (("      with left {\n        with right {\n", """      let second = careless(key) ? left : right;
      with left {
        with second {
"""),),
        # locks nothing that others lock
        "none": (("      with left {\n        with right {\n", """      let own = new Node(0, null);
      let one = careless(key) ? own : left;
      let other = careless(key) ? own : right;
      with one {
        with other {
"""),),
    },
}


def misplaced(structure, variant):
    return _edited(structure.text(), MISPLACED[structure.name][variant])
