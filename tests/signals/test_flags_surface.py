from typing import Any

import pytest
from signal_builders import change, edit, pull

from prhub_digest.models.pull_request import FileChange
from prhub_digest.models.signal_settings import SignalSettings
from prhub_digest.models.signals import Flag
from prhub_digest.signals.flags_surface import configuration, default_changed, public_api
from prhub_digest.signals.subject import Subject


def subject(*files: FileChange, **settings: Any) -> Subject:
    return Subject.read(pull(1, files=files), SignalSettings(**settings))


PUBLIC = {
    "a function of Python is removed": ((edit("shop/cart.py", "-def total(items):"),), True),
    "its parameters change": ((edit("shop/cart.py", "-def total(items):", "+def total(items, tax):"),), True),
    "one of many lines of parameters": (
        (edit("shop/cart.py", " def total(", "     items,", "+    tax: float,", " ) -> float:", "     pass"),),
        True,
    ),
    "parameters of what git names": (
        (edit("shop/cart.py", "     items,", "+    tax: float,", " ) -> float:", "     pass", section="def total("),),
        True,
    ),
    "arguments of a call in the body of what git names": (
        (edit("shop/cart.py", "         items,", "+        tax,", "     )", "     return x", section="def total("),),
        False,
    ),
    "parameters of a private function after what git names": (
        (edit("src/a.rs", " /// x", " pub(crate) fn b(", "-    a: u8,", "+    a: u16,", " ) {", section="pub fn c("),),
        False,
    ),
    "a method": ((edit("shop/cart.py", " class Cart:", "-    def total(self):"),), True),
    "a method of a private class": ((edit("shop/cart.py", " class _Cart:", "-    def total(self):"),), False),
    "a function in a function": ((edit("shop/cart.py", " def run():", "-    def total():"),), False),
    "a private function": ((edit("shop/cart.py", "-def _total(items):"),), False),
    "a function in a private module": ((edit("shop/_cart.py", "-def total(items):"),), False),
    "a new function that nobody hands out": ((edit("shop/cart.py", "+def total(items):"),), False),
    "a new function of an interface": ((edit("shop/api/cart.py", "+def total(items):"),), True),
    "a new name of a package": ((edit("shop/__init__.py", "+from .cart import total"),), True),
    "one of many names": (
        (edit("shop/__init__.py", " from .cart import (", "     add,", "+    total,", " )"),),
        True,
    ),
    "a private name of a package": ((edit("shop/__init__.py", "+from .cart import _total"),), False),
    "an import from elsewhere": ((edit("shop/__init__.py", "+from decimal import Decimal"),), False),
    "a name of __all__": ((edit("shop/cart.py", " __all__ = [", '     "add",', '+    "total",', " ]"),), True),
    "a string in another list": ((edit("shop/cart.py", " NAMES = [", '     "add",', '+    "total",', " ]"),), False),
    "only formatted": (
        (edit("shop/cart.py", "-def total(items, tax):", "+def total(", "+    items,", "+    tax,", "+):"),),
        False,
    ),
    "only other quotation marks": (
        (edit("shop/cart.py", "-def total(unit='eur'):", '+def total(unit="eur"):'),),
        False,
    ),
    "only the body": ((edit("shop/cart.py", " def total(items):", "-    return 1", "+    return 2"),), False),
    "moved to another file": (
        (edit("shop/cart.py", "-def total(items):"), edit("shop/sums.py", "+def total(items):")),
        False,
    ),
    "a test": ((edit("tests/cart.py", "-def total(items):"),), False),
    "an example": ((edit("examples/cart.py", "-def total(items):"),), False),
    "renamed without an edit": (
        (change("shop/b.py", 0, 0, status="renamed", previous_path="shop/a.py"),),
        False,
    ),
    "pub fn": ((edit("src/cart.rs", "+pub fn total(items: &[Item]) -> u64 {"),), True),
    "pub(crate) fn": ((edit("src/cart.rs", "+pub(crate) fn total(items: &[Item]) -> u64 {"),), False),
    "a Rust comment": ((edit("src/cart.rs", "+/// pub fn total()"),), False),
    "a new field of a pub struct": ((edit("src/cart.rs", " pub struct Cart {", "+    total: u64,"),), False),
    "TypeScript at the door": ((edit("src/index.ts", '+export { total } from "./cart";'),), True),
    "TypeScript inside": ((edit("src/cart/sum.ts", "+export function total() {}"),), False),
    "types that are handed out": ((edit("types/cart.d.ts", "+export interface Total {}"),), True),
    "Go, in capitals": ((edit("cart/sum.go", "+func Total(items []Item) int {"),), True),
    "Go, in small letters": ((edit("cart/sum.go", "+func total(items []Item) int {"),), False),
    "Go, internal": ((edit("internal/cart/sum.go", "+func Total(items []Item) int {"),), False),
    "Java, public": ((edit("src/Cart.java", "+    public int total(List<Item> items) {"),), True),
    "Java, private": ((edit("src/Cart.java", "+    private int total(List<Item> items) {"),), False),
    "a header that is installed": ((edit("include/cart.h", "+int total(const Item* items);"),), True),
    "a header beside the source": ((edit("src/cart.h", "+int total(const Item* items);"),), False),
    "a header's guard": ((edit("include/cart.h", "+#define CART_H"),), False),
    "an option": ((edit("shop/cli.py", '+    parser.add_argument("--tax", type=float)'),), True),
    "an option's help": (
        (
            edit(
                "shop/cli.py",
                '-    parser.add_argument("--tax", help="a")',
                '+    parser.add_argument("--tax", help="b")',
            ),
        ),
        False,
    ),
    "an option in a call": ((edit("shop/run.py", '+    run(["tool", "--tax"])'),), False),
    "an option that is a field": (
        (edit("src/cli.rs", " pub(crate) struct Cart {", "     #[arg(long)]", "+    tax: u64,"),),
        True,
    ),
    "a field that is an argument": (
        (edit("src/cli.rs", " pub(crate) struct Cart {", "     #[arg(short)]", "+    tax: u64,"),),
        False,
    ),
    "a route": ((edit("shop/web.py", '+@app.post("/carts")'),), True),
    "a call of a route": ((edit("shop/client.py", '+    session.get("/carts")'),), False),
}  # fmt: skip


