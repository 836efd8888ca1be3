"""A small figure of more lines than there are colours and dashes is drawn all the same."""

from __future__ import annotations

from isogloss.backend.charts import glance


def test_thirty_lines_are_drawn() -> None:
    names = [f"Language {place}" for place in range(30)]
    drawn = glance.lines({name: ([0, 1], [0.1, 0.2]) for name in names}, x="Layer", y="Probability", chance=None)
    assert [trace.name for trace in drawn.data] == names
    assert len({trace.line.color for trace in drawn.data}) > 5
