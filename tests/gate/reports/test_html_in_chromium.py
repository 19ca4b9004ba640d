"""The page in a real browser: it loads, finds, opens and draws, by mouse and keyboard, narrow and dark."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.gate.reports.chromium import Chromium, executable
from tests.gate.reports.test_injection import TEXTS
from wfkit.gate.reports.html import render

SHORTER = ["boil the water", "put the tea in a cup", "pour the water over it", "drink"]
CONTRAST = """(() => {
  const luminance = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).map((v) => v / 255)
      .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const background = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      if (!/, 0\\)$|transparent/.test(colour)) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const found = {};
  const kinds = ".badge, .id, .why, .rules, .soft, button, th, td, figcaption, h1, li";
  for (const element of document.querySelectorAll(kinds)) {
    const pair = [luminance(getComputedStyle(element).color), luminance(background(element))].sort((a, b) => b - a);
    const ratio = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (ratio < 4.5) found[element.className || element.tagName] = ratio;
  }
  return found;
})()"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    program = executable()
    if program is None:
        pytest.skip("no Chromium is installed here")
    browser = Chromium(program, tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory, judged: Any, waived: Any, findings: Any) -> Path:
    """Seven workflows of every status."""
    records = [judged("fine", "pass"), judged("shorter", "pass", candidate=SHORTER), waived("known")]
    records += [judged("refund", "fail", candidate=SHORTER), judged("look", "review"), judged("unknown", "unmeasured")]
    swapped = ["put the tea in a cup", "boil the water", "wait for four minutes", "pour the water over it", "drink up"]
    matched = [(0, 1, 1.0), (1, 0, 1.0), (2, 3, 1.0), (3, 2, 1.0), (4, 4, 0.87)]
    edges = {"golden_edges": [(0, 2), (1, 2), (2, 3), (3, 4)], "candidate_edges": [(0, 3), (1, 3), (3, 4), (2, 4)]}
    records.append(judged("swapped", "fail", candidate=swapped, matched=matched, **edges))
    path = tmp_path_factory.mktemp("page") / "gate.html"
    path.write_text(render(findings(records, result="fail", reasons=["2 workflows failed"]), "0.1.0"))
    return path


@pytest.fixture
def opened(browser: Chromium, page: Path) -> Iterator[Chromium]:
    """The page at 1280 pixels; whatever a test does, nothing goes wrong in the console."""
    browser.show(1280)
    browser.load(page)
    yield browser
    assert browser.problems == []
    assert [address.split("#")[0] for address in browser.requests] == [page.as_uri()]


def texts_of(browser: Chromium, selector: str) -> list[str]:
    found: list[str] = browser.evaluate(f"[...document.querySelectorAll({selector!r})].map((one) => one.textContent)")
    return found


def ids(browser: Chromium) -> list[str]:
    return texts_of(browser, "#list .id")


def states(browser: Chromium, figure: int) -> list[str]:
    """What became of the steps of one side, in the golden's or the candidate's order."""
    found: list[str] = browser.evaluate(
        f"""[...document.querySelectorAll('.graphs figure:nth-child({figure}) svg > g')]
            .filter((one) => one.querySelector('.box')).map((one) => one.getAttribute('class'))"""
    )
    return found


def open_row(browser: Chromium, name: str) -> None:
    browser.evaluate(
        f"""new Promise((done) => {{
          const row = [...document.querySelectorAll('#list > li > details')]
            .find((one) => one.querySelector('.id').textContent === {name!r});
          row.addEventListener('toggle', () => setTimeout(done, 0), {{ once: true }});
          row.open = true;
        }})"""
    )


def test_it_lists_all_workflows_worst_first(opened: Chromium) -> None:
    assert ids(opened) == ["refund", "swapped", "unknown", "look", "known", "fine", "shorter"]
    assert opened.evaluate("document.getElementById('count').textContent") == "7 workflows"
    assert opened.evaluate("document.querySelector('#list .badge').textContent") == "✗ failed"


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("REFUND", ["refund"]),
        ("missing_steps", ["refund", "swapped", "known"]),
        ("four minutes", ["refund", "swapped", "known", "shorter"]),
        ("four  refund", ["refund"]),
        ("nothing like it", []),
    ],
)
def test_search(opened: Chromium, typed: str, found: list[str]) -> None:
    opened.evaluate("document.getElementById('search').focus()")
    opened.type(typed)
    assert ids(opened) == found
    assert opened.evaluate("document.getElementById('count').textContent") == f"{len(found)} of 7 workflows"