@pytest.mark.parametrize(("files", "raised"), PUBLIC.values(), ids=PUBLIC.keys())
def test_public_api(files: tuple[FileChange, ...], raised: bool) -> None:
    assert public_api(subject(*files)).raised is raised


def test_public_api_names_the_lines() -> None:
    files = (
        edit("shop/cart.py", " x = 1", "-def total(items):", "+def total(items, tax):"),
        edit("shop/sums.py", "-def add(a, b):"),
    )
    assert public_api(subject(*files)) == Flag(
        name="public_api",
        raised=True,
        evidence=("shop/sums.py:1 removed: def add(a, b):; shop/cart.py:2 signature changed: def total(items, tax):"),
    )


def test_public_paths_of_the_settings() -> None:
    new = edit("shop/cart.py", "+def total(items):")
    assert public_api(subject(new, public_paths=("shop/**",))).raised is True
    gone = edit("shop/cart.py", "-def total(items):")
    assert public_api(subject(gone, public_paths=("other/**",))).raised is False


CONFIGURATION = {
    "a variable of the environment": ((edit("shop/run.py", '+    os.environ.get("SHOP_TAX")'),), True),
    "JavaScript's": ((edit("src/run.ts", "+  const tax = process.env.SHOP_TAX;"),), True),
    "Rust's": ((edit("src/run.rs", '+    std::env::var("SHOP_TAX")'),), True),
    "Go's": ((edit("cmd/run.go", '+\ttax := os.Getenv("SHOP_TAX")'),), True),
    "Docker's": ((edit("Dockerfile", "+ENV SHOP_TAX=1"),), True),
    "renamed": (
        (edit("shop/run.py", '-    os.getenv("TAX")', '+    os.getenv("SHOP_TAX")'),),
        True,
    ),
    "read otherwise": (
        (edit("shop/run.py", '-    os.environ["SHOP_TAX"]', '+    os.getenv("SHOP_TAX")'),),
        False,
    ),
    "moved": (
        (edit("shop/run.py", '-    os.getenv("TAX")'), edit("shop/tax.py", '+    os.getenv("TAX")')),
        False,
    ),
    "in a test": ((edit("tests/test_run.py", '+    os.environ["SHOP_TAX"] = "1"'),), False),
    "in a comment": ((edit("shop/run.py", '+    # os.environ["SHOP_TAX"]'),), False),
    "in a page": ((edit("docs/run.md", '+`os.environ["SHOP_TAX"]`'),), False),
    "by a name that is no word": ((edit("shop/run.py", "+    os.environ[name]"),), False),
    "an option": ((edit("shop/cli.py", '+    parser.add_argument("--tax")'),), True),
    "an option on the next line": (
        (edit("shop/cli.py", "+    parser.add_argument(", '+        "--tax",', "+    )"),),
        True,
    ),
    "an option of clap": ((edit("src/cli.rs", '+    #[arg(long = "tax")]'),), True),
    "an option that has its field's name": (
        (edit("src/cli.rs", "+    #[arg(long, hide = true)]", "+    pub(crate) tax_rate: u32,"),),
        True,
    ),
    "an attribute of many lines": (
        (edit("src/cli.rs", "     #[arg(", "         short,", "         long,", "     )]", "+    tax: u32,"),),
        True,
    ),
    "a positional argument": ((edit("src/cli.rs", '+    #[arg(value_name = "TAX")]', "+    tax: u32,"),), False),
    "a field after an option": ((edit("src/cli.rs", "     #[arg(long)]", "     tax: u32,", "+    sum: u32,"),), False),
    "an option of cobra": ((edit("cmd/run.go", '+\tcmd.Flags().IntVar(&tax, "tax", 3, "")'),), True),
    "an option of a script": ((edit("scripts/build.py", '+    parser.add_argument("--tax")'),), False),
    "a key of a settings file": ((edit("config/default.yaml", "+tax: 3"),), True),
    "another value of a key": ((edit("config/default.yaml", "-tax: 3", "+tax: 4"),), False),
    "a key of a tool": ((edit(".eslintrc.json", '+  "tax": 3,'),), False),
    "a key of a workflow": ((edit(".github/workflows/ci.yml", "+  tax: 3"),), False),
    "a key of other data": ((edit("models/zoo.yaml", "+tax: 3"),), False),
    "a field of a class of settings": ((edit("shop/config.py", " class Shop:", "+    tax: float = 3"),), True),
    "a field of another class": ((edit("shop/cart.py", " class Cart:", "+    tax: float = 3"),), False),
    "a field of a kernel's configuration": (
        (edit("shop/kernels/config.py", " class Tile:", "+    width: int = 3"),),
        False,
    ),
    "a field of a struct of settings": ((edit("src/config.rs", "+    pub tax: u32,"),), True),
    "a field that a client sets": (
        (edit("src/session/options.rs", '+    #[serde(default, rename = "taxRate")]', "+    pub(crate) tax: u32,"),),
        True,
    ),
    "a field that only the crate can name": ((edit("src/config.rs", "+    pub(crate) tax: u32,"),), False),
    "a field that a client sets, elsewhere": (
        (edit("src/cart.rs", "+    #[serde(default)]", "+    pub(crate) tax: u32,"),),
        False,
    ),
    "a variable in a function": ((edit("shop/config.py", " def run():", "+    tax: float = 3"),), False),
    "another default of a field": (
        (edit("shop/config.py", " class Shop:", "-    tax: float = 3", "+    tax: float = 4"),),
        False,
    ),
}


