"""What the methods of the merge sort in integration/java/fixtures/mergesort should do, for reference_oracle.py."""


def distribute(a, b, c, l):
    """Blocks of length l go in turn to b and c."""
    take, rest, to_b = list(a), [[], []], True
    for begin in range(0, len(take), l):
        rest[0 if to_b else 1] += take[begin : begin + l]
        to_b = not to_b
    for target, values in zip((b, c), rest):
        target[: len(values)] = values


def merge(a, la, ra, b, lb, rb, c, lc):
    """The sorted a[la:ra] and b[lb:rb] become a sorted part of c, from lc on."""
    merged = sorted(a[la:ra] + b[lb:rb])
    c[lc : lc + len(merged)] = merged


def sort(a):
    """In place."""
    a.sort()


METHODS = {"MergeSort.distribute": distribute, "MergeSort.merge": merge, "MergeSort.sort": sort, "MergeSort.main": None}