def test_statuses_are_switched_by_keyboard(opened: Chromium) -> None:
    opened.evaluate("document.querySelector('[data-status=fail]').focus()")
    opened.press("Enter", "\r")
    assert ids(opened) == ["unknown", "look", "known", "fine", "shorter"]
    assert opened.evaluate("document.querySelector('[data-status=fail]').getAttribute('aria-pressed')") == "false"
    opened.press("Enter", "\r")
    assert len(ids(opened)) == 7


def test_rules_are_chosen(opened: Chromium) -> None:
    assert opened.evaluate("[...document.querySelectorAll('#rule option')].map((one) => one.value)") == [
        "", "missing_steps", "compressed_steps", "description_changes",
    ]  # fmt: skip
    opened.evaluate(
        "(() => { const rule = document.getElementById('rule'); rule.value = 'description_changes';"
        " rule.dispatchEvent(new Event('change')); })()"
    )
    assert ids(opened) == ["look"]


def test_a_failing_workflow_opens_by_keyboard_with_both_graphs(opened: Chromium) -> None:
    opened.evaluate("document.querySelector('#list summary').focus()")
    assert opened.evaluate("document.querySelectorAll('svg .box').length") == 0  # drawn when opened, not before
    opened.press("Enter", "\r")
    opened.evaluate("new Promise((done) => setTimeout(done, 50))")
    assert states(opened, 1) == ["same", "same", "same", "lost", "same"]
    assert states(opened, 2) == ["same"] * 4
    assert opened.evaluate("document.querySelector('.lost .tag').textContent") == "lost"
    assert opened.evaluate("getComputedStyle(document.querySelector('.lost .box')).strokeDasharray") == "6px, 4px"
    assert "golden step 4 «wait for four minutes» has no counterpart" in opened.evaluate(
        "document.querySelector('.body').textContent"
    )
    assert opened.evaluate("location.hash") == "#refund"


def test_moved_and_reworded_steps_and_changed_dependencies_are_marked(opened: Chromium) -> None:
    open_row(opened, "swapped")
    tags = opened.evaluate(
        "[...document.querySelectorAll('.graphs figure:nth-child(2) .tag')].map((one) => one.textContent)"
    )
    assert tags == ["moved", "moved", "reworded 0.87"]
    titles = opened.evaluate("[...document.querySelectorAll('.changed title')].map((one) => one.textContent)")
    assert set(titles) == {"dependency lost", "dependency gained"}


def test_texts_stay_inside_their_boxes(opened: Chromium) -> None:
    open_row(opened, "swapped")
    outside = opened.evaluate(
        """[...document.querySelectorAll('svg g')].filter((one) => one.querySelector('.box')).filter((one) => {
             const box = one.querySelector('.box').getBoundingClientRect();
             return [...one.querySelectorAll('text')].some((text) => {
               const said = text.getBoundingClientRect();
               return said.right > box.right || said.left < box.left || said.bottom > box.bottom;
             });
           }).length"""
    )
    assert outside == 0


def test_a_link_to_a_workflow_opens_it(browser: Chromium, page: Path) -> None:
    browser.load(page, "#look")
    assert browser.evaluate("document.querySelector('details[open] .id').textContent") == "look"
    browser.load(page, "#%E0%A4%A")  # no valid escape
    assert browser.problems == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_it_fits_and_can_be_read(browser: Chromium, page: Path, width: int, dark: bool) -> None:
    browser.show(width, dark=dark)
    browser.load(page)
    for name in ("refund", "swapped"):
        open_row(browser, name)
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    assert browser.evaluate(CONTRAST) == {}
    assert len(browser.picture()) > 10_000


