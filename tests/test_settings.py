import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

from prhub_digest.cli.run import run
from prhub_digest.errors import SettingsError
from prhub_digest.models.file_kinds import KindRule
from prhub_digest.models.glossary import Term
from prhub_digest.models.ranking import Override
from prhub_digest.models.settings import Settings
from prhub_digest.models.signal_settings import SignalSettings, Tag
from prhub_digest.models.signals import Area
from prhub_digest.settings import ENVIRONMENT, FLAGS, load_settings, public

HOME = {"HOME": "/home/lin"}
KNOWN = f"known keys: {', '.join(name for name in Settings.model_fields if name != 'api_key')}"


@pytest.fixture(autouse=True)
def _working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _write(text: str, name: str = "prhub.toml") -> Path:
    Path(name).write_text(text, encoding="utf-8", newline="")
    return Path(name)


def test_defaults() -> None:
    assert load_settings(None, {}, HOME) == Settings(
        model=None,
        small_model=None,
        base_url=None,
        api_key=None,
        provider="openai",
        github_api_url=None,
        github_server_url=None,
        max_wait=3600,
        base=(),
        labels=(),
        authors=(),
        paths=(),
        bots="group",
        concurrency=8,
        timeout_seconds=120,
        chunk_tokens=6000,
        compose_tokens=20_000,
        max_chunks=4,
        highlights=24,
        languages=("en",),
        timezone="UTC",
        out=Path("runs"),
        prompts=None,
        cache_dir=Path("/home/lin/.cache/prhub-digest"),
        allow_partial=False,
        strict=False,
        signals=SignalSettings(),
        file_kinds=(),
        areas=(),
        overrides=(),
        glossary=(),
    )


def test_flags_win_over_environment_over_file_over_defaults() -> None:
    _write('model = "file"\nsmall_model = "file-small"\nconcurrency = 3\nhighlights = 5\n')
    environment = HOME | {"PRHUB_MODEL": "environment", "PRHUB_SMALL_MODEL": "", "PRHUB_CACHE_DIR": "/c"}
    flags: dict[str, object] = {"concurrency": 4, "highlights": None, "languages": [], "strict": True}
    settings = load_settings(None, flags, environment)
    assert (settings.model, settings.small_model) == ("environment", "file-small")
    assert (settings.concurrency, settings.highlights, settings.strict) == (4, 5, True)
    assert (settings.languages, settings.cache_dir) == (("en",), Path("/c"))
    assert load_settings(None, {"model": "flag"}, environment).model == "flag"


def test_the_small_model_is_the_model_unless_given() -> None:
    assert load_settings(None, {"model": "a"}, HOME).small_model == "a"
    assert load_settings(None, {"model": "a", "small_model": "b"}, HOME).small_model == "b"


@pytest.mark.parametrize(
    ("base_url", "provider"),
    [
        ("https://api.openai.com/v1", "openai"),
        ("http://localhost:8000/v1", "local"),
        ("http://127.0.0.2:1234", "local"),
        ("http://[::1]:1234/v1", "local"),
        ("https://API.example.org:8443/v1", "api.example.org"),
    ],
)
def test_the_provider_is_derived_from_the_address(base_url: str, provider: str) -> None:
    assert load_settings(None, {}, HOME | {"OPENAI_BASE_URL": base_url}).provider == provider
    assert load_settings(None, {"base_url": base_url, "provider": "mine"}, HOME).provider == "mine"


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"XDG_CACHE_HOME": "/x"}, "/x/prhub-digest"),
        ({"XDG_CACHE_HOME": "relative"}, "/home/lin/.cache/prhub-digest"),
        ({"XDG_CACHE_HOME": ""}, "/home/lin/.cache/prhub-digest"),
    ],
)
def test_the_cache_folder_follows_xdg(environment: dict[str, str], expected: str) -> None:
    assert load_settings(None, {}, HOME | environment).cache_dir == Path(expected)


