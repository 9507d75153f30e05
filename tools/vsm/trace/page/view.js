/* SPDX-License-Identifier: MIT */
/*
 * The view: which part of the model is shown, and where each thing is on the canvas. Times go from
 * left to right. Rows go from top to bottom, below the overview and the time axis.
 */

const SIZE = {
	overview: 30, axis: 24, header: 22, line: 20, bar: 16, gap: 5, curve: 20, scroll: 14,
};
SIZE.top = SIZE.overview + SIZE.axis;

/* The shortest time that can fill the window, in ns. */
const SHORTEST = 10;

class View {
	constructor(model) {
		this.model = model;
		this.width = 0;
		this.height = 0;
		this.gutter = 150;
		this.from = 0;
		this.to = model.length;
		this.top = 0;
		this.selected = -1;
		this.hovered = -1;
		this.arrows = [];
		this.matches = [];
		this.match = -1;
		this.isMatch = null;
		this.folded = new Set();
		this.hiddenTracks = new Set();
		this.hiddenSites = new Set();
		this.trackText = "";
		this.siteText = "";
		this.rows = [];
		this.rowOfTrack = [];
		this.rowOfGroup = [];
		this.contentHeight = 0;
		this.layout();
		this.fit();
	}

	/* --- time --- */

	get left() {
		return this.gutter;
	}

	get right() {
		return this.width - SIZE.scroll;
	}

	x(time) {
		return this.left + (time - this.from) / (this.to - this.from) * (this.right - this.left);
	}

	time(x) {
		return this.from + (x - this.left) / (this.right - this.left) * (this.to - this.from);
	}

	get perPixel() {
		return (this.to - this.from) / Math.max(this.right - this.left, 1);
	}

	/* Shows a range, which is kept near the trace. A margin shows the first and last slice. */
	show(from, to) {
		const length = this.model.length;
		const margin = length * 0.02;
		let span = Math.min(Math.max(to - from, SHORTEST), length + 2 * margin);
		const middle = (from + to) / 2;
		from = middle - span / 2;
		from = Math.min(Math.max(from, -margin - span * 0.1), length + margin - span * 0.9);
		if (span >= length)
			from = (length - span) / 2;
		this.from = from;
		this.to = from + span;
	}

	fit() {
		const margin = this.model.length * 0.02;
		this.show(-margin, this.model.length + margin);
	}

	/* Zooms by a factor, and keeps the time at x where it is. */
	zoom(factor, x = (this.left + this.right) / 2) {
		const time = this.time(x);
		const least = SHORTEST / (this.to - this.from);
		factor = Math.max(factor, least);
		this.show(time - (time - this.from) * factor, time + (this.to - time) * factor);
	}

	pan(pixels) {
		const by = pixels * this.perPixel;
		this.show(this.from + by, this.to + by);
	}

	/* --- rows --- */

	trackShown(track) {
		return !this.hiddenTracks.has(track.index) && matchesFilter(track.words, this.trackText);
	}

	trackHeight(track) {
		return track.lines.length * SIZE.line + SIZE.gap +
			(track.times.length ? SIZE.curve : 0);
	}

	layout() {
		this.rows = [];
		this.rowOfTrack = new Array(this.model.tracks.length).fill(null);
		this.rowOfGroup = new Array(this.model.groups.length).fill(null);
		let y = 0;
		for (const group of this.model.groups) {
			const tracks = group.tracks.filter(track => this.trackShown(track));
			if (!tracks.length)
				continue;
			const header = { y, height: SIZE.header, group, track: null, count: tracks.length };
			this.rowOfGroup[group.index] = header;
			this.rows.push(header);
			y += header.height;
			if (this.folded.has(group.index))
				continue;
			for (const track of tracks) {
				const row = { y, height: this.trackHeight(track), group, track };
				this.rowOfTrack[track.index] = row;
				this.rows.push(row);
				y += row.height;
			}
		}
		this.contentHeight = y;
		this.shownSites = this.model.sites.map((site, i) => !this.hiddenSites.has(i) &&
			(!this.siteText || (i > 0 && matchesFilter(
				`${site.text} ${site.insn}`.toLowerCase(), this.siteText))));
		this.filtersSites = this.shownSites.includes(false);
		this.scrollTo(this.top);
	}

	scrollTo(top) {
		const visible = this.height - SIZE.top;
		this.top = Math.max(0, Math.min(top, this.contentHeight - visible));
	}

	/* The index of the row at a height on the canvas, or -1. */
	rowAt(y) {
		if (y < SIZE.top)
			return -1;
		const at = y - SIZE.top + this.top;
		const i = bisect(0, this.rows.length, n => this.rows[n].y + this.rows[n].height > at);
		return i < this.rows.length ? i : -1;
	}

	yOf(row) {
		return row.y - this.top + SIZE.top;
	}

	/* The header of the first visible row stays below the axis. Returns it and its place. */
	pinned() {
		const row = this.rows[this.rowAt(SIZE.top)];
		if (!row)
			return null;
		const header = this.rowOfGroup[row.group.index];
		const next = this.rowOfGroup.slice(row.group.index + 1).find(found => found);
		const end = (next ? next.y : this.contentHeight) - this.top + SIZE.top;
		return { header, y: Math.min(SIZE.top, end - header.height) };
	}

	/* Is a slice drawn in full colour? */
	inFilter(i) {
		return !this.filtersSites || this.shownSites[this.model.slices.site[i]];
	}

