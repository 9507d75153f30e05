/* SPDX-License-Identifier: MIT */
/*
 * What the page says in words: the panel of the selected slice, the tooltip, the report at the top,
 * the legend, and the summary for screen readers. All texts of the trace are set as text, never as
 * HTML.
 */

/* Details that the page shows in another way. */
const SAID = new Set(["time", "took", "place", "instruction"]);

const byId = id => document.getElementById(id);

/* Makes an element. "props" are properties; children are elements or texts. */
function make(tag, props, ...children) {
	const element = Object.assign(document.createElement(tag), props);
	element.append(...children.filter(child => child !== null));
	return element;
}

class Details {
	/* "go" is called with a slice to show and select. */
	constructor(view, go) {
		this.view = view;
		this.model = view.model;
		this.go = go;
	}

	/* --- one slice --- */

	/* "3.2 µs to 4.1 µs (900 ns)" */
	when(i) {
		const { start, end } = this.model.slices;
		if (this.model.open(i))
			return `since ${showTime(start[i])}, without an end`;
		if (end[i] == start[i])
			return `at ${showTime(start[i])}`;
		return `${showTime(start[i])} to ${showTime(end[i])} (${showTime(end[i] - start[i])})`;
	}

	/* A slice in one line, for buttons and for screen readers. */
	line(i) {
		return `${this.model.name(i)}, ${this.model.track(i).full}, ${this.when(i)}`;
	}

	button(i, text) {
		return make("button", {
			className: "slice", title: this.line(i), onclick: () => this.go(i),
		}, this.swatch(i), make("span", {}, text));
	}

	swatch(i) {
		const bad = this.model.bad(i) ? " wrong" : "";
		return make("span", { className: `swatch ${KIND_OF[this.model.slices.kind[i]].id}${bad}` });
	}

	/* How a slice came to its end, or about: the heading of the list of its causes. */
	causeTitle(i) {
		switch (this.model.slices.kind[i]) {
		case SLICE.WAIT:
			return this.model.open(i) ? "Never ended. It waits for" : "Ended by";
		case SLICE.PHASE:
			return "Completed by";
		case SLICE.COPY:
			return "Issued by";
		default:
			return "Brought about by";
		}
	}

	/* The list of causes of a slice, with their causes. */
	causes(i, seen = new Set()) {
		seen.add(i);
		const list = make("ul", { className: "chain" });
		const missing = this.model.missing(i);
		const all = this.model.causes(i).map(cause => cause.slice);
		if (missing >= 0)
			all.push(missing);
		const limit = 12;
		for (const cause of all.slice(0, limit)) {
			const item = make("li", {}, this.button(cause, this.model.name(cause)),
				make("small", {}, `${this.model.track(cause).full}, ${this.when(cause)}`));
			if (!seen.has(cause) && seen.size < 60) {
				const more = this.causes(cause, seen);
				if (more) {
					item.append(make("small", { className: "why" },
						this.causeTitle(cause).toLowerCase()), more);
				}
			}
			if (cause == missing && this.model.needs(cause)) {
				item.append(make("p", { className: "verdict" },
					`${this.model.needs(cause)} still missing in the end.`));
			}
			list.append(item);
		}
		if (all.length > limit)
			list.append(make("li", {}, `and ${plural(all.length - limit, "more", "more")}`));
		return all.length ? list : null;
	}

	effects(i) {
		const all = this.model.effects(i);
		if (!all.length)
			return null;
		const list = make("ul", { className: "chain" });
		for (const { slice } of all.slice(0, 12)) {
			list.append(make("li", {}, this.button(slice, this.model.name(slice)),
				make("small", {}, `${this.model.track(slice).full}, ${this.when(slice)}`)));
		}
		if (all.length > 12)
			list.append(make("li", {}, `and ${plural(all.length - 12, "more", "more")}`));
		return list;
	}

	/* The name and the value of each detail; the page adds what the text does not have. */
	fields(i) {
		const { slices, sites, tracks } = this.model;
		const list = make("dl", {});
		const add = (name, ...value) => list.append(make("dt", {}, name), make("dd", {}, ...value));
		const site = sites[slices.site[i]];
		if (site.text) {
			add("source", make("strong", {}, site.text),
				site.insn ? make("code", {}, site.insn) : null);
		}
		if (slices.object[i] && slices.object[i] - 1 != slices.track[i]) {
			const track = tracks[slices.object[i] - 1];
			const other = this.view.nearest(track, slices.end[i]);
			add("track", other < 0 ? track.full : this.button(other, track.full));
		}
		for (const [name, value] of this.model.details(i)) {
			if (!SAID.has(name))
				add(name, value);
		}
		return list;
	}

	show(zoom, close) {
		const panel = byId("details");
		const i = this.view.selected;
		panel.hidden = i < 0;
		panel.replaceChildren();
		if (i < 0)
			return;
		const causes = this.causes(i);
		const effects = this.effects(i);
		panel.append(
			make("div", { className: "panel-top" },
				make("h2", {}, this.swatch(i), this.model.name(i)),
				make("button", { title: "Close (Escape)", ariaLabel: "Close", onclick: close }, "×")),
			make("p", { className: "where" }, this.model.track(i).full),
			make("p", { className: "when" }, this.when(i)));
		if (this.model.bad(i))
			panel.append(make("p", { className: "verdict" }, this.verdict(i)));
		if (causes)
			panel.append(make("h3", {}, this.causeTitle(i)), causes);
		if (effects)
			panel.append(make("h3", {}, "Brought about"), effects);
		panel.append(make("h3", {}, "Details"), this.fields(i),
			make("button", { onclick: zoom, title: "Zoom to it and its causes (key z)" }, "Zoom to it"));
	}

