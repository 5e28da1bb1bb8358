"""Sums and products of floats over chunks, with the bits of rule 11.4 (docs/language.md): of each chunk a part is made,
parts that follow each other are joined, and the last one is finished. A part says of the elements first to last what
the rule's tree has of them: the lanes of as many whole blocks as make one node each, and the elements before and behind
these, whose blocks are not complete yet."""
import numpy

LANES, BLOCK = 16, 1024
JOINS = {"sum": numpy.add, "prod": numpy.multiply}


class Part:
    """Elements first to last, counted over all that are reduced; arrays have them along their first axis. Up to the
    first place where a block begins they are the head, behind the last one the tail. Without such a place all are the
    head. nodes: triples (level, position, lanes): the blocks from position * 2^level to the next one's, joined."""

    def __init__(self, first, last, head, nodes, tail):
        self.first, self.last, self.head, self.nodes, self.tail = first, last, head, nodes, tail

    def has_bound(self):
        return -(-self.first // BLOCK) * BLOCK <= self.last


def part_of(elements, first, join):
    """elements: an array whose first axis is reduced; first: the number of its first element."""
    last = first + len(elements)
    start, stop = -(-first // BLOCK), last // BLOCK
    if start > stop:
        return Part(first, last, elements.copy(), [], elements[:0])
    nodes = nodes_of(elements[start * BLOCK - first:stop * BLOCK - first], start, join)
    return Part(first, last, elements[:start * BLOCK - first].copy(), nodes, elements[stop * BLOCK - first:].copy())


def nodes_of(elements, start, join):
    """Whole blocks, from that of the number start on. Each lane adds in order."""
    rows = elements.reshape(len(elements) // BLOCK, BLOCK // LANES, LANES, *elements.shape[1:])
    lanes = rows[:, 0].copy()
    for i in range(1, rows.shape[1]):
        join(lanes, rows[:, i], out=lanes)
    return joined([(0, start + i, each) for i, each in enumerate(lanes)], join)


def joined(nodes, join):
    """Nodes of blocks that follow each other; each pair that makes one node of the next level is joined."""
    made = []
    for level, position, lanes in nodes:
        while made and made[-1][0] == level and made[-1][1] == position - 1 and position % 2:
            lanes = join(made.pop()[2], lanes)
            level, position = level + 1, position // 2
        made.append((level, position, lanes))
    return made


def join_parts(a, b, join):
    """Two parts, of which b follows a."""
    between = numpy.concatenate([a.tail, b.head])
    if not a.has_bound():
        return Part(a.first, b.last, numpy.concatenate([a.head, b.head]), b.nodes, b.tail)
    if not b.has_bound():
        return Part(a.first, b.last, a.head, a.nodes, between)
    nodes = nodes_of(between, (a.last - len(a.tail)) // BLOCK, join)  # no block or one
    return Part(a.first, b.last, a.head, joined(a.nodes + nodes + b.nodes, join), b.tail)


def finish(part, join):
    """The result of all elements: head is empty, the tail is the last block, and an odd node passes up."""
    lanes = None
    if len(part.tail):
        rows = part.tail
        lanes = rows[:LANES].copy()
        for i in range(LANES, len(rows), LANES):
            row = rows[i:i + LANES]
            join(lanes[:len(row)], row, out=lanes[:len(row)])
    for _, _, node in reversed(part.nodes):
        lanes = node if lanes is None else both(node, lanes, join)
    for apart in (8, 4, 2, 1):
        if len(lanes) > apart:
            lanes = both(lanes[:apart], lanes[apart:], join)
    return lanes[0]


def both(a, b, join):
    """Lanes beside each other; what is absent is left out. a has at least as many as b."""
    made = a.copy()
    join(made[:len(b)], b, out=made[:len(b)])
    return made
