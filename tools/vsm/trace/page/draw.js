/* SPDX-License-Identifier: MIT */
/*
 * Draws the view on the canvas. Only rows and times in the window are drawn. Slices that are
 * narrower than a pixel are merged, so the work depends on the window and not on the trace.
 */

const FONT = "11px system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
const BOLD = `600 ${FONT}`;

class Painter {
	constructor(canvas, view) {
		this.canvas = canvas;
		this.view = view;
		this.context = canvas.getContext("2d");
		this.widths = new Map();
		this.frames = 0;
		this.drawn = 0;
		this.readColours();
	}

	/* The colours are variables in colours.css. Only an element resolves light-dark() in them. */
	readColours() {
		const probe = make("span", { hidden: true });
		document.body.append(probe);
		const resolve = name => {
			probe.style.color = `var(--${name})`;
			return getComputedStyle(probe).color;
		};
		this.colours = {};
		for (const name of ["back", "band", "text", "muted", "grid", "rule", "accent", "bad",
			"bad-text", "on-bar", "bad-on-bar", "pending", "tx", "panel"])
			this.colours[name] = resolve(name);
		for (const { id } of KINDS)
			this.colours[id] = resolve(id);
		probe.remove();
		this.hatches = new Map();
	}

	hatch(colour) {
		if (!this.hatches.has(colour)) {
			const tile = document.createElement("canvas");
			tile.width = tile.height = 8;
			const c = tile.getContext("2d");
			c.strokeStyle = colour;
			c.lineWidth = 2;
			c.beginPath();
			for (const x of [-8, 0, 8]) {
				c.moveTo(x - 1, 9);
				c.lineTo(x + 9, -1);
			}
			c.stroke();
			this.hatches.set(colour, this.context.createPattern(tile, "repeat"));
		}
		return this.hatches.get(colour);
	}

	resize() {
		const box = this.canvas.getBoundingClientRect();
		const ratio = window.devicePixelRatio || 1;
		this.view.width = Math.max(box.width, 100);
		this.view.height = Math.max(box.height, 100);
		this.canvas.width = Math.round(this.view.width * ratio);
		this.canvas.height = Math.round(this.view.height * ratio);
		this.ratio = ratio;
		this.fitGutter();
		this.view.scrollTo(this.view.top);
	}

	/* The column of names is as wide as the longest name, up to a third of the window. */
	fitGutter() {
		let widest = 116;
		this.context.font = FONT;
		for (const track of this.view.model.tracks)
			widest = Math.max(widest, this.textWidth(track.name) + 34);
		this.view.gutter = Math.round(Math.min(widest, this.view.width / 3, 260));
	}

	textWidth(text) {
		let width = this.widths.get(text);
		if (width === undefined) {
			width = this.context.measureText(text).width;
			this.widths.set(text, width);
		}
		return width;
	}

	/* Shortens a text to a width; "" if not even seven letters fit. */
	elide(text, width) {
		const full = this.textWidth(text);
		if (full <= width)
			return text;
		const letters = Math.floor(text.length * (width - 8) / full);
		return letters < 7 ? "" : `${text.slice(0, letters)}…`;
	}

	/*
	 * The name of a slice and what is said about its end, shortened. The object, which is the
	 * last word, says more than a part of the name. Names of copies and jobs end otherwise.
	 */
	shortName(i, width) {
		const { model } = this.view;
		const name = model.name(i);
		const kind = model.slices.kind[i];
		const ending = !model.open(i) ? "" : kind == SLICE.WAIT ? " (never ends)" : " (open)";
		const last = kind <= SLICE.PHASE || kind == SLICE.FAULT
			? name.slice(name.lastIndexOf(" ") + 1) : name;
		return [name + ending, last + ending, name, last]
			.find(text => this.textWidth(text) <= width) || this.elide(name, width);
	}

	draw() {
		const { view, colours } = this;
		const c = this.context;
		c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
		c.fillStyle = colours.back;
		c.fillRect(0, 0, view.width, view.height);
		c.textBaseline = "middle";
		c.font = FONT;
		this.drawn = 0;
		this.ticks = this.makeTicks();
		this.drawRows();
		this.drawArrows();
		this.drawAxis();
		this.drawPinned();
		this.drawOverview();
		this.frames++;
	}

	clip(x, y, right, bottom, draw) {
		const c = this.context;
		c.save();
		c.beginPath();
		c.rect(x, y, right - x, bottom - y);
		c.clip();
		draw();
		c.restore();
	}

