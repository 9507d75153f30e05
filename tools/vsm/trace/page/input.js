/* SPDX-License-Identifier: MIT */
/*
 * Starts the page, and connects the mouse and the keys to the view.
 */

/* The first column is also in Documentation/timeline.rst. */
const KEYS = [
	["Wheel", "zoom at the pointer"],
	["Shift + wheel, or wheel over the names", "scroll up and down"],
	["Drag", "move; in the overview, move the window"],
	["Double click", "zoom to a slice"],
	["w s, or + -", "zoom in and out"],
	["a d", "move left and right"],
	["f", "show everything"],
	["z", "zoom to the selected slice and its causes"],
	["Tab", "go to the timeline, the buttons and the panels"],
	["Enter", "select the first problem, or the first slice; then: go to what ended or caused it"],
	["Left, Right", "slice before and after, on the same track; without a selection: move"],
	["Up, Down", "slice on the track above or below; without a selection: scroll"],
	["Home, End", "first and last slice of the track; without a selection: scroll to the ends"],
	["Page Up, Page Down", "scroll"],
	["n N", "next problem, problem before: faults, waits that never end"],
	["/", "search; then Enter and Shift + Enter: next match, match before"],
	["t", "open or close the filter: choose tracks and source lines"],
	["Escape", "end the search, or unselect"],
	["?", "this list"],
];

class Page {
	constructor(model) {
		this.view = new View(model);
		this.model = model;
		this.canvas = byId("canvas");
		this.details = new Details(this.view, i => this.go(i));
		this.filter = new Filter(this.view, () => this.changed());
		for (const id of ["top", "main", "legend"])
			byId(id).hidden = false;
		this.details.showTop();
		this.filter.fill();
		this.filter.showState();
		this.painter = new Painter(this.canvas, this.view);
		this.pending = false;
		this.problem = -1;
		this.connect();
		this.painter.resize();
		this.view.fit();
		this.changed();
	}

	/* --- drawing --- */

	/* Draws before the next frame, however many changes come until then. */
	changed() {
		const size = byId("scroll-size");
		size.style.height = `${this.view.contentHeight}px`;
		byId("scroll").scrollTop = this.view.top;
		if (this.pending)
			return;
		this.pending = true;
		requestAnimationFrame(() => {
			this.pending = false;
			this.painter.draw();
		});
	}

	say(text) {
		byId("status").textContent = text;
	}

	select(i) {
		this.view.select(i);
		this.details.show(() => {
			this.view.zoomToSelection();
			this.changed();
		}, () => this.select(-1));
		if (i >= 0)
			this.say(this.details.line(i));
		this.painter.resize();
		this.changed();
	}

	/* Shows a slice and selects it. */
	go(i) {
		this.select(i);
		this.view.reveal(i);
		this.filter.showState();
		this.changed();
	}

	/* --- mouse --- */

	connect() {
		const { canvas } = this;
		canvas.addEventListener("wheel", event => this.wheel(event), { passive: false });
		canvas.addEventListener("pointerdown", event => this.down(event));
		canvas.addEventListener("pointermove", event => this.move(event));
		canvas.addEventListener("pointerup", event => this.up(event));
		canvas.addEventListener("pointercancel", () => this.endDrag());
		canvas.addEventListener("pointerleave", () => this.hover(-1, 0, 0));
		canvas.addEventListener("dblclick", () => this.view.selected >= 0 && this.press("z"));
		new ResizeObserver(() => {
			this.painter.resize();
			this.changed();
		}).observe(byId("chart"));
		byId("scroll").addEventListener("scroll", event => {
			if (Math.abs(event.target.scrollTop - this.view.top) < 1)
				return;
			this.view.scrollTo(event.target.scrollTop);
			this.changed();
		});
		document.addEventListener("keydown", event => this.key(event));
		this.connectTools();
	}

	place(event) {
		const box = this.canvas.getBoundingClientRect();
		return [event.clientX - box.left, event.clientY - box.top];
	}

	wheel(event) {
		event.preventDefault();
		const [x] = this.place(event);
		const unit = [1, 16, this.view.height][event.deltaMode];
		const across = event.deltaX * unit;
		const down = event.deltaY * unit;
		if (event.shiftKey || (x < this.view.left && !event.ctrlKey))
			this.view.scrollTo(this.view.top + (down || across));
		else if (Math.abs(across) > Math.abs(down))
			this.view.pan(across);
		else
			this.view.zoom(Math.exp(Math.max(Math.min(down, 240), -240) * 0.0022), x);
		this.hover(-1, 0, 0);
		this.changed();
	}

	down(event) {
		if (event.button)
			return;
		const [x, y] = this.place(event);
		this.hover(-1, 0, 0);
		this.canvas.setPointerCapture(event.pointerId);
		this.drag = { x, y, moved: false, overview: y < SIZE.overview };
		if (this.drag.overview)
			this.moveWindow(x);
	}

