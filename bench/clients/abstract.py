"""The abstract types that the structures implement, as plain Python, and what clients of them may observe.

A state is a value that can be hashed. `call` gives the state after a call and its result, a number below `radix`;
`content` gives a state as one number, as the client's `finally` does.
"""


class Set:
    keys = 6
    operations = {"add": 2, "remove": 2, "contains": 1}  # how often each is called, relative to the others
    radix = 2
    initial = frozenset()

    @staticmethod
    def call(state, operation, key):
        inside = key in state
        if operation == "add":
            return state | {key}, int(not inside)
        if operation == "remove":
            return state - {key}, int(inside)
        return state, int(inside)

    @classmethod
    def content(cls, state):
        return sum((key in state) << (cls.keys - key) for key in range(1, cls.keys + 1))


class Queue:
    values = 3
    operations = {"enqueue": 1, "dequeue": 1}
    radix = values + 1
    initial = ()

    @staticmethod
    def call(state, operation, value=None):
        if operation == "enqueue":
            return (*state, value), 0
        return (state[1:], state[0]) if state else (state, 0)

    @classmethod
    def content(cls, state):
        code = 0
        for value in state:
            code = code * cls.radix + value
        return code


class Map:
    keys = 6
    values = 3
    operations = {"put": 2, "remove": 2, "get": 1}
    radix = values + 1
    initial = (0,) * keys

    @staticmethod
    def call(state, operation, key, value=0):
        old = state[key - 1]
        if operation == "get":
            return state, old
        return (*state[:key - 1], value, *state[key:]), old

    @classmethod
    def content(cls, state):
        code = 0
        for value in state:
            code = code * cls.radix + value
        return code


def outcomes(kind, threads):
    """All (results of each thread, content) of interleavings of whole calls. A thread's results are one number, its
    digits those of its calls, the first one leading."""
    begin = (0,) * len(threads)
    level = {begin: {(kind.initial, begin)}}
    for _ in range(sum(map(len, threads))):
        following = {}
        for places, reached in level.items():
            for t, calls in enumerate(threads):
                if places[t] == len(calls):
                    continue
                after = following.setdefault((*places[:t], places[t] + 1, *places[t + 1:]), set())
                for state, results in reached:
                    then, result = kind.call(state, *calls[places[t]])
                    after.add((then, (*results[:t], results[t] * kind.radix + result, *results[t + 1:])))
        level = following
    (reached,) = level.values()
    return sorted({(*results, kind.content(state)) for state, results in reached})