def test_the_addresses_of_github_come_from_its_own_variables() -> None:
    empty = {"GITHUB_API_URL": "", "GITHUB_SERVER_URL": ""}
    assert load_settings(None, {}, HOME | empty).github_server_url is None
    environment = {"GITHUB_API_URL": "https://ghe.example/api/v3/", "GITHUB_SERVER_URL": "https://ghe.example"}
    settings = load_settings(None, {}, HOME | environment)
    assert (settings.github_api_url, settings.github_server_url) == (
        "https://ghe.example/api/v3",
        "https://ghe.example",
    )
    for address in ("file:///srv/git", "ssh://git@ghe.example"):  # what git can read, for --source git
        assert load_settings(None, {}, HOME | {"GITHUB_SERVER_URL": address}).github_server_url == address


def test_filters_are_lists_of_patterns_and_a_flag_replaces_the_list() -> None:
    _write('base = ["main", "release/*"]\nlabels = ["!docs"]\nbots = "include"\nmax_wait = 0\n')
    settings = load_settings(None, {"labels": ["bug"], "authors": None}, HOME)
    assert (settings.base, settings.labels, settings.authors) == (("main", "release/*"), ("bug",), ())
    assert (settings.bots, settings.max_wait) == ("include", 0)


def test_a_token_is_no_setting() -> None:
    settings = load_settings(None, {}, HOME | {"GITHUB_TOKEN": "ghs_1", "GH_TOKEN": "ghs_2"})
    assert "ghs_" not in repr(settings) + repr(public(settings))


def test_signals_are_a_table_and_kinds_of_files_are_tables() -> None:
    _write(
        '[signals]\nuntested_lines = 25\ncore_paths = ["src/engine/**"]\n'
        '[[signals.modules]]\nkey = "cart"\npaths = ["shop/cart/**"]\n'
        '[[file_kinds]]\nkind = "generated"\npaths = ["api/client/**"]\n'
    )
    settings = load_settings(None, {}, HOME)
    assert settings.signals == SignalSettings(
        untested_lines=25, core_paths=("src/engine/**",), modules=(Tag(key="cart", paths=("shop/cart/**",)),)
    )
    assert settings.file_kinds == (KindRule(kind="generated", paths=("api/client/**",)),)
    assert public(settings)["signals"] == {
        "untested_lines": 25,
        "core_paths": ["src/engine/**"],
        "modules": [{"key": "cart", "paths": ["shop/cart/**"]}],
    }


def test_overrides_and_glossary_are_tables() -> None:
    _write('[[overrides]]\nlabels = ["blocker"]\npoints = 1.5\n[[glossary]]\nen = "page"\nzh = "页"\n')
    settings = load_settings(None, {}, HOME)
    assert settings.overrides == (Override(labels=("blocker",), points=1.5),)
    assert settings.glossary == (Term(en="page", zh="页"),)


