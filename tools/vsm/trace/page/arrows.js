/* SPDX-License-Identifier: MIT */
/*
 * Draws what lies over the rows: the arrows from causes to what they caused, and the overview of
 * the whole trace above the axis. These are functions of the painter.
 */

/* Columns of the overview. */
const COLUMNS = 600;

Object.assign(Painter.prototype, {
	drawArrows() {
		const { view } = this;
		if (!view.arrows.length)
			return;
		this.clip(view.left, SIZE.top, view.right, view.height, () => {
			for (const arrow of view.arrows)
				this.drawArrow(arrow);
		});
	},

	drawArrow(arrow) {
		const { view, colours } = this;
		const c = this.context;
		const from = view.box(arrow.from);
		const to = view.box(arrow.to);
		if (!from || !to)
			return;
		/* The arrow leaves the cause at its end, or at its begin if the cause ends later. */
		const x2 = arrow.atEnd ? to.right : to.x;
		const x1 = Math.min(from.right, Math.max(x2, from.x));
		const y1 = from.y + from.height / 2;
		const y2 = to.y + to.height / 2;
		const down = y2 >= y1 ? 1 : -1;
		const far = y1 != y2;
		const startY = far ? y1 + down * from.height / 2 : y1;
		const endY = far ? y2 - down * (to.height / 2 + 1) : y2;
		const bend = Math.max(Math.abs(endY - startY) * 0.5, 14);
		const path = () => {
			c.beginPath();
			c.moveTo(x1, startY);
			c.bezierCurveTo(x1, startY + down * bend, x2, endY - down * bend, x2,
				endY - down * 6);
		};
		c.setLineDash(arrow.missing ? [5, 4] : []);
		c.lineWidth = 4.5;
		c.strokeStyle = colours.back;
		path();
		c.stroke();
		c.lineWidth = 2;
		c.strokeStyle = c.fillStyle = arrow.missing ? colours.bad : colours.accent;
		path();
		c.stroke();
		c.setLineDash([]);
		c.beginPath();
		c.moveTo(x2, endY);
		c.lineTo(x2 - 5, endY - down * 9);
		c.lineTo(x2 + 5, endY - down * 9);
		c.fill();
		c.beginPath();
		c.arc(x1, startY, 3, 0, 2 * Math.PI);
		c.fill();
	},

	/* --- overview --- */

	/* Counts the slices that begin in each column, once. */
	makeOverview() {
		const { model } = this.view;
		const { slices } = model;
		const counts = new Float64Array(COLUMNS);
		const bads = new Uint8Array(COLUMNS);
		const column = time => Math.min(Math.floor(time / model.length * COLUMNS), COLUMNS - 1);
		for (let i = 0; i < slices.count; i++)
			counts[column(slices.start[i])]++;
		for (const i of model.problems)
			bads[column(slices.start[i])] = 1;
		const most = counts.reduce((a, b) => Math.max(a, b), 1);
		this.overview = { levels: counts.map(count => Math.sqrt(count / most)), bads };
	},

	overviewX(time) {
		const { view } = this;
		return view.left + time / view.model.length * (view.right - view.left);
	},

	overviewTime(x) {
		const { view } = this;
		return (x - view.left) / (view.right - view.left) * view.model.length;
	},

	drawOverview() {
		const { view, colours } = this;
		const c = this.context;
		if (!this.overview)
			this.makeOverview();
		const height = SIZE.overview;
		c.fillStyle = colours.back;
		c.fillRect(0, 0, view.width, height);
		c.fillStyle = colours.muted;
		c.textAlign = "left";
		c.fillText("All", 10, height / 2);
		c.globalAlpha = 0.55;
		const step = (view.right - view.left) / COLUMNS;
		this.overview.levels.forEach((level, n) => {
			const tall = level ? Math.max(level * (height - 10), 2) : 0;
			c.fillRect(view.left + n * step, height - 4 - tall, step + 0.3, tall);
		});
		c.globalAlpha = 1;
		c.fillStyle = colours.bad;
		this.overview.bads.forEach((bad, n) => {
			if (bad)
				c.fillRect(view.left + n * step - 1, 3, 3, height - 6);
		});
		const x = Math.max(this.overviewX(view.from), view.left);
		const right = Math.min(this.overviewX(view.to), view.right);
		c.fillStyle = colours.accent;
		c.globalAlpha = 0.13;
		c.fillRect(x, 1, Math.max(right - x, 2), height - 2);
		c.globalAlpha = 1;
		c.strokeStyle = colours.accent;
		c.lineWidth = 1.5;
		c.strokeRect(x, 1.5, Math.max(right - x, 2), height - 3);
		c.fillStyle = colours.rule;
		c.fillRect(0, height - 1, view.width, 1);
	},
});