	/* --- axis --- */

	makeTicks() {
		const { view } = this;
		const wanted = view.perPixel * 110;
		const power = 10 ** Math.floor(Math.log10(wanted));
		const step = Math.max([1, 2, 5, 10].map(n => n * power).find(n => n >= wanted), 1);
		const ticks = [];
		for (let n = Math.ceil(view.from / step); n * step <= view.to; n++)
			ticks.push(n * step);
		return { step, ticks };
	}

	drawAxis() {
		const { view, colours } = this;
		const c = this.context;
		const y = SIZE.overview;
		c.fillStyle = colours.panel;
		c.fillRect(0, y, view.width, SIZE.axis);
		c.fillStyle = colours.rule;
		c.fillRect(0, y + SIZE.axis - 1, view.width, 1);
		c.fillStyle = colours.muted;
		c.textAlign = "left";
		c.fillText("Time", 10, y + SIZE.axis / 2);
		this.clip(view.left, y, view.right, y + SIZE.axis, () => {
			for (const tick of this.ticks.ticks) {
				const x = Math.round(view.x(tick));
				c.fillStyle = colours.rule;
				c.fillRect(x, y + SIZE.axis - 7, 1, 6);
				c.fillStyle = colours.text;
				const text = showTime(tick, this.ticks.step, view.to);
				if (x + 5 + c.measureText(text).width < view.right)
					c.fillText(text, x + 5, y + SIZE.axis / 2);
			}
		});
	}

	/* --- rows --- */

	drawRows() {
		const { view } = this;
		const first = Math.max(view.rowAt(SIZE.top), 0);
		for (let n = first; n < view.rows.length; n++) {
			const row = view.rows[n];
			if (view.yOf(row) > view.height)
				break;
			if (row.track)
				this.drawTrack(row);
			else
				this.drawHeader(row, view.yOf(row));
		}
	}

	drawHeader(row, y) {
		const { view, colours } = this;
		const c = this.context;
		const folded = view.folded.has(row.group.index);
		c.fillStyle = colours.band;
		c.fillRect(0, y, view.width, row.height);
		c.fillStyle = colours.muted;
		c.beginPath();
		const middle = y + row.height / 2;
		if (folded) {
			c.moveTo(10, middle - 4);
			c.lineTo(16, middle);
			c.lineTo(10, middle + 4);
		} else {
			c.moveTo(8, middle - 3);
			c.lineTo(18, middle - 3);
			c.lineTo(13, middle + 3);
		}
		c.fill();
		c.fillStyle = colours.text;
		c.font = BOLD;
		c.textAlign = "left";
		const name = row.group.name;
		c.fillText(name, 24, middle);
		const width = c.measureText(name).width;
		c.font = FONT;
		c.fillStyle = colours.muted;
		const all = row.group.tracks.length;
		const count = row.count == all ? `${all}` : `${row.count} of ${all}`;
		c.fillText(folded ? `${count} folded` : count, 24 + width + 8, middle);
	}

	drawPinned() {
		const { view } = this;
		const pinned = view.pinned();
		if (pinned) {
			this.clip(0, SIZE.top, view.width, view.height,
				() => this.drawHeader(pinned.header, pinned.y));
		}
	}

	drawTrack(row) {
		const { view, colours } = this;
		const c = this.context;
		const y = view.yOf(row);
		const { track } = row;
		if (view.selected >= 0 && view.model.slices.track[view.selected] == track.index) {
			c.globalAlpha = 0.5;
			c.fillStyle = colours.band;
			c.fillRect(0, y, view.width, row.height);
			c.globalAlpha = 1;
		}
		c.fillStyle = colours.grid;
		c.fillRect(0, y + row.height - 1, view.width, 1);
		c.fillRect(view.left - 1, y, 1, row.height);
		for (const tick of this.ticks.ticks) {
			const x = Math.round(view.x(tick));
			if (x >= view.left && x <= view.right)
				c.fillRect(x, y, 1, row.height);
		}
		c.fillStyle = colours.text;
		c.textAlign = "left";
		c.fillText(this.elide(track.name, view.gutter - 34), 24,
			y + SIZE.gap / 2 + SIZE.line / 2);
		this.clip(view.left, Math.max(y, SIZE.top), view.right, y + row.height, () => {
			for (let n = 0; n < track.lines.length; n++)
				this.drawLine(track.lines[n], y + SIZE.gap / 2 + n * SIZE.line + 2);
		});
		if (track.times.length)
			this.drawCurves(track, y + SIZE.gap / 2 + track.lines.length * SIZE.line);
	}