	verdict(i) {
		const { kind } = this.model.slices;
		if (kind[i] == SLICE.FAULT)
			return this.model.details(i).some(([name]) => name == "error")
				? "The device refused this instruction: it breaks a rule."
				: "This instruction breaks a rule that the cluster only reports.";
		if (kind[i] == SLICE.LOST)
			return "Work was lost here.";
		if (this.model.open(i))
			return "This never ended.";
		return "This ended with an error.";
	}

	/* --- tooltip --- */

	tip(i, x, y) {
		const tip = byId("tip");
		tip.hidden = i < 0;
		if (i < 0)
			return;
		const { slices, sites } = this.model;
		const site = sites[slices.site[i]];
		const rows = this.model.details(i).filter(([name]) => !SAID.has(name)).slice(0, 14)
			.map(([name, value]) => make("div", {}, make("b", {}, name), ` ${value}`));
		tip.replaceChildren(
			make("div", { className: "tip-name" }, this.swatch(i), this.model.name(i)),
			make("div", {}, `${this.model.track(i).full}`),
			make("div", {}, this.when(i)),
			...(site.text ? [make("div", { className: "tip-site" }, site.text)] : []),
			...rows);
		const box = tip.getBoundingClientRect();
		const left = x + 16 + box.width > innerWidth ? x - 12 - box.width : x + 16;
		const top = Math.min(y + 18, innerHeight - box.height - 6);
		tip.style.left = `${Math.max(left, 4)}px`;
		tip.style.top = `${Math.max(top, 4)}px`;
	}

	/* --- the whole trace --- */

	showTop() {
		const { model } = this;
		document.title = model.title ? `${model.title} - vsm timeline` : "vsm timeline";
		byId("title").textContent = model.title || "vsm timeline";
		const warps = model.tracks.filter(track => track.kind == TRACK.WARP).length;
		const mbarriers = model.tracks.filter(track => track.kind == TRACK.MBARRIER).length;
		this.facts = [plural(model.events, "event"), plural(warps, "warp"),
			plural(mbarriers, "mbarrier"), showTime(model.length)];
		byId("facts").textContent = this.facts.join(" · ");
		this.showReport();
		this.showLegend();
		this.summarise();
	}

	showReport() {
		const { model } = this;
		const waits = model.problems.filter(i => model.slices.kind[i] == SLICE.WAIT && model.open(i));
		const faults = model.problems.filter(i => model.slices.kind[i] == SLICE.FAULT);
		const parts = [];
		if (waits.length)
			parts.push(`${plural(waits.length, "wait")} never ended`);
		if (faults.length)
			parts.push(plural(faults.length, "fault"));
		const others = model.problems.length - waits.length - faults.length;
		if (others)
			parts.push(plural(others, "other error"));
		if (model.lost)
			parts.push(`${plural(model.lost, "event")} lost: the recorder was full`);
		this.findings = parts;
		const report = byId("report");
		report.hidden = !parts.length && !model.note;
		report.classList.toggle("calm", !model.problems.length);
		byId("report-title").textContent = parts.join(" · ") || "Report";
		byId("note").textContent = model.note;
		byId("note").hidden = !model.note;
		const list = byId("problems");
		list.replaceChildren();
		for (const i of [...waits, ...model.problems.filter(i => !waits.includes(i))].slice(0, 50)) {
			const when = `${model.open(i) ? "since" : "at"} ${showTime(model.slices.start[i])}`;
			list.append(make("li", {}, this.button(i, model.name(i)),
				make("small", {}, `${model.track(i).full}, ${when}`)));
		}
		if (model.problems.length > 50)
			list.append(make("li", {}, `and ${plural(model.problems.length - 50, "more", "more")}`));
		list.hidden = !model.problems.length;
	}

	showLegend() {
		const used = new Set(this.model.slices.kind);
		const legend = byId("legend");
		legend.replaceChildren();
		for (const entry of KINDS) {
			if (used.has(entry.kind)) {
				legend.append(make("span", {}, make("span", { className: `swatch ${entry.id}` }),
					entry.name));
			}
		}
		if (this.model.tracks.some(track => track.times.length)) {
			legend.append(make("span", {}, make("span", { className: "swatch curve-pending" }),
				"pending arrivals"));
		}
		if (this.model.tracks.some(track => track.maxTx > track.minTx))
			legend.append(make("span", {}, make("span", { className: "swatch curve-tx" }), "tx-count"));
		if (this.model.problems.length) {
			legend.append(make("span", {}, make("span", { className: "swatch wait wrong" }),
				"error, or never ends"));
		}
	}

	/* The trace in sentences. */
	summarise() {
		const { model } = this;
		const counts = KINDS.map(entry => {
			let count = 0;
			for (const kind of model.slices.kind)
				count += kind == entry.kind;
			return count ? `${entry.name}: ${count}` : "";
		}).filter(text => text);
		byId("summary").replaceChildren(
			make("p", {}, `Timeline of ${model.title || "a trace"}: ${this.facts.join(", ")}.`),
			make("p", {}, counts.length ? `Slices: ${counts.join(", ")}.` : "The trace is empty."),
			make("p", {}, this.findings.length ? `${this.findings.join(". ")}.`
				: "There are no faults, and all waits ended."),
			make("p", {}, "In the timeline, press Enter to select the first slice, and arrow keys " +
				"to go to others. Press question mark for all keys."));
	}
}