def test_a_screen_reader_has_a_name_for_everything(opened: Chromium) -> None:
    open_row(opened, "refund")
    spoken = {"button", "searchbox", "combobox", "image", "DisclosureTriangle", "table", "link", "figure", "group"}
    nodes = opened.send("Accessibility.getFullAXTree")["nodes"]
    named = [
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in nodes
        if not node["ignored"] and node["role"]["value"] in spoken - {"figure", "group"}
    ]
    assert [role for role, name in named if not name] == []
    roles = [role for role, _ in named]
    assert {"button", "searchbox", "combobox", "image", "table"} <= set(roles)
    assert ("image", "Golden as a graph; its steps are listed as text below") in named
    headings = [node["name"]["value"] for node in nodes if node["role"]["value"] == "heading"]
    assert headings == ["Workflow gate failed", "Scores", "Workflows"]


def test_hostile_texts_are_shown_and_never_run(browser: Chromium, tmp_path: Path, judged: Any, findings: Any) -> None:
    records = [
        judged(f"id {name} {text}", "fail", ["boil", text, "drink"], ["boil", "drink", f"{text} too"])
        for name, text in TEXTS.items()
    ]
    path = tmp_path / "gate.html"
    signatures = {"chain_f1": " ".join(TEXTS.values())}
    path.write_text(render(findings(records, reasons=list(TEXTS.values()), signatures=signatures), "0.1.0"))
    browser.show(390)
    browser.load(path)
    browser.evaluate("document.querySelectorAll('#list details').forEach((one) => { one.open = true; })")
    browser.evaluate("new Promise((done) => setTimeout(done, 200))")
    assert browser.problems == []
    assert browser.requests == [path.as_uri()]
    assert browser.evaluate("document.querySelectorAll('.graphs svg').length") == 2 * len(TEXTS)
    assert browser.evaluate("document.scripts.length") == 2
    assert browser.evaluate("document.querySelectorAll('h1').length") == 1
    assert browser.evaluate("document.documentElement.scrollWidth") <= 390
    assert "</script><script>alert(1)</script>" in browser.evaluate("document.getElementById('list').innerText")


def test_a_cycle_a_wide_layer_and_a_long_chain_are_drawn(
    browser: Chromium, tmp_path: Path, judged: Any, findings: Any
) -> None:
    texts = [f"step {number}" for number in range(12)]
    star = [(0, number) for number in range(1, 11)] + [(number, 11) for number in range(1, 11)] + [(0, 11)]
    ring = [(number, (number + 1) % 12) for number in range(12)]
    record = judged("odd", "fail", texts, texts, golden_edges=star, candidate_edges=ring)
    path = tmp_path / "gate.html"
    path.write_text(render(findings([record]), "0.1.0"))
    browser.show(390)
    browser.load(path)
    open_row(browser, "odd")
    assert browser.problems == []
    assert [len(states(browser, figure)) for figure in (1, 2)] == [12, 12]
    assert browser.evaluate("document.documentElement.scrollWidth") <= 390
    assert browser.evaluate("document.querySelector('.scroll').scrollWidth") > 1000  # its panel scrolls instead


def test_500_failing_workflows_open_at_once(
    browser: Chromium, tmp_path: Path, judged: Callable[..., Any], findings: Any
) -> None:
    golden = [f"step {number}: find form {number} of the case and check each of its fields" for number in range(10)]
    records = [judged(f"flow {number}", "fail", golden, golden[:6]) for number in range(500)]
    path = tmp_path / "gate.html"
    path.write_text(render(findings(records), "0.1.0"))
    assert path.stat().st_size < 5_000_000
    browser.show(1280)
    assert browser.load(path) < 2
    assert len(ids(browser)) == 50
    browser.evaluate("document.getElementById('more').click()")
    assert len(ids(browser)) == 250
    assert browser.evaluate("document.getElementById('more').textContent") == "Show more (250 left)"


def test_without_workflows_it_says_so(browser: Chromium, tmp_path: Path, findings: Any) -> None:
    path = tmp_path / "gate.html"
    path.write_text(render(findings([]), "0.1.0"))
    browser.load(path)
    assert browser.problems == []
    assert "no workflow was judged" in browser.evaluate("document.body.innerText")
    assert browser.evaluate("document.getElementById('controls').hidden") is True
