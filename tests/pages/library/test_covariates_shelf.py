"""The Library's covariates: a dropped CSV is read, shown, kept, renamed and removed; what cannot be is said in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isogloss.backend.corpora.covariates import library as covariates
from isogloss.backend.corpora.covariates import reader
from isogloss.backend.corpora.covariates.reader import Covariates
from isogloss.pages.library.covariates import report
from tests.pages.library.shelves import press, shown

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from streamlit.testing.v1 import AppTest

TABLE = "\N{BYTE ORDER MARK}language;speakers;family\nde;90.5;Germanic\nfin;5;Uralic\nxxq;1;None\n"


def dropped(app: AppTest, name: str, content: bytes) -> AppTest:
    app.file_uploader[0].upload(name, content)
    app.run()
    assert not app.exception
    return app


def test_what_a_table_lacks_is_said_and_relations_opens_with_it(open_page: Callable[..., AppTest], workspace: Path) -> None:
    app = open_page("library", shelf="Covariates")
    assert "No table of covariates is saved yet" in shown(app)
    dropped(app, "speakers.csv", TABLE.encode())
    text = shown(app)
    assert "Recognised: 2 languages · 1 column: speakers" in text
    assert "Column 'family' is left out: 'Germanic' in line 2 is no number." in text
    assert "'xxq' in line 4 is no known language" in text
    assert app.dataframe[0].value["speakers"].tolist() == [90.5, 5.0]
    press(app, "keep-table of covariates")
    (entry,) = covariates.entries([workspace])
    assert page_links(app) == [("Measure: Relations", "unit=Language&x=speakers%3A+speakers")]
    again = open_page("library", shelf="Covariates")
    again.session_state[f"table of covariates-{entry.id[:12]}"] = True
    again.run()
    assert again.dataframe[0].value["Language"].tolist() == ["German · de", "Finnish · fi"]
    assert page_links(again) == page_links(app)


def test_the_downloaded_table_reads_back() -> None:
    columns = {"a, b": {"de": 0.1, "zh-Hant": 1e-300}, 'quo"te': {"en": 2 / 3}, "ends;here": {"de": -1e22, "en": 5.0}}
    table = Covariates(columns)
    assert reader.read(report.csv(table), "a.csv") == table


def test_space_used_counts_them(open_page: Callable[..., AppTest], workspace: Path) -> None:
    covariates.keep(reader.read(b"language,size\nde,1\n", "a.csv"), "Sizes", workspace)
    app = open_page("jobs", jobs_view="Storage")
    used = app.dataframe[0].value.set_index("What")["Files"]
    assert used["Saved covariates of languages"] == 2
    press(app, "check-files")
    assert "1 file read, all whole" in app.success[0].value.replace("\\", "")


def page_links(app: AppTest) -> list[tuple[str, str]]:
    return [(each.proto.label, each.proto.query_string) for each in app.get("page_link") if "Measure" in each.proto.label]
