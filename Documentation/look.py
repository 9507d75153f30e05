#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the layout of the built pages in Chromium: look.py [PAGE...]

Checks each page in windows 1200 and 400 pixels wide. Prints an error if a page scrolls sideways, if
an element is wider than its page, or if a word is broken although it fits into a line. The exit
status is then 1. Writes screenshots, light and dark, to build/look. Chromium is in Debian's package
chromium; tools/setup.sh page installs it.
"""

import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
DOCS = os.path.join(TOP, "build/docs")
OUT = os.path.join(TOP, "build/look")
WIDTHS = (1200, 400)
HEIGHT = 2000

# Chromium's window cannot be as narrow as 400 pixels, but a frame in the window can.
FRAME = """<!doctype html>
<html style="color-scheme: {scheme}"><body style="margin: 0">
<iframe src="{page}" style="width: {width}px; height: {height}px; border: 0"></iframe>
"""

MEASURE = r"""<!doctype html>
<body><script>
const found = [];

function load(page, width) {
	return new Promise(done => {
		const frame = document.createElement("iframe");
		frame.style = `width: ${width}px; height: 900px; border: 0`;
		frame.onload = () => setTimeout(() => done(frame), 100);
		frame.src = page;
		document.body.appendChild(frame);
	});
}

/* Is the element inside a box of its own that scrolls? The column of the text is none. */
function scrolls(element) {
	for (; element; element = element.parentElement) {
		const overflow = getComputedStyle(element).overflowX;
		if ((overflow == "auto" || overflow == "scroll") && !element.matches(".content, body, html"))
			return true;
	}
	return false;
}

/* The lines that a part of a text is on: their number, and the width of all of them. */
function lines(text, begin, end) {
	const range = text.ownerDocument.createRange();
	range.setStart(text, begin);
	range.setEnd(text, end);
	const boxes = [...range.getClientRects()].filter(box => box.width > 0.5);
	return [new Set(boxes.map(box => Math.round(box.top))).size,
		boxes.reduce((sum, box) => sum + box.width, 0)];
}

function look(page, width, frame) {
	const say = what => found.push(`${page} at ${width}: ${what}`);
	const root = frame.contentDocument.documentElement;
	const column = root.querySelector(".content");
	const article = root.querySelector("article");
	if (root.scrollWidth > width || column.scrollWidth > column.clientWidth)
		say("the page scrolls sideways");
	for (const element of article.querySelectorAll("*")) {
		const box = element.getBoundingClientRect();
		if (box.width && box.right > width && !scrolls(element))
			say(`sticks out: ${element.textContent.trim().slice(0, 60)}`);
	}
	const texts = frame.contentDocument.createTreeWalker(article, NodeFilter.SHOW_TEXT);
	for (let text; (text = texts.nextNode());) {
		if (text.parentElement.closest("script, style, svg"))
			continue;
		/* The parts of a compound word count as words. A hyphen before a word belongs to it. */
		for (const word of text.data.matchAll(/(?<!\S)[^\s\w]*-[^\s-]+|\w[^\s-]*/g)) {
			const [count, width] = lines(text, word.index, word.index + word[0].length);
			const block = text.parentElement.closest("p, dt, dd, li, td, h1, h2, h3, pre, div");
			if (count > 1 && width < block.clientWidth)
				say(`broken: ${word[0]}`);
		}
	}
}

(async () => {
	for (const width of WIDTHS)
		for (const page of PAGES) {
			const frame = await load(`docs/${page}`, width);
			look(page, width, frame);
			frame.remove();
		}
	const out = document.createElement("pre");
	out.id = "found";
	out.textContent = JSON.stringify(found);
	document.body.appendChild(out);
})();
</script>
"""


def chromium(program, profile, document, *options):
    """Opens a document that stands beside the pages; what Chromium prints."""
    with tempfile.NamedTemporaryFile("w", suffix=".html", dir=os.path.dirname(DOCS)) as page:
        page.write(document)
        page.flush()
        done = subprocess.run(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--allow-file-access-from-files", f"--user-data-dir={profile}", *options,
             f"file://{page.name}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
            encoding="utf-8")
    if done.returncode:
        sys.exit(f"look: chromium failed:\n{done.stderr}")
    return done.stdout


def main():
    program = shutil.which("chromium")
    if not program:
        sys.exit("look: chromium is missing: apt-get install chromium")
    pages = sys.argv[1:] or sorted(
        os.path.relpath(os.path.join(folder, name), DOCS)
        for folder, _, names in os.walk(DOCS) for name in names if name.endswith(".html"))
    os.makedirs(OUT, exist_ok=True)
    with tempfile.TemporaryDirectory() as profile:
        script = f"const PAGES = {json.dumps(pages)}, WIDTHS = {json.dumps(WIDTHS)};\n"
        printed = chromium(program, profile, MEASURE.replace("<script>", "<script>\n" + script),
                           "--virtual-time-budget=600000", "--dump-dom")
        found = re.search(r'<pre id="found">(.*?)</pre>', printed, re.S)
        if not found:
            sys.exit("look: the measuring page did not end")
        problems = json.loads(html.unescape(found[1]))
        for page in pages:
            for width in WIDTHS:
                for scheme in ("light", "dark"):
                    name = f"{page[:-5].replace('/', '-')}-{width}-{scheme}.png"
                    chromium(program, profile, FRAME.format(page="docs/" + page, width=width,
                                                            height=HEIGHT, scheme=scheme),
                             f"--window-size={max(width, 500)},{HEIGHT}",
                             f"--screenshot={os.path.join(OUT, name)}")
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