def test_areas_are_tables() -> None:
    _write('[[areas]]\nkey = "core"\npaths = ["src/**"]\n[[areas]]\nkey = "docs"\npaths = ["docs/**", "*.md"]\n')
    assert load_settings(None, {}, HOME).areas == (
        Area(key="core", paths=("src/**",)),
        Area(key="docs", paths=("docs/**", "*.md")),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[[overrides]]\nlabels = ["a"]\npoints = 1\n[[overrides]]\nlabels = ["b"]\npoint = 1\n',
            "prhub.toml, line 6: unknown key overrides.1.point; did you mean points?",
        ),
        (
            "[[overrides]]\npulls = [7]\npoints = 11\n",
            "prhub.toml, line 3: overrides.0.points = 11: write a number of points from -10 to 10",
        ),
        (
            "[[overrides]]\npoints = 1\n",
            (
                "prhub.toml, line 1: overrides.0 = {'points': 1}: names no pull request; write [[overrides]] tables,"
                " each with labels = [...] or pulls = [...], and points = ... or highlight = ..."
            ),
        ),
        (
            "[[overrides]]\npulls = [7]\n",
            (
                "prhub.toml, line 1: overrides.0 = {'pulls': [7]}: changes nothing; write [[overrides]] tables,"
                " each with labels = [...] or pulls = [...], and points = ... or highlight = ..."
            ),
        ),
        (
            '[[glossary]]\nen = "radix cache"\nzh = ""\n',
            """prhub.toml, line 3: glossary.0.zh = '': write its Chinese name, like "基数缓存\"""",
        ),
        ('\nmodle = "a"\n', "prhub.toml, line 2: unknown key modle; did you mean model?"),
        ('small-model = "a"', "prhub.toml, line 1: unknown key small-model; did you mean small_model?"),
        (
            '# many\nconcurrency = "many"',
            "prhub.toml, line 2: concurrency = 'many': write a whole number from 1 to 256",
        ),
        ("concurrency = 0", "prhub.toml, line 1: concurrency = 0: write a whole number from 1 to 256"),
        ("concurrency = true", "prhub.toml, line 1: concurrency = True: write a whole number from 1 to 256"),
        ("model = 5", 'prhub.toml, line 1: model = 5: write the name of a model, like "gpt-5-mini"'),
        ('strict = "yes"', "prhub.toml, line 1: strict = 'yes': write true or false"),
        ("timeout_seconds = nan", "prhub.toml, line 1: timeout_seconds = nan: write a number of seconds, up to 3600"),
        ('languages = ["de"]', 'prhub.toml, line 1: languages.0 = \'de\': write a list of "en" and "zh"'),
        ('languages = "zh"', 'prhub.toml, line 1: languages = \'zh\': write a list of "en" and "zh"'),
        (
            'timezone = "Mars/Base"',
            (
                "prhub.toml, line 1: timezone = 'Mars/Base': no such time zone; "
                'write a time zone, like "UTC" or "Asia/Shanghai"'
            ),
        ),
        (
            'base_url = "localhost:8000"',
            (
                "prhub.toml, line 1: base_url = …: not an http or https address; "
                'write an address, like "http://localhost:8000/v1"'
            ),
        ),
        (
            '[[areas]]\nkey = "core"\npath = ["src"]',
            "prhub.toml, line 3: unknown key areas.0.path; did you mean paths?",
        ),
        (
            '[[areas]]\nkey = "a"\npaths = ["a"]\n\n[[areas]]\nkey = "b"\npath = ["b"]\n[[areas]]\npath = 1\n',
            "prhub.toml, line 7: unknown key areas.1.path; did you mean paths?",
        ),
        (
            'model = "a"\n[[areas]]\nkey = "a"\npaths = ["a"]\n[[areas]]\nkey = "b"\n',
            (
                "prhub.toml, line 5: area 'b' has no paths, so that nothing can be in it; "
                'write [[areas]] tables, each with key = "..." and paths = ["..."]'
            ),
        ),
        (
            "[signals]\nlarge_line = 5",
            "prhub.toml, line 2: unknown key signals.large_line; did you mean large_lines?",
        ),
        (
            "[signals]\nuntested_lines = 3\nlarge_lines = 0",
            "prhub.toml, line 3: signals.large_lines = 0: write a whole number, 1 or more",
        ),
        (
            'model = "a"\nsignals.core_percent = 101',
            "prhub.toml, line 2: signals.core_percent = 101: write a whole number from 1 to 100",
        ),
        (
            '[signals]\ncore_paths = ["src/**", "!tests"]',
            (
                "prhub.toml, line 2: signals.core_paths.1 = '!tests': no path matches it: paths begin at the top of the"
                ' repository, without !, / or ./; write a list of patterns, like ["src/engine/**"]'
            ),
        ),
        (
            '[[signals.platforms]]\nkey = "a"\nwords = ["a"]\n[[signals.platforms]]\nkey = "b"\npath = ["b"]',
            "prhub.toml, line 6: unknown key signals.platforms.1.path; did you mean paths?",
        ),
        (
            '[[signals.modules]]\npaths = ["a"]',
            (
                "prhub.toml, line 1: signals.modules.0.key is missing; "
                'write [[signals.modules]] tables, each with key = "..." and paths, parts or words = ["..."]'
            ),
        ),
        (
            "[signals]\nfollow_up_days = 99999999999999999999",
            "prhub.toml, line 2: signals.follow_up_days = 99999999999999999999: write a whole number from 1 to 3650",
        ),
        (
            "[signals]\nseries_days = 3651",
            "prhub.toml, line 2: signals.series_days = 3651: write a whole number from 1 to 3650",
        ),
        (
            '[[signals.platforms]]\nkey = "a"',
            (
                "prhub.toml, line 1: signals.platforms.0 = {'key': 'a'}: has no paths, parts or words, so that nothing"
                ' can be in it; write [[signals.platforms]] tables, each with key = "..." and paths, parts or words ='
                ' ["..."]'
            ),
        ),
        (
            '[[signals.modules]]\nkey = "a"\nwords = ["a"]\n[[signals.modules]]\nkey = "a"\nparts = ["b"]',
            (
                "prhub.toml, line 5: signals.modules.1.key = 'a': signals.modules.0.key (line 2) is the same;"
                " keep one of them"
            ),
        ),
        (
            "".join(f'[[areas]]\npaths = ["lib/**"]\nkey = "{key}"\n' for key in ("A", "a", "a")),
            "prhub.toml, line 9: areas.2.key = 'a': areas.1.key (line 6) is the same; keep one of them",
        ),
        (
            'areas = [{key = "a", paths = ["a"]}, {key = "a", paths = ["b"]}]',
            "prhub.toml, line 1: areas.1.key = 'a': areas.0.key is the same; keep one of them",
        ),
        (
            'model = "a"\nout = ' + "[\n" * 3000,
            "prhub.toml, line 102: lists or tables nest too deep to be read; no setting nests so",
        ),
        (
            "a" + ".a" * 3000 + " = 1",
            "prhub.toml, line 1: lists or tables nest too deep to be read; no setting nests so",
        ),
        *(
            (
                f'model = "{"9" * 6000}"\nhighlights = {number}',
                "prhub.toml, line 2: a number has too many digits to be read; no setting needs thousands",
            )
            for number in ("9" * 6000, "0x" + "f" * 6000)
        ),
        (
            "[[overrides]]\npulls = [7, -5]\npoints = 1",
            "prhub.toml, line 2: overrides.0.pulls.1 = -5: write a list of numbers of pull requests, like [4134]",
        ),
        (
            "[[overrides]]\nlabels = []\npulls = []\npoints = 1\n",
            (
                "prhub.toml, line 1: overrides.0 = {'labels': [], 'pulls': [], 'points': 1}: names no pull request;"
                " write [[overrides]] tables, each with labels = [...] or pulls = [...],"
                " and points = ... or highlight = ..."
            ),
        ),
        (
            '[[areas]]\nkey = "a"\npaths = ["a"]\n[[areas]]\nkey = "other"\npaths = ["lib/**"]',
            (
                "prhub.toml, line 4: areas.1 = {'key': 'other', 'paths': ['lib/**']}: 'other' is what is in no other"
                " area, so that it has no paths and no labels;"
                ' write [[areas]] tables, each with key = "..." and paths = ["..."]'
            ),
        ),
        (
            '[[areas]]\nkey = "model runner"\npaths = ["a"]',
            (
                "prhub.toml, line 2: areas.0.key = 'model runner': holds a blank;"
                ' write [[areas]] tables, each with key = "..." and paths = ["..."]'
            ),
        ),
        (
            '[[areas]]\nkey = ""\npaths = ["a"]',
            (
                "prhub.toml, line 2: areas.0.key = '': empty;"
                ' write [[areas]] tables, each with key = "..." and paths = ["..."]'
            ),
        ),
        (
            '[[file_kinds]]\nkind = "docs"\npaths = ["d/**", "!d/*.py"]',
            (
                "prhub.toml, line 3: file_kinds.0.paths.1 = '!d/*.py': no path matches it: paths begin at the top of"
                ' the repository, without !, / or ./; write a list of patterns, like ["api/client/**"]'
            ),
        ),
        (
            '[[glossary]]\nen = "radix cache"\nzh = "a"\n[[glossary]]\nen = "Radix  Cache"\nzh = "b"',
            (
                "prhub.toml, line 5: glossary.1.en = 'Radix  Cache': glossary.0.en (line 2) is the same;"
                " keep one of them"
            ),
        ),
        (
            '[[glossary]]\nen = " "\nzh = "a"',
            "prhub.toml, line 2: glossary.0.en = ' ': write an English term, like \"radix cache\"",
        ),
        (
            '[[areas]]\nkey = "a"\npaths = ["a/**"]\n[[areas]]\nkey = "b"\npaths = ["b/**", "/c/**"]',
            (
                "prhub.toml, line 6: areas.1.paths.1 = '/c/**': no path matches it: paths begin at the top of the"
                ' repository, without !, / or ./; write [[areas]] tables, each with key = "..." and paths = ["..."]'
            ),
        ),
        (
            'paths = ["!src/"]',
            (
                "prhub.toml, line 1: paths.0 = '!src/': no path matches it: what is in the folder matches src/**;"
                ' write a list of patterns, like ["src/**", "!**/*.md"]'
            ),
        ),
        (
            '[[glossary]]\nen = "radix cache"\nzh = "基数\\n缓存"',
            (
                "prhub.toml, line 3: glossary.0.zh = '基数\\n缓存': holds a line break or another control character;"
                ' write its Chinese name, like "基数缓存"'
            ),
        ),
        (
            '[[glossary]]\nen = "<b>cache"\nzh = "a"',
            (
                "prhub.toml, line 2: glossary.0.en = '<b>cache': holds <, which is markup;"
                ' write an English term, like "radix cache"'
            ),
        ),
        (
            "[[overrides]]\npulls = [7]\npoints = true",
            "prhub.toml, line 3: overrides.0.points = True: write a number of points from -10 to 10",
        ),
        (
            '[[overrides]]\nlabels = ["!docs"]\npoints = 1',
            (
                "prhub.toml, line 2: overrides.0.labels.0 = '!docs':"
                ' write a list of patterns, like ["release-blocker", "area/*"]'
            ),
        ),
        ('max_wait = "60"', "prhub.toml, line 1: max_wait = '60': write a number of seconds, 0 or more"),
        (
            'budget_usd = "2"',
            "prhub.toml, line 1: budget_usd = '2': a text, not a number; write an amount of US dollars, like 2.50",
        ),
        ("signals = 3", "prhub.toml, line 1: signals = 3: write a table [signals]"),
        (
            '[[file_kinds]]\nkind = "vendor"\npaths = ["lib/**"]',
            (
                "prhub.toml, line 2: file_kinds.0.kind = 'vendor': "
                'write [[file_kinds]] tables, each with kind = "..." and paths = ["..."]'
            ),
        ),
        ('out = ""', "prhub.toml, line 1: out = '': empty; write a folder, like \"runs\""),
        (
            '[[areas]]\npaths = ["src"]',
            (
                "prhub.toml, line 1: areas.0.key is missing; "
                'write [[areas]] tables, each with key = "..." and paths = ["..."]'
            ),
        ),
        (
            '[[prices]]\nmodel = "a"\ninptu = 1\noutput = 2\n',
            "prhub.toml, line 3: unknown key prices.0.inptu; did you mean input?",
        ),
        (
            '[[prices]]\nmodel = "a"\ninput = 1\noutput = 2\n[[prices]]\nmodel = "b"\ninput = 1\nout = 2\n',
            (
                "prhub.toml, line 8: unknown key prices.1.out; known keys: model, provider, input, cached_input,"
                " output, batch, date, source"
            ),
        ),
        (
            '[[prices]]\nmodel = "a"\ninput = 1\n',
            (
                'prhub.toml, line 1: prices.0.output is missing; write [[prices]] tables, each with model = "...",'
                " input = ... and output = ... in US dollars per million tokens; also provider, cached_input and batch"
            ),
        ),
        ('[[areas]]\nkeys = "a"\npaths = ["src"]', "prhub.toml, line 2: unknown key areas.0.keys; did you mean key?"),
        (
            "[[overrides]]\npull = [7]\npoints = 1",
            "prhub.toml, line 2: unknown key overrides.0.pull; did you mean pulls?",
        ),
        ('[[glossary]]\neng = "a"\nzh = "b"', "prhub.toml, line 2: unknown key glossary.0.eng; did you mean en?"),
        (
            '[[file_kinds]]\nkinds = "docs"\npaths = ["d/**"]',
            "prhub.toml, line 2: unknown key file_kinds.0.kinds; did you mean kind?",
        ),
        (
            '[[signals.modules]]\nkeys = "a"\npaths = ["d/**"]',
            "prhub.toml, line 2: unknown key signals.modules.0.keys; did you mean key?",
        ),
        (
            'model = "a"\nmodel = "b"\n',
            "prhub.toml: not valid TOML: Cannot overwrite a value (at line 2, column 12)",
        ),
        ("model = a", "prhub.toml: not valid TOML: Invalid value (at line 1, column 9)"),
        (
            'model = "a"\napi_key = "sk-1"',
            (
                "prhub.toml, line 2: a key does not belong in a file that is shared; remove api_key here and set the "
                "environment variable OPENAI_API_KEY"
            ),
        ),
        *(
            (
                f'{key} = "ghs_1"',
                (
                    f"prhub.toml, line 1: a token does not belong in a file that is shared; remove {key} here and set "
                    f"the environment variable {variable}"
                ),
            )
            for key, variable in [
                ("github_token", "GITHUB_TOKEN"),
                ("GH_TOKEN", "GH_TOKEN"),
                ("token", "GITHUB_TOKEN"),
                ("github_tokn", "GITHUB_TOKEN"),
                ("github-token", "GITHUB_TOKEN"),
            ]
        ),
        *(
            (
                f'{key} = "x"',
                (
                    f"prhub.toml, line 1: a key does not belong in a file that is shared; remove {key} here and set the"
                    " environment variable OPENAI_API_KEY"
                ),
            )
            for key in ("apikey", "api-key", "openai_key")
        ),
        ('langs = ["en"]', "prhub.toml, line 1: unknown key langs; did you mean languages?"),
        *(
            (line, f"prhub.toml, line 1: unknown key {line.split()[0]}; {KNOWN}")
            for line in ("timeout = 5", "github_tokn = 5", "tokens = 6000")
        ),
        ("max_wait = -1", "prhub.toml, line 1: max_wait = -1: write a number of seconds, 0 or more"),
        ("max_wait = inf", "prhub.toml, line 1: max_wait = inf: write a number of seconds, 0 or more"),
        ('bots = "hide"', 'prhub.toml, line 1: bots = \'hide\': write "group" or "include"'),
        (
            'label = ["bug"]',
            "prhub.toml, line 1: unknown key label; did you mean labels?",
        ),
        (
            'labels = "bug"',
            'prhub.toml, line 1: labels = \'bug\': write a list of patterns, like ["bug*", "!wontfix"]',
        ),
        (
            'paths = ["src/**", "!"]',
            'prhub.toml, line 1: paths.1 = \'!\': write a list of patterns, like ["src/**", "!**/*.md"]',
        ),
        (
            'github_api_url = "github.example/api"',
            (
                "prhub.toml, line 1: github_api_url = …: not an http or https address; "
                'write an address, like "https://github.example.com/api/v3"'
            ),
        ),
        (
            'github_server_url = "https://lin:ghs_1@github.example"',
            (
                "prhub.toml, line 1: github_server_url = …: holds a name or a password; leave them out, a token stands "
                'in GITHUB_TOKEN; write an address, like "https://github.example.com"'
            ),
        ),
    ],
)
def test_errors_in_the_file_name_place_and_fix(text: str, message: str) -> None:
    _write(text)
    with pytest.raises(SettingsError) as caught:
        load_settings(None, {}, HOME)
    assert str(caught.value) == message


