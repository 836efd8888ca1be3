"""Languages in names of tasks as lm-evaluation-harness has them: what is known for sure, and what has to be asked."""

from __future__ import annotations

import pytest

from isogloss.backend.corpora.covariates.task_languages import languages_of


def told(*tasks: str) -> dict[str, str]:
    return {task: f"{stem} {tag}" for task, (stem, tag) in languages_of(tasks).items()}


@pytest.mark.parametrize(
    "tasks",
    [
        ["basque_bench", "eq_bench", "xnli_es_spanish_bench"],  # Bench is a language of the Ivory Coast
        ["spanish_bench_flores_es-ca", "basque_bench_flores_eu-es", "wmt16-de-en"],  # translations, no Canada
        ["flores_deu_Latn-eng_Latn", "flores_eng_Latn_deu_Latn"],
        ["mlqa_en_hi", "mlqa_en_vi", "mlqa_de_es"],  # texts of one language, questions of another
        ["xnli_eu_mt", "xnli_eu_native"],
        ["polemo2_in", "polemo2_out"],
        ["matreshka_yes_no"],
        ["agieval_lsat_ar", "agieval_lsat_lr", "agieval_lsat_rc"],
        ["agieval_jec_qa_ca", "agieval_jec_qa_kd"],
        ["uncheatable_eval_arxiv_cs", "uncheatable_eval_arxiv_math", "uncheatable_eval_arxiv_physics"],
        ["evalita-mp_te", "evalita-mp_sa", "evalita-mp_at", "evalita-mp_hs", "evalita-mp_ls"],
        ["AraDiCE_piqa_egy", "AraDiCE_piqa_lev", "AraDiCE_piqa_msa", "AraDiCE_piqa_eng"],
        ["include_base_44_kazakh_few_shot_en"],  # Kazakh, asked in English: alone it might be either
        ["mmlu_pro_law", "mmlu_pro_math", "bbq_age_ambig", "bbq_age_disambig"],
        ["piqa_no"],
    ],
)
def test_a_word_that_may_be_something_else_is_no_language(tasks: list[str]) -> None:
    assert told(*tasks) == {}


@pytest.mark.parametrize(
    ("tasks", "expected"),
    [
        (["mmmlu_hi_in", "mmmlu_es_la", "mmmlu_sw_ke", "mmmlu_ar_xy", "mmmlu_ja_jp"], ["hi", "es", "sw", "ar", "ja"]),
        (["mmmlu_pt_br"], ["pt"]),
        (["x_pt_br", "x_pt_pt", "x_de_de"], ["pt", "pt-PT", "de"]),
        (["x_zh_CN", "x_zh-TW"], ["zh", "zh-Hant"]),
        (["mlqa_de_de", "mlqa_hi_hi", "mlqa_hi_de"], ["de", "hi"]),
        (["piqa_ben_beng", "piqa_ory_orya", "piqa_tha_thai"], ["bn", "or", "th"]),
        (["piqa_no", "piqa_it", "piqa_is"], ["nb", "it", "is"]),
        (["xwinograd_jp", "xwinograd_ru"], ["ja", "ru"]),
        (["arc_challenge_mt_de", "arc_challenge_mt_is"], ["de", "is"]),
        (["afrimgsm_hau_prompt_2", "afrimgsm_swa_prompt_2", "afrimgsm_hau_prompt_1"], ["ha", "sw"]),
        (["truthfulqa_eu_mc2", "truthfulqa_sk_mc2"], ["eu", "sk"]),
        (["include_kazakh_few_shot_en", "include_german_few_shot_en", "include_dutch-flemish_few_shot_en"], ["kk", "de"]),
        (["mmlu_prox_de_law", "mmlu_prox_fr_law", "mmlu_prox_de_biology", "mmlu_prox_fr_biology"], ["de", "fr", "de", "fr"]),
    ],
)
def test_what_several_tasks_differ_in_is_their_language(tasks: list[str], expected: list[str]) -> None:
    found = languages_of(tasks)
    assert [tag for _, tag in found.values()] == expected


def test_a_task_without_its_language_is_called_alike_in_all() -> None:
    assert told("afrimgsm_hau_prompt_2", "afrimgsm_swa_prompt_2") == {
        "afrimgsm_hau_prompt_2": "afrimgsm_prompt_2 ha",
        "afrimgsm_swa_prompt_2": "afrimgsm_prompt_2 sw",
    }
    assert told("global_mmlu/de") == {"global_mmlu/de": "global_mmlu de"}
