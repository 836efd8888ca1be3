"""Names of languages in every corpus that is read become tags: distinct, stable, with script and family."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.backend.corpora.languages.languages import UNCLASSIFIED, genera, language, languages
from isogloss.backend.errors import CorpusError

FLORES_200 = """
ace_Arab ace_Latn acm_Arab acq_Arab aeb_Arab afr_Latn ajp_Arab aka_Latn amh_Ethi apc_Arab arb_Arab arb_Latn ars_Arab
ary_Arab arz_Arab asm_Beng ast_Latn awa_Deva ayr_Latn azb_Arab azj_Latn bak_Cyrl bam_Latn ban_Latn bel_Cyrl bem_Latn
ben_Beng bho_Deva bjn_Arab bjn_Latn bod_Tibt bos_Latn bug_Latn bul_Cyrl cat_Latn ceb_Latn ces_Latn cjk_Latn ckb_Arab
crh_Latn cym_Latn dan_Latn deu_Latn dik_Latn dyu_Latn dzo_Tibt ell_Grek eng_Latn epo_Latn est_Latn eus_Latn ewe_Latn
fao_Latn fij_Latn fin_Latn fon_Latn fra_Latn fur_Latn fuv_Latn gaz_Latn gla_Latn gle_Latn glg_Latn grn_Latn guj_Gujr
hat_Latn hau_Latn heb_Hebr hin_Deva hne_Deva hrv_Latn hun_Latn hye_Armn ibo_Latn ilo_Latn ind_Latn isl_Latn ita_Latn
jav_Latn jpn_Jpan kab_Latn kac_Latn kam_Latn kan_Knda kas_Arab kas_Deva kat_Geor kaz_Cyrl kbp_Latn kea_Latn khk_Cyrl
khm_Khmr kik_Latn kin_Latn kir_Cyrl kmb_Latn kmr_Latn knc_Arab knc_Latn kon_Latn kor_Hang lao_Laoo lij_Latn lim_Latn
lin_Latn lit_Latn lmo_Latn ltg_Latn ltz_Latn lua_Latn lug_Latn luo_Latn lus_Latn lvs_Latn mag_Deva mai_Deva mal_Mlym
mar_Deva min_Arab min_Latn mkd_Cyrl mlt_Latn mni_Beng mos_Latn mri_Latn mya_Mymr nld_Latn nno_Latn nob_Latn npi_Deva
nso_Latn nus_Latn nya_Latn oci_Latn ory_Orya pag_Latn pan_Guru pap_Latn pbt_Arab pes_Arab plt_Latn pol_Latn por_Latn
prs_Arab quy_Latn ron_Latn run_Latn rus_Cyrl sag_Latn san_Deva sat_Olck scn_Latn shn_Mymr sin_Sinh slk_Latn slv_Latn
smo_Latn sna_Latn snd_Arab som_Latn sot_Latn spa_Latn als_Latn srd_Latn srp_Cyrl ssw_Latn sun_Latn swe_Latn swh_Latn
szl_Latn tam_Taml taq_Latn taq_Tfng tat_Cyrl tel_Telu tgk_Cyrl tgl_Latn tha_Thai tir_Ethi tpi_Latn tsn_Latn tso_Latn
tuk_Latn tum_Latn tur_Latn twi_Latn tzm_Tfng uig_Arab ukr_Cyrl umb_Latn urd_Arab uzn_Latn vec_Latn vie_Latn war_Latn
wol_Latn xho_Latn ydd_Hebr yor_Latn yue_Hant zho_Hans zho_Hant zsm_Latn zul_Latn
"""
NTREX_128 = """
afr amh arb aze bak bel bem ben bod bos bul cat ces ckb-Arab cym dan deu div dzo ell eng-GB eng-IN eng est eus ewe
fao fas fij fil fin fra-CA fra fuc gle glg gsw-BE gsw-ZH guj hau heb hin hmn hrv hun hye ibo ind isl ita jpn kan kat kaz khm kin
kir kmr kor lao lav lit ltz mal mar mey mkd mlg mlt mon mri msa mya nde nep nld nno nob nso nya orm pan pol por-BR
por prs pus ron rus shi sin slk slv smo sna-Latn snd-Arab som spa-MX spa sqi srp-Cyrl srp-Latn ssw swa swe tah tam
tat tel tgk-Cyrl tha tir ton tsn tuk tur uig ukr urd uzb ven vie wol xho yor yue zho-CN zho-TW zul
"""
WMT24PP = """
ar_EG ar_SA bg_BG bn_IN ca_ES cs_CZ da_DK de_DE el_GR es_MX et_EE fa_IR fi_FI fil_PH fr_CA fr_FR gu_IN he_IL hi_IN
hr_HR hu_HU id_ID is_IS it_IT ja_JP kn_IN ko_KR lt_LT lv_LV ml_IN mr_IN nl_NL no_NO pa_IN pl_PL pt_BR pt_PT ro_RO
ru_RU sk_SK sl_SI sr_RS sv_SE sw_KE sw_TZ ta_IN te_IN th_TH tr_TR uk_UA ur_PK vi_VN zh_CN zh_TW zu_ZA en
"""
TATOEBA = """
afr amh ang ara arq arz ast awa aze bel ben ber bos bre bul cat cbk ceb ces cha cmn cor csb cym dan deu dsb dtp ell
eng epo est eus fao fin fra fry gla gle glg gsw heb hin hrv hsb hun hye ido ile ina ind isl ita jav jpn kab kat kaz
khm kor kur kzj lat lfn lit lvs mal mar max mhr mkd mon nds nld nno nob nov oci orv pam pes pms pol por ron rus slk
slv spa sqi srp swe swg swh tam tat tel tgl tha tuk tur tzl uig ukr urd uzb vie war wuu xho yid yue zsm
"""
UNIVERSAL_DEPENDENCIES = """
ab abq af aii ajp akk aln am apu aqz ar arh arr az azz bar be bej bg bho bm bn bor br bxr ca ceb ckt cop cpg cs cu cy da de
egy el en eo es ess et eu evn fa fi fo fr frm fro ga gd gl gn got grc gsw gu gub gun gv gya ha hbo he hi hit hr hsb ht hu hy
hyw id is it ja jaa jv ka kfm kk kmr ko koi kpv krl ky la lb lij lt ltg lv lzh mdf mk ml mpu mr mt myu myv nap nds nhi nl nmf
no nyq oc olo orv ota otk pad pay pbv pcm pl ps pt qaf qaj qfn qhe qpm qtd qte qti quc ro ru sa sab say scn sd sga si sjo sk
sl sms soj sq sr ssp sv swl ta te th tl tn tpn tr tt ttc ug uk umb ur urb uz vep vi wbp wo wuu xav xcl xnr xum yi yo yrl yue zh
"""
XNLI = "ar bg de el en es fr hi ru sw th tr ur vi zh"


@pytest.mark.parametrize(
    "names", [FLORES_200, NTREX_128, WMT24PP, TATOEBA, XNLI], ids=["flores", "ntrex", "wmt", "tatoeba", "xnli"]
)
def test_a_corpus_keeps_its_languages_apart_and_all_have_a_family(names: str) -> None:
    found = languages(names.split())
    assert len({known.tag for known in found.values()}) == len(names.split())
    for name, known in found.items():
        assert (known.family, known.genus) != UNCLASSIFIED, name
        assert "Unknown" not in known.name
        assert len(known.script) == 4
        assert known.script != "Zyyy"


@pytest.mark.parametrize(
    ("name", "tag"),
    [
        ("deu", "de"),
        ("deu_Latn", "de"),
        ("de_DE", "de"),
        ("de", "de"),
        ("German", "de"),
        ("DE", "de"),
        ("Norwegian", "nb"),
        ("ger", "de"),
        ("Deutsch", "de"),
        ("arb", "ar"),
        ("arb_Arab", "ar"),
        ("arb_Latn", "ar-Latn"),
        ("arz_Arab", "arz"),
        ("ar_SA", "ar-SA"),
        ("swa", "sw"),
        ("swh_Latn", "sw"),
        ("fas", "fa"),
        ("pes_Arab", "fa"),
        ("prs_Arab", "fa-AF"),
        ("gsw-ZH", "gsw-zurich"),
        ("gsw_BE", "gsw-bernese"),
        ("zho", "zh"),
        ("cmn", "zh"),
        ("zho_Hans", "zh"),
        ("zh-CN", "zh"),
        ("zho-CN", "zh"),
        ("zh-TW", "zh-Hant"),
        ("zho_Hant", "zh-Hant"),
        ("cmn_Hant", "zh-Hant"),
        ("yue_Hant", "yue"),
        ("srp", "sr"),
        ("srp_Cyrl", "sr"),
        ("srp-Latn", "sr-Latn"),
        ("sh", "sr-Latn"),
        ("pt_BR", "pt"),
        ("pt_PT", "pt-PT"),
        ("es_419", "es-419"),
        ("kor_Hang", "ko"),
        ("jpn_Jpan", "ja"),
        ("nob", "nb"),
        ("no_NO", "nb"),
        ("nno", "nn"),
        ("iw", "he"),
        ("tgl_Latn", "fil"),
        ("twi_Latn", "tw"),
        ("aka_Latn", "ak"),
        ("cat_Latn_vale1252", "ca-vale1252"),
    ],
)
def test_the_normalised_tag(name: str, tag: str) -> None:
    assert language(name).tag == tag


@pytest.mark.parametrize("name", (FLORES_200 + NTREX_128 + WMT24PP + TATOEBA + XNLI).split())
def test_a_tag_is_its_own_tag(name: str) -> None:
    assert language(language(name).tag).tag == language(name).tag


def test_every_code_of_universal_dependencies_is_a_language_of_its_own() -> None:
    found = {code: language(code) for code in UNIVERSAL_DEPENDENCIES.split()}
    assert len({known.tag for known in found.values()}) == len(found)
    assert all(language(known.tag) == known for known in found.values())


def test_a_script_that_nobody_told_us_is_not_known() -> None:
    for code in ["aii", "ckt", "cpg", "evn", "hbo", "sjo", "xcl"]:
        known = language(code)
        assert (known.tag, known.script, known.script_name, known.direction) == (code, "Zyyy", "Unknown", "auto"), code
        assert language(f"{code}-Cyrl").tag == f"{code}-Cyrl"
        assert (language(f"{code}-CN").script, language(f"{code}-Hebr").direction) == ("Zyyy", "rtl")
    # The tag that the script's false name gave stays: it is a key.
    assert (language("ckt-Latn").tag, language("ckt-Latn").script) == ("ckt", "Latn")


@pytest.mark.parametrize("code", ["qaa", "qtd", "qtz", "QFN"])
def test_codes_for_private_use_are_languages_without_a_script(code: str) -> None:
    known = language(code)
    assert (known.tag, known.name, known.script) == (code.lower(), f"{code.lower()} (private use)", "Zyyy")
    with pytest.raises(CorpusError):
        language("qzz")


def test_regions_stay_only_where_they_tell_two_names_apart() -> None:
    def tags(*names: str) -> list[str]:
        return [known.tag for known in languages(names).values()]

    assert tags("bn_IN", "es_MX", "pt_PT") == ["bn", "es", "pt"]
    assert tags("pt_BR", "pt_PT") == ["pt", "pt-PT"]
    assert tags("fr_CA", "fr_FR", "de_DE") == ["fr-CA", "fr", "de"]
    assert tags("eng", "eng-US", "eng-GB") == ["en", "en-US", "en-GB"]
    assert tags("fas", "prs") == ["fa", "fa-AF"]
    assert tags("zh_CN", "zh_TW", "zh_HK") == ["zh", "zh-Hant", "zh-Hant-HK"]


def test_two_names_of_one_language_are_an_error() -> None:
    with pytest.raises(CorpusError, match=r"'de' and 'deu' are both German"):
        languages(["deu", "de", "fi"])


@pytest.mark.parametrize(
    "name",
    [
        "xxx",
        "und",
        "mul",
        "zxx",
        "x-private",
        "",
        "e",
        "../etc",
        "de\n",
        "d" * 300,
        "source",
        "klingonish",
        "German text",
        "\0de",
    ],
)
def test_what_is_no_language_is_an_error_with_a_remedy(name: str) -> None:
    with pytest.raises(CorpusError, match=r"Use a BCP-47 or ISO 639 code"):
        language(name)


@given(st.text(max_size=20))
def test_any_text_is_a_language_or_an_error(name: str) -> None:
    with suppress(CorpusError):
        assert language(name).tag


def test_script_direction_and_names() -> None:
    hebrew, urdu, german, chinese = (language(n) for n in ("heb", "ur", "deu", "zho_Hant"))
    assert hebrew.right_to_left
    assert urdu.right_to_left
    assert not german.right_to_left
    assert language("arb_Latn").right_to_left is False
    assert (german.name, german.autonym, german.script, german.script_name) == ("German", "Deutsch", "Latn", "Latin")
    assert (german.family, german.genus) == ("Indo-European", "Germanic")
    assert (chinese.script, chinese.script_name) == ("Hant", "Han (traditional)")


def test_a_language_outside_our_table_says_so() -> None:
    assert (language("xsr").family, language("xsr").genus) == ("Sino-Tibetan", UNCLASSIFIED[1])
    assert (language("qaf").family, language("qaf").genus) == UNCLASSIFIED


def test_the_table_of_families_is_tidy() -> None:
    table = genera()
    assert list(table) == sorted(table)
    assert all(language(code).tag == code for code in table)


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("gsw-ZH", "Swiss German (Zurich)"),
        ("gsw-BE", "Swiss German (Bern)"),  # the canton, not Belgium
        ("gsw-CH", "Swiss German"),
        ("cat_Latn", "Catalan"),
        ("cat_Latn_vale1252", "Catalan (Valencian)"),
        ("ca-valencia", "Catalan (Valencian)"),
        ("oci_Latn_aran1260", "Occitan (Aranese)"),
        ("sr-Latn-ekavsk", "Serbian (Latin, ekavsk)"),
    ],
)
def test_a_variant_is_in_the_name_of_its_language(code: str, name: str) -> None:
    """FLORES+ has Catalan and Valencian: two of one name could not be told apart."""
    assert language(code).name == name
    assert language(language(code).tag) == language(code)


def test_names_are_those_of_another_copy_of_cldr() -> None:
    locale = pytest.importorskip("babel").Locale("en")
    for name in (FLORES_200 + NTREX_128).split():
        found = language(name)
        told = locale.languages.get(found.tag.split("-")[0])
        assert told is None or found.name.split(" (")[0] == told, name