	drawLine(line, y) {
		const { view } = this;
		const { slices } = view.model;
		const list = line.slices;
		const tiny = 1.5 * view.perPixel;
		for (let n = line.firstEnding(slices, view.from - 4 * view.perPixel); n < list.length;) {
			const i = list[n];
			if (slices.start[i] > view.to)
				break;
			if (slices.end[i] - slices.start[i] >= tiny) {
				this.drawBar(i, n, y);
				n++;
				continue;
			}
			/* All slices that begin within two pixels become one tick, except for a last long one. */
			let next = line.firstStarting(slices, slices.start[i] + 2 * view.perPixel, n + 1);
			const last = list[next - 1];
			if (next > n + 1 && slices.end[last] - slices.start[last] >= tiny)
				next--;
			this.drawTick(line, n, next, y);
			n = next;
		}
	}

	drawBar(i, n, y) {
		const { view, colours } = this;
		const { slices } = view.model;
		const c = this.context;
		const x = Math.max(view.x(slices.start[i]), view.left - 3);
		const right = Math.min(view.x(slices.end[i]), view.right + 3);
		const width = Math.max(right - x, 2);
		const kind = KIND_OF[slices.kind[i]].id;
		const bad = slices.flags[i] & BAD;
		c.globalAlpha = this.isPale(i) ? 0.22 : 1;
		c.fillStyle = colours[kind];
		c.fillRect(x, y, width, SIZE.bar);
		if (kind == "phase" && n & 1) {
			c.fillStyle = "rgba(0, 0, 0, 0.13)";
			c.fillRect(x, y, width, SIZE.bar);
		}
		if (slices.flags[i] & OPEN || kind == "queue") {
			c.fillStyle = this.hatch("rgba(0, 0, 0, 0.11)");
			c.fillRect(x, y, width, SIZE.bar);
		}
		if (width > 3) {
			c.fillStyle = colours.back;
			c.fillRect(right - 1, y, 1, SIZE.bar);
		}
		if (bad) {
			c.strokeStyle = colours.bad;
			c.lineWidth = 2;
			c.strokeRect(x, y, width, SIZE.bar);
			c.strokeStyle = colours["bad-on-bar"];
			c.lineWidth = 1.5;
			c.strokeRect(x + 1.75, y + 1.75, Math.max(width - 3.5, 1), SIZE.bar - 3.5);
		}
		if (width > 16) {
			const room = width - 10 - (bad ? 14 : 0);
			const text = this.shortName(i, room);
			if (bad)
				this.drawMark(x + 11, y + SIZE.bar / 2, colours["bad-on-bar"]);
			c.fillStyle = colours["on-bar"];
			c.textAlign = "left";
			if (text)
				c.fillText(text, x + 5 + (bad ? 14 : 0), y + SIZE.bar / 2 + 0.5);
		}
		c.globalAlpha = 1;
		this.drawMarks(i, x, y, width);
		this.drawn++;
	}

	/* A sign for "wrong", which needs no colour. */
	drawMark(x, y, colour) {
		const c = this.context;
		c.fillStyle = colour;
		c.beginPath();
		c.moveTo(x, y - 6);
		c.lineTo(x + 6.5, y + 5.5);
		c.lineTo(x - 6.5, y + 5.5);
		c.fill();
		c.fillStyle = colour == this.colours.bad ? this.colours.back : "#ffffff";
		c.fillRect(x - 0.8, y - 2.5, 1.6, 4);
		c.fillRect(x - 0.8, y + 2.6, 1.6, 1.6);
	}