	/* The place of a slice on the canvas. A folded group stands for its tracks. */
	box(i) {
		const { slices } = this.model;
		const track = this.model.track(i);
		const row = this.rowOfTrack[track.index];
		const x = this.x(slices.start[i]);
		const right = this.x(slices.end[i]);
		if (row) {
			const y = this.yOf(row) + SIZE.gap / 2 + slices.line[i] * SIZE.line + 2;
			return { x, right, y, height: SIZE.bar, folded: false };
		}
		const header = this.rowOfGroup[track.group.index];
		if (header && this.folded.has(track.group.index))
			return { x, right, y: this.yOf(header) + 4, height: SIZE.header - 8, folded: true };
		return null;
	}

	/* The header at a height on the canvas; undefined if there is none. */
	headerAt(y) {
		const row = this.rows[this.rowAt(y)];
		const pinned = this.pinned();
		if (row && pinned && y < pinned.y + pinned.header.height)
			return pinned.header;
		return row && !row.track ? row : undefined;
	}

	/* The slice at a place on the canvas, or -1. Thin slices can be hit from some pixels away. */
	sliceAt(x, y) {
		const row = this.rows[this.rowAt(y)];
		if (!row || !row.track || this.headerAt(y) || x < this.left || x > this.right)
			return -1;
		const lineIndex = Math.floor((y - this.yOf(row) - SIZE.gap / 2) / SIZE.line);
		const line = row.track.lines[lineIndex];
		if (!line)
			return -1;
		const { slices } = this.model;
		const near = 4 * this.perPixel;
		const time = this.time(x);
		let best = -1;
		let distance = Infinity;
		for (let n = line.firstEnding(slices, time - near); n < line.slices.length; n++) {
			const i = line.slices[n];
			if (slices.start[i] > time + near)
				break;
			const away = Math.max(slices.start[i] - time, time - slices.end[i], 0);
			if (away < distance) {
				best = i;
				distance = away;
			}
		}
		return best;
	}

	/* --- selection --- */

	select(i) {
		this.selected = i;
		this.arrows = i < 0 ? [] : this.model.chain(i);
	}

	/* Makes a slice visible: shows its track, scrolls to it, and moves its time into the window. */
	reveal(i) {
		const track = this.model.track(i);
		this.hiddenTracks.delete(track.index);
		if (!matchesFilter(track.words, this.trackText))
			this.trackText = "";
		this.folded.delete(track.group.index);
		this.layout();
		const row = this.rowOfTrack[track.index];
		const visible = this.height - SIZE.top;
		if (row.y < this.top + SIZE.header || row.y + row.height > this.top + visible)
			this.scrollTo(row.y - visible / 3);
		const { slices } = this.model;
		const span = this.to - this.from;
		const start = slices.start[i];
		const end = slices.end[i];
		if (end < this.from + span * 0.02 || start > this.to - span * 0.02 ||
		    (start < this.from && end > this.to))
			this.show((start + end) / 2 - span / 2, (start + end) / 2 + span / 2);
		const width = (end - start) / this.perPixel;
		if (end > start && width < 8)
			this.show((start + end) / 2 - (end - start) * 20, (start + end) / 2 + (end - start) * 20);
	}

	zoomToSelection() {
		const i = this.selected;
		if (i < 0)
			return;
		let from = this.model.slices.start[i];
		let to = this.model.slices.end[i];
		for (const arrow of this.arrows) {
			from = Math.min(from, this.model.slices.start[arrow.from]);
			to = Math.max(to, this.model.slices.end[arrow.atEnd ? arrow.from : arrow.to]);
		}
		const margin = Math.max((to - from) * 0.1, SHORTEST);
		this.show(from - margin, to + margin);
	}

	/* The slice before (-1) or after (1) the selected one on its track; -1 if there is none. */
	neighbour(step) {
		const i = this.selected;
		const all = this.model.track(i).lines.flatMap(line => {
			const at = line.firstStarting(this.model.slices, this.model.slices.start[i]);
			return Array.from(line.slices.subarray(Math.max(at - 2, 0), at + 40));
		}).sort((a, b) => a - b);
		for (let at = all.indexOf(i) + step; at >= 0 && at < all.length; at += step) {
			if (this.inFilter(all[at]))
				return all[at];
		}
		return -1;
	}

	/* The slice nearest in time on the next track above (-1) or below (1) that has one; or -1. */
	beside(step) {
		const { slices } = this.model;
		const row = this.rowOfTrack[slices.track[this.selected]];
		const time = Math.max(slices.start[this.selected], this.from);
		for (let at = this.rows.indexOf(row) + step; at > 0 && at < this.rows.length; at += step) {
			const { track } = this.rows[at];
			const found = track ? this.nearest(track, time) : -1;
			if (found >= 0)
				return found;
		}
		return -1;
	}

	nearest(track, time) {
		const { slices } = this.model;
		let best = -1;
		let distance = Infinity;
		for (const line of track.lines) {
			const at = line.firstEnding(slices, time);
			for (const i of line.slices.subarray(Math.max(at - 1, 0), at + 1)) {
				const away = Math.max(slices.start[i] - time, time - slices.end[i], 0);
				if (away < distance) {
					best = i;
					distance = away;
				}
			}
		}
		return best;
	}

	/* The first slice in the window: a problem, if there is one; or -1. */
	firstVisible() {
		const { slices, problems } = this.model;
		const visible = i => this.rowOfTrack[slices.track[i]] && slices.end[i] >= this.from &&
			slices.start[i] <= this.to;
		const problem = problems.find(visible);
		if (problem !== undefined)
			return problem;
		for (const row of this.rows) {
			if (!row.track || row.y + row.height <= this.top)
				continue;
			const found = this.nearest(row.track, this.from);
			if (found >= 0 && visible(found))
				return found;
		}
		return -1;
	}
}
