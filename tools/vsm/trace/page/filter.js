/* SPDX-License-Identifier: MIT */
/*
 * The panel that chooses tracks (by cluster, CTA, warp, object) and source lines: a text, and check
 * boxes. A group of tracks has a check box for all of them.
 */

class Filter {
	/* "changed" is called when the view shows something else. */
	constructor(view, changed) {
		this.view = view;
		this.changed = changed;
		this.boxes = [];
		this.groupBoxes = [];
		this.siteBoxes = [];
	}

	fill() {
		const { model } = this.view;
		const tracks = byId("track-list");
		for (const group of model.groups) {
			const box = make("input", { type: "checkbox", checked: true });
			this.groupBoxes.push(box);
			box.onchange = () => this.setGroup(group, box.checked);
			tracks.append(make("label", { className: "group" }, box, group.name));
			for (const track of group.tracks) {
				const one = make("input", { type: "checkbox", checked: true });
				this.boxes[track.index] = one;
				one.onchange = () => this.setTrack(track, one.checked);
				tracks.append(make("label", { className: "track", title: track.full }, one, track.name));
			}
		}
		if (!model.tracks.length)
			tracks.append(make("p", { className: "hint" }, "The trace has no tracks."));
		const sites = byId("site-list");
		const order = model.sites.map((_, i) => i).filter(i => i > 0 && model.sites[i].count);
		for (const i of order.length ? [...order, 0] : []) {
			const box = make("input", { type: "checkbox", checked: true });
			this.siteBoxes[i] = box;
			box.onchange = () => {
				this.setHidden(this.view.hiddenSites, i, !box.checked);
				this.update();
			};
			const { text, insn, count } = model.sites[i];
			sites.append(make("label", { className: "site", title: insn }, box,
				make("span", {}, i ? text : "without a source line"), make("small", {}, String(count))));
		}
		if (!order.length)
			sites.append(make("p", { className: "hint" }, "The trace names no source lines."));
		byId("track-text").oninput = event => {
			this.view.trackText = event.target.value;
			this.update();
		};
		byId("site-text").oninput = event => {
			this.view.siteText = event.target.value;
			this.update();
		};
		byId("filter-clear").onclick = () => this.clear();
	}

	setHidden(set, index, hidden) {
		if (hidden)
			set.add(index);
		else
			set.delete(index);
	}

	setTrack(track, shown) {
		this.setHidden(this.view.hiddenTracks, track.index, !shown);
		this.update();
	}

	setGroup(group, shown) {
		for (const track of group.tracks)
			this.setHidden(this.view.hiddenTracks, track.index, !shown);
		this.update();
	}

	clear() {
		this.view.hiddenTracks.clear();
		this.view.hiddenSites.clear();
		this.view.trackText = this.view.siteText = "";
		this.update();
	}

	update() {
		this.view.layout();
		this.showState();
		this.changed();
	}

	/* Makes the panel say what the view shows. */
	showState() {
		const { view } = this;
		const { model } = view;
		for (const [id, text] of [["track-text", view.trackText], ["site-text", view.siteText]]) {
			if (byId(id).value != text)
				byId(id).value = text;
		}
		for (const group of model.groups) {
			const shown = group.tracks.filter(track => !view.hiddenTracks.has(track.index)).length;
			this.groupBoxes[group.index].checked = shown > 0;
			this.groupBoxes[group.index].indeterminate = shown > 0 && shown < group.tracks.length;
			for (const track of group.tracks)
				this.boxes[track.index].checked = !view.hiddenTracks.has(track.index);
		}
		this.siteBoxes.forEach((box, i) => {
			box.checked = !view.hiddenSites.has(i);
		});
		const filtered = view.hiddenTracks.size || view.trackText || view.filtersSites;
		byId("filter-button").classList.toggle("active", Boolean(filtered));
		const nothing = byId("nothing");
		nothing.hidden = view.rows.length > 0;
		nothing.textContent = model.tracks.length ? "The filter hides all tracks."
			: "The trace has no events.";
	}
}