	/* One tick for the slices of a line from n to before next. */
	drawTick(line, n, next, y) {
		const { view, colours } = this;
		const { slices } = view.model;
		const c = this.context;
		const i = line.slices[n];
		const x = Math.round(view.x(slices.start[i]));
		const bad = line.bads[next] > line.bads[n];
		const many = next - n > 1;
		let pale = true;
		for (let k = n; k < next && k < n + 50 && pale; k++)
			pale = this.isPale(line.slices[k]);
		c.globalAlpha = pale ? 0.22 : 1;
		c.fillStyle = bad ? colours.bad : colours[KIND_OF[slices.kind[i]].id];
		c.fillRect(x - 1, y, 3, SIZE.bar);
		if (bad)
			this.drawMark(x + 0.5, y + SIZE.bar / 2, colours.bad);
		if (!many)
			this.drawTickName(line, n, x, y, bad);
		c.globalAlpha = 1;
		for (let k = n; k < next && k < n + 50; k++)
			this.drawMarks(line.slices[k], x - 1, y, 3);
		if (view.selected > i && view.selected <= line.slices[next - 1] && many &&
		    view.model.line(view.selected) == line)
			this.drawMarks(view.selected, x - 1, y, 3);
		this.drawn++;
	}

	/* The name of an instant stands to its right if nothing else is there. */
	drawTickName(line, n, x, y, bad) {
		const { view, colours } = this;
		const { slices } = view.model;
		const following = n + 1 < line.slices.length
			? view.x(slices.start[line.slices[n + 1]]) : view.right;
		const begin = x + (bad ? 11 : 6);
		const room = Math.min(following, view.right) - begin - 4;
		if (room < 22)
			return;
		const text = this.shortName(line.slices[n], room);
		this.context.fillStyle = bad ? colours["bad-text"] : colours.text;
		this.context.textAlign = "left";
		if (text)
			this.context.fillText(text, begin, y + SIZE.bar / 2 + 0.5);
	}

	isPale(i) {
		const { view } = this;
		return !view.inFilter(i) || (view.isMatch && !view.isMatch[i]);
	}

	/* Frames of the selected slice and of the one below the pointer. */
	drawMarks(i, x, y, width) {
		const { view, colours } = this;
		const c = this.context;
		if (i != view.selected && i != view.hovered)
			return;
		c.strokeStyle = i == view.selected ? colours.accent : colours.text;
		c.lineWidth = i == view.selected ? 2.5 : 1.5;
		c.strokeRect(x - 1.5, y - 1.5, width + 3, SIZE.bar + 3);
	}

	/* --- counters of mbarriers --- */

	drawCurves(track, y) {
		const { view, colours } = this;
		const c = this.context;
		const height = SIZE.curve - 5;
		const scale = (value, low, high) => y + height - (value - low) / Math.max(high - low, 1) *
			(height - 2);
		c.fillStyle = colours.muted;
		c.textAlign = "right";
		const text = track.maxTx > track.minTx ? "pending, tx" : "pending";
		c.fillText(this.elide(text, view.gutter - 30), view.left - 8, y + height / 2);
		this.clip(view.left, Math.max(y - 1, SIZE.top), view.right, y + SIZE.curve, () => {
			if (track.maxTx > track.minTx) {
				this.step(track.times, track.tx, v => scale(v, track.minTx, track.maxTx), y + height);
				c.globalAlpha = 0.3;
				c.fillStyle = colours.tx;
				c.fill();
				c.globalAlpha = 1;
			}
			this.step(track.times, track.pending, v => scale(v, 0, track.maxPending));
			c.strokeStyle = colours.pending;
			c.lineWidth = 1.5;
			c.stroke();
		});
	}

	/* Makes the path of a step curve, closed at "bottom" if that is given. */
	step(times, values, toY, bottom) {
		const { view } = this;
		const c = this.context;
		let n = Math.max(bisect(0, times.length, k => times[k] > view.from) - 1, 0);
		c.beginPath();
		let x = Math.max(view.x(times[n]), view.left - 2);
		if (bottom !== undefined)
			c.moveTo(x, bottom);
		for (let first = true; n < times.length; first = false) {
			/* Of all samples in one pixel, the greatest and the last one are drawn. */
			const next = Math.max(bisect(n, times.length,
				k => times[k] >= times[n] + view.perPixel), n + 1);
			let most = values[n];
			for (let k = n; k < Math.min(next, n + 200); k++)
				most = Math.max(most, values[k]);
			if (first && bottom === undefined)
				c.moveTo(x, toY(values[n]));
			c.lineTo(x, toY(most));
			c.lineTo(x, toY(values[next - 1]));
			x = next < times.length ? view.x(times[next]) : view.x(view.model.length);
			x = Math.min(x, view.right + 2);
			c.lineTo(x, toY(values[next - 1]));
			n = next;
			if (x > view.right)
				break;
		}
		if (bottom !== undefined) {
			c.lineTo(x, bottom);
			c.closePath();
		}
	}
}
