"""Transfer: what is lost when a task learned in one language is asked in another?"""

from __future__ import annotations

import streamlit as st

from isogloss.backend.corpora.languages.languages import language
from isogloss.pages.transfer.all_views import GROUPS, VIEWS
from isogloss.pages.transfer.shared import selection, stand_in
from isogloss.pages.transfer.training import train
from isogloss.pages.transfer.views import tables
from isogloss.pages.widgets.choosing import view_groups, views
from isogloss.pages.widgets.words import verbatim
from isogloss.pages.widgets.workspace import guard

if (chosen := views.start_page("Transfer", selection.choose)) is None:
    tables.draw_printed()
else:
    with guard():
        train.offer(chosen)
        chosen = stand_in.or_demo(chosen)
        if chosen.said:
            st.caption(":material/info: " + verbatim(" ".join(chosen.said)))
        if not chosen.data.translated:
            name = verbatim(language(chosen.data.trained[0]).name)
            st.caption(
                f"Trained on {name} alone, without translations of the training examples: test accuracy and transfer gap, and "
                "Ranking's gold order, but no IGap."
            )
        VIEWS[view_groups.choose(GROUPS)](chosen)