	/* Centres the window at a place in the overview. */
	moveWindow(x) {
		const { view } = this;
		const time = this.painter.overviewTime(x);
		const half = (view.to - view.from) / 2;
		view.show(time - half, time + half);
		this.changed();
	}

	move(event) {
		const [x, y] = this.place(event);
		const { drag } = this;
		if (!drag) {
			this.hover(this.view.sliceAt(x, y), event.clientX, event.clientY);
			return;
		}
		if (drag.overview) {
			this.moveWindow(x);
			return;
		}
		if (Math.abs(x - drag.x) + Math.abs(y - drag.y) < 4 && !drag.moved)
			return;
		drag.moved = true;
		this.canvas.classList.add("dragged");
		this.hover(-1, 0, 0);
		this.view.pan(drag.x - x);
		this.view.scrollTo(this.view.top + drag.y - y);
		drag.x = x;
		drag.y = y;
		this.changed();
	}

	endDrag() {
		const { drag } = this;
		this.drag = null;
		this.canvas.classList.remove("dragged");
		return drag;
	}

	up(event) {
		const drag = this.endDrag();
		if (!drag || drag.moved || drag.overview)
			return;
		const [x, y] = this.place(event);
		const header = this.view.headerAt(y);
		if (header)
			this.fold(header.group);
		else
			this.select(this.view.sliceAt(x, y));
	}

	fold(group) {
		const { folded } = this.view;
		if (!folded.delete(group.index))
			folded.add(group.index);
		this.view.layout();
		this.changed();
	}

	hover(i, x, y) {
		this.details.tip(i, x, y);
		if (i == this.view.hovered)
			return;
		this.view.hovered = i;
		this.canvas.classList.toggle("over", i >= 0);
		this.changed();
	}

	/* --- search --- */

	search(text) {
		const { view } = this;
		view.matches = this.model.search(text);
		view.match = -1;
		view.isMatch = null;
		if (text.trim()) {
			view.isMatch = new Uint8Array(this.model.slices.count);
			for (const i of view.matches)
				view.isMatch[i] = 1;
		}
		this.showMatches();
		this.changed();
	}

	showMatches() {
		const { matches, match, isMatch } = this.view;
		byId("matches").textContent = !isMatch ? "" : !matches.length ? "none"
			: match < 0 ? matches.length.toLocaleString("en")
			: `${(match + 1).toLocaleString("en")} of ${matches.length.toLocaleString("en")}`;
		byId("match-back").disabled = byId("match-next").disabled = !matches.length;
	}

	nextMatch(step) {
		const { view } = this;
		const count = view.matches.length;
		if (!count)
			return;
		view.match = view.match < 0 && step < 0 ? count - 1 : (view.match + step + count) % count;
		this.showMatches();
		this.go(view.matches[view.match]);
	}

	/* --- buttons --- */

	connectTools() {
		const search = byId("search");
		search.oninput = () => this.search(search.value);
		search.onkeydown = event => {
			if (event.key == "Enter")
				this.nextMatch(event.shiftKey ? -1 : 1);
			if (event.key == "Escape") {
				search.value = "";
				this.search("");
				this.canvas.focus();
				event.stopPropagation();
			}
		};
		this.showMatches();
		byId("match-next").onclick = () => this.nextMatch(1);
		byId("match-back").onclick = () => this.nextMatch(-1);
		byId("fit").onclick = () => this.press("f");
		byId("zoom-in").onclick = () => this.press("w");
		byId("zoom-out").onclick = () => this.press("s");
		byId("filter-button").onclick = () => this.press("t");
		byId("help-button").onclick = () => this.press("?");
		const list = make("dl", {});
		for (const [keys, what] of KEYS)
			list.append(make("dt", {}, keys), make("dd", {}, what));
		byId("help-body").append(list);
		const dark = matchMedia("(prefers-color-scheme: dark)");
		dark.addEventListener("change", () => this.showTheme());
		byId("theme").onclick = () => {
			document.documentElement.dataset.theme = this.isDark() ? "light" : "dark";
			this.showTheme();
		};
		this.showTheme();
	}

	isDark() {
		const { theme } = document.documentElement.dataset;
		return theme ? theme == "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
	}

	showTheme() {
		byId("theme").textContent = this.isDark() ? "Light" : "Dark";
		this.painter.readColours();
		this.changed();
	}

	/* --- keys --- */

	key(event) {
		const { target } = event;
		if (event.ctrlKey || event.altKey || event.metaKey || byId("help").open)
			return;
		if (target instanceof HTMLInputElement && target.type != "checkbox")
			return;
		/* Elements with a use of their own for a key keep it. */
		const elsewhere = target != this.canvas && target != document.body;
		if (elsewhere && !/^([a-zA-Z/?+-]|Escape)$/.test(event.key))
			return;
		if (this.press(event.key))
			event.preventDefault();
	}