def test_every_fault_is_named() -> None:
    _write("concurrency = 0\nmax_chunks = 0\n")
    with pytest.raises(SettingsError, match=r"(?s)concurrency.*\n.*max_chunks"):
        load_settings(None, {}, HOME)


@pytest.mark.parametrize(
    ("flags", "environment", "message"),
    [
        ({"concurrency": 999}, {}, "--concurrency: concurrency = 999: write a whole number from 1 to 256"),
        (
            {"labels": ["bug", " "]},
            {},
            '--label: labels.1 = \' \': write a list of patterns, like ["bug*", "!wontfix"]',
        ),
        ({"max_wait": -2.0}, {}, "--max-wait: max_wait = -2.0: write a number of seconds, 0 or more"),
        (
            {},
            {"GITHUB_API_URL": "ftp://lin:ghs_1@github.example"},
            (
                "GITHUB_API_URL: github_api_url = …: not an http or https address; "
                'write an address, like "https://github.example.com/api/v3"'
            ),
        ),
        ({"languages": ("fr",)}, {}, '--lang: languages.0 = \'fr\': write a list of "en" and "zh"'),
        (
            {},
            {"OPENAI_BASE_URL": "https://lin:hunter2@"},
            (
                "OPENAI_BASE_URL: base_url = …: not an http or https address; "
                'write an address, like "http://localhost:8000/v1"'
            ),
        ),
    ],
)
def test_errors_elsewhere_name_flag_or_variable(
    flags: dict[str, object], environment: dict[str, str], message: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings(None, flags, HOME | environment)
    assert str(caught.value) == message


def test_a_named_file_must_exist_and_be_text() -> None:
    with pytest.raises(SettingsError, match=r"^other\.toml: there is no such file"):
        load_settings(Path("other.toml"), {}, HOME)
    with pytest.raises(SettingsError, match=r"cannot be read: Is a directory"):
        load_settings(Path(), {}, HOME)
    Path("bad.toml").write_bytes(b'model = "\xff"')
    with pytest.raises(SettingsError, match=r"^bad\.toml: is not UTF-8"):
        load_settings(Path("bad.toml"), {}, HOME)
    _write('model = "default"')
    _write('\ufeffmodel = "named"\r\n', "named.toml")
    assert load_settings(Path("named.toml"), {}, HOME).model == "named"


def test_secrets_stay_out_of_sight() -> None:
    environment = HOME | {
        "OPENAI_API_KEY": "sk-secret-1",
        "OPENAI_BASE_URL": "https://lin:hunter2@llm.example:8/v1?t=s3",
    }
    settings = load_settings(None, {"model": "m"}, environment)
    assert settings.api_key is not None
    assert settings.api_key.get_secret_value() == "sk-secret-1"
    assert "sk-secret-1" not in repr(settings)
    assert public(settings) == {
        "model": "m",
        "small_model": "m",
        "base_url": "https://llm.example:8/v1",
        "provider": "llm.example",
        "github_api_url": None,
        "github_server_url": None,
        "max_wait": 3600.0,
        "base": [],
        "labels": [],
        "authors": [],
        "paths": [],
        "bots": "group",
        "concurrency": 8,
        "timeout_seconds": 120.0,
        "run_timeout_seconds": 21600.0,
        "chunk_tokens": 6000,
        "compose_tokens": 20000,
        "max_chunks": 4,
        "highlights": 24,
        "languages": ["en"],
        "timezone": "UTC",
        "out": "runs",
        "prompts": None,
        "allow_partial": False,
        "strict": False,
        "signals": {},
        "file_kinds": [],
        "areas": [],
        "overrides": [],
        "glossary": [],
    }


def test_heavy_libraries_stay_out() -> None:
    heavy = "openai", "github", "tiktoken", "jinja2", "pydantic_settings", "rich", "typer"
    script = f"import sys, prhub_digest.settings; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def _rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in table.strip().split("\n")[2:]]


def test_the_document_lists_every_setting_of_the_signals_with_its_default() -> None:
    text = (Path(__file__).parents[1] / "docs" / "settings.md").read_text(encoding="utf-8")
    section = text[text.index("## Signals") :].split("\n\n")[2]
    written = {row[0].strip("`"): row[1].strip("`") for row in _rows(section)}
    defaults = {name: field.default for name, field in SignalSettings.model_fields.items()}
    expected = {name: "[]" if value == () else str(value) for name, value in defaults.items()}
    assert written == expected | {"platforms": "the shipped ones"}


def test_the_document_lists_every_setting() -> None:
    text = (Path(__file__).parents[1] / "docs" / "settings.md").read_text(encoding="utf-8")
    rows = _rows(text.split("\n\n")[2])
    variables = {key: name for name, key in ENVIRONMENT.items()}
    expected = []
    options = set(inspect.signature(run).parameters) | {"languages", "timezone"}
    for name in Settings.model_fields:
        flag = FLAGS.get(name, "--" + name.replace("_", "-")) if name in options else "none"
        expected.append((name if name != "api_key" else "refused there", variables.get(name, "none"), flag))
    written = [tuple(re.sub(r"[`|]| \(repeatable\)", "", cell).strip() for cell in row[:3]) for row in rows]
    assert written == expected


@pytest.mark.parametrize("key", ["sk-one\nsk-two", "“sk-curly”", "sk-\x00", "sk one"])
def test_a_key_that_no_header_can_hold_is_refused_unseen(key: str) -> None:
    with pytest.raises(SettingsError) as raised:
        load_settings(None, {"model": "m"}, HOME | {"OPENAI_API_KEY": key})
    assert str(raised.value) == (
        "OPENAI_API_KEY: api_key = …: holds a line break, a blank, or a character that is not ASCII, such as a curly"
        " quote; write a key in the environment variable OPENAI_API_KEY"
    )


def test_what_a_file_leaves_around_a_key_is_dropped() -> None:
    settings = load_settings(None, {"model": "m"}, HOME | {"OPENAI_API_KEY": " sk-one\r\n"})
    assert settings.api_key is not None
    assert settings.api_key.get_secret_value() == "sk-one"


@pytest.mark.parametrize("address", ["http://a:0/v1", "https://a:999999/v1", "http://a:abc/v1"])
def test_a_port_that_nobody_can_listen_on_is_refused(address: str) -> None:
    with pytest.raises(SettingsError) as raised:
        load_settings(None, {}, HOME | {"OPENAI_BASE_URL": address})
    assert str(raised.value) == (
        "OPENAI_BASE_URL: base_url = …: its port is no number from 1 to 65535;"
        ' write an address, like "http://localhost:8000/v1"'
    )


@pytest.mark.parametrize("blank", [" ", "\t\n"])
def test_a_blank_name_is_none(blank: str) -> None:
    with pytest.raises(SettingsError, match=r"^PRHUB_MODEL: model = .*: write the name of a model, like"):
        load_settings(None, {}, HOME | {"PRHUB_MODEL": blank})
    with pytest.raises(SettingsError, match=r"^--small-model: small_model = .*: write the name of a model, like"):
        load_settings(None, {"small_model": blank}, HOME | {"PRHUB_MODEL": " toy\n"})
    assert load_settings(None, {}, HOME | {"PRHUB_MODEL": " toy\n"}).model == "toy"


def test_the_home_folder_is_known_where_no_shell_has_seen_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/lin")
    path = tmp_path / "prhub.toml"
    path.write_bytes(b'cache_dir = "~/x"\nprompts = "./~"\n')
    settings = load_settings(path, {"out": "~"}, HOME)
    assert (settings.cache_dir, settings.prompts, settings.out) == (Path("/home/lin/x"), Path("~"), Path("/home/lin"))
    with pytest.raises(SettingsError, match=r"out = '~nobody-here/x': no such home folder; \./~ is a folder of that"):
        load_settings(None, {"out": "~nobody-here/x"}, HOME)


@pytest.mark.parametrize("address", [f"http://{'a' * 64}.b/v1", "http://a\x07/v1"])
def test_an_address_that_nothing_can_have_is_refused(address: str) -> None:
    with pytest.raises(SettingsError, match="OPENAI_BASE_URL: base_url = …: not an http or https address"):
        load_settings(None, {"model": "m"}, HOME | {"OPENAI_BASE_URL": address})
