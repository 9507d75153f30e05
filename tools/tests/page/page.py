#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the HTML page of the timeline in headless Chromium: page.py VSM FOLDER. Prints TAP.

FOLDER gets the pages and pictures that `VSM trace export` writes, and the screenshots. Chromium is
in Debian's package chromium.
"""

import json
import os
import sys
import traceback

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from browser import Browser  # noqa: E402
from examples import export  # noqa: E402

WAIT, PHASE, ISSUE, COPY, FAULT = 1, 3, 4, 5, 8
SHIFT = 8
TESTS = []


def test(function):
    TESTS.append(function)
    return function


class Page:
    """An example in the browser."""

    def __init__(self, browser, folder):
        self.browser = browser
        self.folder = folder

    def open(self, kind, **options):
        self.browser.open(os.path.join(self.folder, f"{kind}.html"), **options)
        self.browser.settle()

    def state(self, name):
        return self.browser.run(f"vsmTimeline.{name}")

    def find(self, kind, condition="true"):
        """Returns the slices of a kind for which a JavaScript expression of i is true."""
        return self.browser.run(
            f"Array.from({{length: vsmTimeline.slices}}, (_, i) => i).filter("
            f"i => vsmTimeline.kind(i) == {kind} && {condition})")

    def middle(self, i):
        """Returns the place of a slice in the window."""
        return self.browser.run(
            f"(() => {{ const box = vsmTimeline.box({i}), at = document.getElementById('canvas')"
            f".getBoundingClientRect(); return [at.left + (box.x + box.right) / 2,"
            f" at.top + box.y + box.height / 2]; }})()")

    def canvas(self):
        return self.browser.run(
            "(() => { const at = document.getElementById('canvas').getBoundingClientRect();"
            " return [at.left, at.top, at.width, at.height]; })()")

    def chart(self, across, down):
        """Returns a place in the chart: parts of its width and height."""
        left, top, width, height = self.canvas()
        return left + 200 + (width - 220) * across, top + 60 + (height - 60) * down

    def background(self):
        """Returns a place left of the name of the first track, where only the background is."""
        left, top, _, _ = self.canvas()
        return left + 4, top + 54 + 22 + 10

    def text(self, selector):
        return self.browser.run(f"document.querySelector({json.dumps(selector)}).innerText")

    def count(self, selector):
        return self.browser.run(f"document.querySelectorAll({json.dumps(selector)}).length")

    def shot(self, name):
        return self.browser.screenshot(os.path.join(self.folder, f"{name}.png"))

    def no_messages(self):
        assert self.browser.messages == [], self.browser.messages


def luminance(colour):
    parts = [value / 255 for value in colour]
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
             for part in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@test
def the_page_loads_without_network_and_errors(page):
    page.open("pipeline")
    page.no_messages()
    assert len(page.browser.requests) == 1, page.browser.requests
    assert page.state("drawn") > 20
    assert "vsm launch --seed 3 pipeline.launch" in page.text("#title")
    page.browser.run("fetch('http://localhost:1/').catch(() => 0)")
    assert any("Content Security Policy" in text for text in page.browser.messages), \
        page.browser.messages


@test
def light_and_dark_differ_and_are_drawn(page):
    backs = []
    for scheme in ("light", "dark"):
        page.open("pipeline", scheme=scheme)
        picture = page.shot(f"pipeline-{scheme}")
        assert picture.colours() > 50, picture.colours()
        x, y = page.middle(page.find(WAIT)[0])
        bar = picture.pixel(x, y + 6)
        backs.append(picture.pixel(*page.background()))
        assert bar[0] > 200 and bar[2] < 90, bar
    assert luminance(backs[0]) > 0.9 and luminance(backs[1]) < 0.02, backs
    page.no_messages()


@test
def the_button_switches_the_theme(page):
    page.open("pipeline", scheme="light")
    assert page.text("#theme") == "Dark"
    page.browser.run("document.getElementById('theme').click()")
    page.browser.settle()
    assert page.text("#theme") == "Light"
    assert luminance(page.shot("switched").pixel(*page.background())) < 0.02


@test
def texts_and_ticks_have_contrast(page):
    script = ("(() => { const probe = document.body.appendChild(document.createElement('i'));"
              " return Object.fromEntries(%s.map(name => {"
              " probe.style.color = `var(--${name})`;"
              " return [name, getComputedStyle(probe).color.match(/\\d+/g).map(Number)]; })); })()")
    bars = ["wait", "phase", "copy", "job", "queue"]
    ticks = ["insn", "arrive", "issue", "fault", "lost", "bad", "pending", "tx", "accent"]
    texts = ["text", "muted", "bad-text"]
    names = bars + ticks + texts + ["back", "panel", "band", "bad-back", "on-bar"]
    for scheme in ("light", "dark"):
        page.open("pipeline", scheme=scheme)
        colours = page.browser.run(script % json.dumps(names))
        for name in bars:
            assert contrast(colours["on-bar"], colours[name]) >= 4.5, (scheme, name)
        for name in ticks:
            assert contrast(colours["back"], colours[name]) >= 3, (scheme, name)
        for name in texts:
            for back in ("back", "panel", "band", "bad-back"):
                assert contrast(colours[back], colours[name]) >= 4.5, (scheme, name, back)


@test
def the_report_names_what_is_wrong(page):
    page.open("pipeline")
    title = page.text("#report-title")
    for part in ("1 wait never ended", "1 fault", "12 events lost"):
        assert part in title and "error" not in title, title
    assert "4096 bytes are missing" in page.text("#note")
    assert page.count("#problems button") >= 2
    summary = page.browser.run("document.getElementById('summary').textContent")
    assert "1 wait never ended" in summary, summary


@test
def a_button_of_the_report_goes_to_the_wait(page):
    page.open("pipeline")
    page.browser.run("document.querySelector('#problems button').click()")
    page.browser.settle()
    selected = page.state("selected")
    assert selected in page.state("problems")
    assert page.browser.run(f"vsmTimeline.kind({selected})") == WAIT
    assert "Never ended" in page.text("#details")
    assert "4,096 bytes still missing" in page.text("#details")
    missing = [arrow for arrow in page.state("arrows") if arrow["missing"]]
    assert len(missing) == 1 and missing[0]["to"] == selected, page.state("arrows")
    page.shot("hang")


@test
def the_wheel_zooms_at_the_pointer(page):
    page.open("pipeline")
    x, y = page.chart(0.25, 0.5)
    before = page.state("from"), page.state("to")
    page.browser.wheel(x, y, -200)
    after = page.state("from"), page.state("to")
    assert after[1] - after[0] < (before[1] - before[0]) * 0.8, (before, after)
    left, _, width, _ = page.canvas()
    gutter = page.browser.run("vsmTimeline.gutter")
    part = (x - left - gutter) / (width - 14 - gutter)
    times = [begin + (end - begin) * part for begin, end in (before, after)]
    assert abs(times[0] - times[1]) < (before[1] - before[0]) * 0.001, times
    page.browser.wheel(x, y, 400)
    assert page.state("to") - page.state("from") > after[1] - after[0]


@test
def keys_zoom_pan_and_fit(page):
    page.open("pipeline")
    page.browser.run("document.getElementById('canvas').focus()")
    span = page.state("to") - page.state("from")
    page.browser.key("w")
    page.browser.key("+")
    near = page.state("to") - page.state("from")
    assert near < span * 0.6
    start = page.state("from")
    page.browser.key("d")
    assert page.state("from") > start
    page.browser.key("a")
    assert abs(page.state("from") - start) < span * 0.001
    page.browser.key("ArrowRight")
    assert page.state("from") > start
    page.browser.key("s")
    page.browser.key("-")
    assert page.state("to") - page.state("from") > near * 1.8
    page.browser.key("w")
    page.browser.key("f")
    assert abs(page.state("to") - page.state("from") - span) < span * 0.001


@test
def dragging_pans(page):
    page.open("pipeline")
    page.browser.key("w")
    page.browser.key("w")
    before = page.state("from")
    x, y = page.chart(0.6, 0.5)
    page.browser.drag(x, y, x - 150, y)
    assert page.state("from") > before
    assert page.state("selected") == -1


@test
def shift_and_wheel_scroll(page):
    page.open("pipeline", height=500)
    assert page.state("top") == 0
    page.browser.wheel(*page.chart(0.5, 0.5), 120, SHIFT)
    assert page.state("top") > 0


@test
def a_click_on_a_wait_shows_what_ended_it(page):
    page.open("pipeline")
    waits = page.find(WAIT, "!vsmTimeline.problems.includes(i)"
                      " && vsmTimeline.name(i).includes('full')")
    page.browser.click(*page.middle(waits[0]))
    assert page.state("selected") == waits[0]
    arrows = page.state("arrows")
    kinds = {(page.browser.run(f"vsmTimeline.kind({arrow['from']})"),
              page.browser.run(f"vsmTimeline.kind({arrow['to']})")) for arrow in arrows}
    assert {(PHASE, WAIT), (COPY, PHASE), (ISSUE, COPY)} <= kinds, kinds
    panel = page.text("#details")
    for word in ("Ended by", "completed by", "issued by", "pipeline.cu:37"):
        assert word in panel, (word, panel)
    page.shot("wait-light")
    page.browser.set_scheme("dark")
    page.browser.settle()
    page.shot("wait-dark")
    page.browser.run("document.querySelector('#details .chain button').click()")
    page.browser.settle()
    assert page.browser.run(f"vsmTimeline.kind({page.state('selected')})") == PHASE
    page.browser.key("Escape")
    assert page.state("selected") == -1 and page.state("arrows") == []
    page.no_messages()


@test
def the_arrow_is_drawn(page):
    page.open("pipeline")
    wait = page.find(WAIT, "!vsmTimeline.problems.includes(i)"
                     " && vsmTimeline.name(i).includes('full')")[0]
    page.browser.click(*page.middle(wait))
    picture = page.shot("arrow")
    left, top, width, height = page.canvas()
    gutter = page.browser.run("vsmTimeline.gutter")

    def blue(x, y):
        red, green, blue = picture.pixel(x, y)
        return abs(red - 0x0b) + abs(green - 0x5c) + abs(blue - 0xad) < 30

    # Below the frame of the wait, and above the frame of its phase, only arrows have this colour.
    box = page.browser.run(f"vsmTimeline.box({wait})")
    y = int(top + box["y"] + box["height"] + 8)
    found = [x for x in range(int(left + gutter), int(left + width - 14)) if blue(x, y)]
    assert found, "no pixel of an arrow"


@test
def the_tooltip_tells_the_details(page):
    page.open("pipeline")
    wait = page.find(WAIT)[0]
    page.browser.move(*page.middle(wait))
    assert page.state("hovered") == wait
    tip = page.text("#tip")
    for word in ("try_wait", "pipeline.cu", "CTA 0"):
        assert word in tip, tip
    page.shot("tooltip")
    page.browser.move(*page.chart(0.999, 0.999))
    assert page.state("hovered") == -1


@test
def keys_reach_every_slice(page):
    page.open("pipeline")
    for _ in range(30):
        page.browser.key("Tab")
        if page.browser.run("document.activeElement.id") == "canvas":
            break
    assert page.browser.run("document.activeElement.id") == "canvas"
    page.browser.key("Enter")
    first = page.state("selected")
    assert first in page.state("problems")
    page.browser.key("Home")
    walked = [page.state("selected")]
    track = page.browser.run(f"vsmTimeline.track({walked[0]})")
    while True:
        page.browser.key("ArrowRight")
        if page.state("selected") == walked[-1]:
            break
        walked.append(page.state("selected"))
    expected = page.browser.run(
        f"Array.from({{length: vsmTimeline.slices}}, (_, i) => i)"
        f".filter(i => vsmTimeline.track(i) == {json.dumps(track)})")
    assert walked == expected, (walked, expected)
    page.browser.key("ArrowDown")
    assert page.browser.run(f"vsmTimeline.track({page.state('selected')})") != track
    assert page.text("#status"), "nothing is said to screen readers"


@test
def n_goes_through_the_problems(page):
    page.open("pipeline")
    problems = page.state("problems")
    seen = []
    for _ in problems:
        page.browser.key("n")
        seen.append(page.state("selected"))
    assert seen == problems


@test
def a_fault_says_whether_the_instruction_was_refused(page):
    page.open("reported")
    for kind, words in (("ARRIVAL_OVERFLOW", "The device refused this instruction"),
                        ("PHASE_UNOBSERVED", "a rule that the cluster only reports")):
        fault = page.find(FAULT, f"vsmTimeline.name(i).includes('{kind}')")[0]
        page.browser.key("n")
        assert page.state("selected") == fault
        assert words in page.text("#details .verdict"), page.text("#details")


@test
def the_filter_chooses_tracks(page):
    page.open("pipeline")
    everything = page.state("tracks")
    page.browser.key("t")
    page.browser.type("cta 1 warp 0")
    assert len(page.state("tracks")) == 1, page.state("tracks")
    page.shot("filter")
    page.browser.run("document.getElementById('filter-clear').click()")
    page.browser.settle()
    assert page.state("tracks") == everything
    page.browser.run("document.querySelector('#track-list .group input').click()")
    page.browser.settle()
    assert not any("CTA 0, warp" in name for name in page.state("tracks"))
    assert any("CTA 1, warp" in name for name in page.state("tracks"))
    page.browser.run("document.getElementById('filter-clear').click()")
    page.browser.run("for (const box of document.querySelectorAll('#track-list .track input'))"
                     " if (box.checked) box.click()")
    page.browser.settle()
    assert page.state("tracks") == [] and "hides all" in page.text("#nothing")


@test
def the_filter_chooses_an_object(page):
    page.open("pipeline")
    page.browser.key("t")
    page.browser.type("full[1]")
    names = page.state("tracks")
    assert names and all("full[1]" in name for name in names), names


@test
def the_filter_chooses_source_lines(page):
    page.open("pipeline")
    page.browser.run("document.getElementById('filter-button').click();"
                     "document.getElementById('site-text').focus()")
    page.browser.type("pipeline.cu:37")
    waits = page.find(WAIT, "vsmTimeline.name(i).includes('full')")
    other = page.find(WAIT, "vsmTimeline.name(i).includes('empty')")
    pale = page.state("pale")
    assert waits and not any(pale[i] for i in waits)
    assert other and all(pale[i] for i in other)


@test
def the_search_finds_slices(page):
    page.open("pipeline")
    page.browser.run("document.getElementById('site-text').value = 'pipeline.cu:41';"
                     "document.getElementById('site-text').dispatchEvent(new Event('input'))")
    expected = page.state("pale").count(False)
    page.browser.key("/")
    page.browser.type("nowhere")
    assert page.text("#matches") == "none"
    page.browser.run("document.getElementById('search').select()")
    page.browser.type("pipeline.cu:41")
    count = page.state("matches")
    # The details of phases name the places of the arrivals that completed them, too.
    assert 4 < expected <= count < page.state("slices") / 2, (count, expected)
    page.browser.key("Enter")
    assert f"1 of {count}" in page.text("#matches")
    first = page.state("selected")
    page.browser.key("Enter")
    assert page.state("selected") > first
    page.browser.key("Escape")
    assert page.state("matches") == 0


@test
def a_header_folds_its_group(page):
    page.open("pipeline")
    left, top, _, _ = page.canvas()
    before = len(page.state("tracks"))
    page.browser.click(left + 40, top + 54 + 10)
    assert len(page.state("tracks")) < before
    page.browser.click(left + 40, top + 54 + 10)
    assert len(page.state("tracks")) == before


@test
def the_help_lists_the_keys(page):
    page.open("pipeline")
    page.browser.key("?")
    assert page.browser.run("document.getElementById('help').open")
    assert "Wheel" in page.text("#help-body")
    page.shot("help")
    page.browser.key("Escape")
    assert not page.browser.run("document.getElementById('help').open")


@test
def the_canvas_has_a_role_and_a_name(page):
    page.open("pipeline")
    nodes = page.browser.call("Accessibility.getFullAXTree")["nodes"]
    roles = {(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes
             if not node.get("ignored")}
    assert ("application", "Timeline") in roles
    assert ("toolbar", "Timeline") in roles
    assert ("searchbox", "Search slices") in roles
    for role, name in roles:
        assert role != "button" or name, "a button has no name"


@test
def a_hostile_text_stays_a_text(page):
    page.open("hostile")
    page.no_messages()
    assert "broken" not in page.browser.run("document.title").replace("document.title='broken'", "")
    assert "</script>" in page.text("#title")
    assert page.count("script") == 2 and page.count("img") == 0
    page.browser.key("n")
    assert page.count("img") == 0
    page.browser.move(*page.middle(page.state("problems")[0]))
    assert page.count("img") == 0 and "<img" in page.text("#tip")
    page.browser.key("t")
    assert page.count("img") == 0
    page.no_messages()


@test
def an_empty_trace_says_so(page):
    page.open("empty")
    page.no_messages()
    assert "no events" in page.text("#nothing")
    for key in ("Enter", "ArrowLeft", "w", "z", "n", "f", "End"):
        page.browser.key(key)
    page.no_messages()
    page.shot("empty")


@test
def the_longest_time_can_be_shown(page):
    page.open("long")
    for key in ("w", "w", "a", "d", "f", "s", "Enter", "z"):
        page.browser.key(key)
    page.no_messages()
    assert page.state("selected") >= 0
    assert "18446744074 s" in page.browser.run("document.getElementById('facts').textContent")


@test
def a_big_trace_is_drawn(page):
    page.open("big")
    page.no_messages()
    assert page.state("slices") > 50000
    assert page.count("#title") == 1
    assert "400 warps" in page.text("#facts"), page.text("#facts")
    drawn = page.state("drawn")
    assert 100 < drawn < 20000, drawn
    picture = page.shot("big")
    assert picture.colours() > 20
    frames = page.state("frames")
    for _ in range(12):
        page.browser.key("w")
    assert page.state("frames") > frames
    page.shot("big-near")
    page.browser.key("Enter")
    assert page.state("selected") >= 0
    page.no_messages()


@test
def a_narrow_window_shows_everything(page):
    page.open("pipeline", width=420, height=800)
    page.browser.key("n")
    assert page.browser.run("document.documentElement.scrollWidth") <= 420
    page.shot("narrow")


@test
def the_picture_has_both_themes(page):
    for scheme, low, high in (("light", 0.9, 1), ("dark", 0, 0.02)):
        page.browser.open(os.path.join(page.folder, "pipeline.svg"), width=1000, height=700,
                          scheme=scheme)
        page.no_messages()
        picture = page.shot(f"svg-{scheme}")
        assert picture.colours() > 30
        assert low <= luminance(picture.pixel(2, 30)) <= high


def main():
    program, folder = sys.argv[1:]
    for kind in ("pipeline", "reported", "hostile", "empty", "long", "big"):
        export(program, folder, kind)
    print(f"1..{len(TESTS)}", flush=True)
    failed = 0
    browser = Browser()
    try:
        for number, function in enumerate(TESTS, 1):
            name = function.__name__.replace("_", " ")
            try:
                function(Page(browser, folder))
                print(f"ok {number} - {name}", flush=True)
            except Exception:  # a test that fails must not keep the others from running
                failed += 1
                print(f"not ok {number} - {name}", flush=True)
                print("".join(f"# {line}\n" for line in traceback.format_exc().splitlines()),
                      end="", flush=True)
    finally:
        browser.close()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