	/* Does what a key stands for. Returns false if the key means nothing. */
	press(key) {
		const { view } = this;
		const commands = {
			w: () => view.zoom(0.7), "+": () => view.zoom(0.7), "=": () => view.zoom(0.7),
			s: () => view.zoom(1 / 0.7), "-": () => view.zoom(1 / 0.7),
			a: () => view.pan(-(view.right - view.left) / 8),
			d: () => view.pan((view.right - view.left) / 8),
			f: () => view.fit(),
			z: () => view.zoomToSelection(),
			n: () => this.nextProblem(1), N: () => this.nextProblem(-1),
			t: () => this.toggleFilter(),
			"/": () => byId("search").focus(),
			"?": () => byId("help").showModal(),
			Escape: () => this.select(-1),
			Enter: () => this.follow(),
			ArrowLeft: () => this.step(-1, 0), ArrowRight: () => this.step(1, 0),
			ArrowUp: () => this.step(0, -1), ArrowDown: () => this.step(0, 1),
			PageUp: () => view.scrollTo(view.top - view.height * 0.8),
			PageDown: () => view.scrollTo(view.top + view.height * 0.8),
			Home: () => this.toEnd(0), End: () => this.toEnd(-1),
		};
		if (!Object.hasOwn(commands, key))
			return false;
		commands[key]();
		this.changed();
		return true;
	}

	toggleFilter() {
		const panel = byId("filters");
		panel.hidden = !panel.hidden;
		byId("filter-button").ariaExpanded = String(!panel.hidden);
		if (!panel.hidden)
			byId("track-text").focus();
	}

	nextProblem(step) {
		const { problems } = this.model;
		if (!problems.length) {
			this.say("There are no faults, and all waits ended.");
			return;
		}
		this.problem = this.problem < 0 && step < 0 ? problems.length - 1
			: (this.problem + step + problems.length) % problems.length;
		this.go(problems[this.problem]);
	}

	/* Enter: selects the first slice; if one is selected, goes to its cause. */
	follow() {
		const { view, model } = this;
		if (view.selected < 0) {
			const first = view.firstVisible();
			if (first >= 0)
				this.go(first);
			return;
		}
		const [cause] = model.causes(view.selected);
		const next = cause ? cause.slice : model.missing(view.selected);
		if (next >= 0)
			this.go(next);
		else
			this.say("Nothing is known that brought this about.");
	}

	step(across, down) {
		const { view } = this;
		if (view.selected < 0 || !view.rowOfTrack[this.model.slices.track[view.selected]]) {
			view.pan(across * 80);
			view.scrollTo(view.top + down * 60);
			return;
		}
		const next = across ? view.neighbour(across) : view.beside(down);
		if (next >= 0)
			this.go(next);
	}

	/* The first (0) or last (-1) slice of the selected track; without a selection, of the view. */
	toEnd(at) {
		const { view } = this;
		if (view.selected < 0) {
			view.scrollTo(at < 0 ? view.contentHeight : 0);
			return;
		}
		const ends = this.model.track(view.selected).lines.map(line => line.slices.at(at))
			.filter(i => i !== undefined);
		this.go(at < 0 ? Math.max(...ends) : Math.min(...ends));
	}
}

/* --- start --- */

/* What tests may read. Nothing can be changed through it. */
function makeState(page) {
	const { view, model, painter } = page;
	return Object.freeze({
		get from() { return view.from; },
		get to() { return view.to; },
		get top() { return view.top; },
		get gutter() { return view.gutter; },
		get selected() { return view.selected; },
		get hovered() { return view.hovered; },
		get arrows() { return view.arrows.map(arrow => ({ ...arrow })); },
		get matches() { return view.matches.length; },
		get tracks() { return view.rows.filter(row => row.track).map(row => row.track.full); },
		get pale() { return Array.from(model.slices.kind, (_, i) => !view.inFilter(i)); },
		get frames() { return painter.frames; },
		get drawn() { return painter.drawn; },
		get slices() { return model.slices.count; },
		get problems() { return [...model.problems]; },
		name: i => model.name(i),
		kind: i => model.slices.kind[i],
		track: i => model.track(i).full,
		box: i => view.box(i),
	});
}

function start() {
	const page = new Page(new Model(JSON.parse(byId("data").textContent)));
	Object.defineProperty(window, "vsmTimeline", { value: makeState(page) });
}

try {
	start();
} catch (error) {
	byId("failure").textContent = `The page cannot show this trace: ${error.message}`;
	byId("failure").hidden = false;
	throw error;
}
