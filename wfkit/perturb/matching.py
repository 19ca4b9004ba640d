"""Which steps of a golden and its candidate are the same, judged by their texts alone."""

from collections.abc import Sequence


def common_subsequence(one: Sequence[str], other: Sequence[str]) -> list[tuple[int, int]]:
    """A longest common subsequence as index pairs, rising in both; of several the one that is earliest in ``one``.

    Bit-parallel: one whole-number operation per element of ``other`` instead of a row of a table, so that even ten
    thousand steps take less than a second.
    """
    places: dict[str, int] = {}
    for index, text in enumerate(one):
        places[text] = places.get(text, 0) | 1 << index
    everything = (1 << len(one)) - 1
    # In row i, a zero bit at j says that the length of the common subsequence grows from one[:j] to one[:j + 1].
    row = everything
    rows = [row]
    for text in other:
        shared = row & places.get(text, 0)
        row = ((row + shared) | (row - shared)) & everything
        rows.append(row)
    pairs = []
    index, number = len(one), len(other)
    while index and number:
        if rows[number] >> index - 1 & 1:
            index -= 1
        elif not rows[number - 1] >> index - 1 & 1:
            number -= 1
        else:
            index -= 1
            number -= 1
            pairs.append((index, number))
    pairs.reverse()
    return pairs


def match_by_text(one: Sequence[str], other: Sequence[str], *, latest: bool = False) -> list[tuple[int, int]]:
    """Index pairs of equal texts, as many as there can be: a longest common subsequence first, then what has moved.

    Args:
        latest: of several common subsequences take the one that is latest in ``one`` instead of the earliest.
    """
    if latest:
        last, final = len(one) - 1, len(other) - 1
        pairs = [(last - i, final - j) for i, j in common_subsequence(one[::-1], other[::-1])]
    else:
        pairs = common_subsequence(one, other)
    if len(pairs) == min(len(one), len(other)):
        return sorted(pairs)
    used, taken = {i for i, _ in pairs}, {j for _, j in pairs}
    spare: dict[str, list[int]] = {}
    for j in range(len(other) - 1, -1, -1):
        if j not in taken:
            spare.setdefault(other[j], []).append(j)
    for i, text in enumerate(one):
        if i not in used and spare.get(text):
            pairs.append((i, spare[text].pop()))
    return sorted(pairs)