@pytest.mark.parametrize(("files", "raised"), CONFIGURATION.values(), ids=CONFIGURATION.keys())
def test_configuration(files: tuple[FileChange, ...], raised: bool) -> None:
    assert configuration(subject(*files)).raised is raised


def test_configuration_names_the_lines() -> None:
    file = edit("shop/run.py", '-    os.getenv("TAX")', " x = 1", '+    os.getenv("SHOP_TAX")')
    assert configuration(subject(file)).evidence == (
        'shop/run.py:2 added: os.getenv("SHOP_TAX"); shop/run.py:1 removed: os.getenv("TAX")'
    )


def test_configuration_paths_of_the_settings() -> None:
    file = edit("models/zoo.yaml", "+tax: 3")
    assert configuration(subject(file, configuration_paths=("models/*.yaml",))).raised is True


DEFAULTS = {
    "an annotated field": (
        edit("shop/cart.py", " class Cart:", "-    tax: int = 3", "+    tax: int = 4"),
        "shop/cart.py:2 tax was 3: tax: int = 4",
    ),
    "a parameter": (
        edit("shop/cart.py", "-def total(items, tax=3):", "+def total(items, tax=4):"),
        "shop/cart.py:1 total(tax) was 3: def total(items, tax=4):",
    ),
    "a parameter on its own line": (
        edit("shop/cart.py", " def _total(", "-    tax: int = 3,", "+    tax: int = 4,", " ):"),
        "shop/cart.py:2 tax was 3: tax: int = 4,",
    ),
    "an option": (
        edit(
            "shop/cli.py",
            '-    parser.add_argument("--tax", default=3)',
            '+    parser.add_argument("--tax", default=4)',
        ),
        'shop/cli.py:1 --tax was 3: parser.add_argument("--tax", default=4)',
    ),
    "an option of many lines": (
        edit("shop/cli.py", " parser.add_argument(", '     "--tax",', "-    default=3,", "+    default=4,", " )"),
        "shop/cli.py:3 --tax was 3: default=4,",
    ),
    "a field with a call": (
        edit("shop/cart.py", " class Cart:", "-    tax: int = Field(default=3)", "+    tax: int = Field(default=4)"),
        "shop/cart.py:2 tax was 3: tax: int = Field(default=4)",
    ),
    "a constant": (
        edit("shop/cart.py", "-MAX_ITEMS = 3", "+MAX_ITEMS = 4"),
        "shop/cart.py:1 MAX_ITEMS was 3: MAX_ITEMS = 4",
    ),
    "Rust": (
        edit("src/cart.rs", "-const DEFAULT_TAX: u32 = 3;", "+const DEFAULT_TAX: u32 = 4;"),
        "src/cart.rs:1 DEFAULT_TAX was 3: const DEFAULT_TAX: u32 = 4;",
    ),
    "impl Default": (
        edit("src/cart.rs", "     fn default() -> Self {", "-        tax: 3,", "+        tax: 4,"),
        "src/cart.rs:2 tax was 3: tax: 4,",
    ),
    "clap": (
        edit("src/cli.rs", "-    #[arg(long, default_value_t = 3)]", "+    #[arg(long, default_value_t = 4)]"),
        "src/cli.rs:1 default was 3: #[arg(long, default_value_t = 4)]",
    ),
    "C++": (
        edit("src/cart.cc", "-constexpr int kMaxItems = 3;", "+constexpr int kMaxItems = 4;"),
        "src/cart.cc:1 kMaxItems was 3: constexpr int kMaxItems = 4;",
    ),
    "a settings file": (
        edit("config/default.toml", "-tax = 3", "+tax = 4"),
        "config/default.toml:1 tax was 3: tax = 4",
    ),
    "JSON": (
        edit("config/default.json", '-  "tax": 3,', '+  "tax": 4,'),
        'config/default.json:1 tax was 3: "tax": 4,',
    ),
    "only formatted": (edit("shop/cart.py", "-MAX_NAME = 'a'", '+MAX_NAME = "a"'), None),
    "only a comment behind": (edit("shop/cart.py", "-MAX_ITEMS = 3", "+MAX_ITEMS = 3  # enough"), None),
    "only the type": (
        edit("shop/cart.py", " class Cart:", "-    tax: int = 3", "+    tax: float = 3"),
        None,
    ),
    "a version": (edit("shop/cart.py", '-DEFAULT_VERSION = "3"', '+DEFAULT_VERSION = "4"'), None),
    "an argument of a call": (edit("shop/cart.py", " total(", "-    tax=3,", "+    tax=4,", " )"), None),
    "a variable in a function": (edit("shop/cart.py", " def run():", "-    tax = 3", "+    tax = 4"), None),
    "an annotated variable in a function": (
        edit("shop/cart.py", " def run():", "-    tax: int = 3", "+    tax: int = 4"),
        None,
    ),
    "a local variable called default": (
        edit("src/cart.rs", "-        let default = cart.tax(1);", "+        let default = cart.tax(2);"),
        None,
    ),
    "an equation in a docstring": (
        edit("shop/cart.py", " class Cart:", "-    Computes: total = items * 3,", "+    Computes: total = items * 4,"),
        None,
    ),
    "a new field": (edit("shop/cart.py", " class Cart:", "+    tax: int = 4"), None),
    "a comment": (edit("shop/cart.py", "-# MAX_ITEMS = 3", "+# MAX_ITEMS = 4"), None),
    "a test": (edit("tests/test_cart.py", "-MAX_ITEMS = 3", "+MAX_ITEMS = 4"), None),
    "a generated file": (edit("api/cart_pb2.py", "-MAX_ITEMS = 3", "+MAX_ITEMS = 4"), None),
    "a workflow": (edit(".github/workflows/ci.yml", "-  tax: 3", "+  tax: 4"), None),
    "moved": (edit("shop/cart.py", "-MAX_ITEMS = 3", " x = 1", "+MAX_ITEMS = 3"), None),
    "two of one name": (
        edit("shop/cart.py", " class A:", "-    tax: int = 3", "-    tax: int = 5", "+    tax: int = 4"),
        None,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("file", "evidence"), DEFAULTS.values(), ids=DEFAULTS.keys())
def test_default_changed(file: FileChange, evidence: str | None) -> None:
    flag = default_changed(subject(file))
    assert (flag.raised, flag.evidence) == (
        (False, "no default value changed") if evidence is None else (True, evidence)
    )


def test_default_changed_names_the_lines_in_their_order() -> None:
    names = ("TAX", "SUM", "AGE", "LOT")
    lines = (*(f"-MAX_{name} = 3" for name in names), *(f"+MAX_{name} = 4" for name in names))
    assert default_changed(subject(edit("shop/cart.py", *lines))).evidence == (
        "shop/cart.py:1 MAX_TAX was 3: MAX_TAX = 4; shop/cart.py:2 MAX_SUM was 3: MAX_SUM = 4;"
        " shop/cart.py:3 MAX_AGE was 3: MAX_AGE = 4 and 1 more"
    )


UNREAD = {
    "no patch": (change("shop/cart.py", patch=None, patch_state="not_given"), None),
    "a cut patch": (change("shop/cart.py", patch="@@ -1 +1 @@\n+x", patch_state="truncated"), None),
    "a binary file": (change("shop/logo.png", 0, 0, patch_state="binary"), False),
    "a page": (change("docs/cart.md", patch=None, patch_state="not_given"), False),
}


@pytest.mark.parametrize(("file", "raised"), UNREAD.values(), ids=UNREAD.keys())
def test_lines_that_are_not_known(file: FileChange, raised: bool | None) -> None:
    given = subject(file)
    assert [flag(given).raised for flag in (public_api, configuration, default_changed)] == [raised] * 3
