/* SPDX-License-Identifier: MIT */
/*
 * The model: what the trace says. It is read once from the JSON in the page, and never changes.
 * html.c writes the JSON: tables of columns, and all texts in one list.
 */

/* Kinds of tracks and slices, as timeline.h numbers them. */
const TRACK = { WARP: 0, MBARRIER: 1, COPY: 2, JOB: 3 };
const SLICE = {
	INSN: 0, WAIT: 1, ARRIVE: 2, PHASE: 3, ISSUE: 4, COPY: 5, JOB: 6, QUEUE: 7, FAULT: 8, LOST: 9,
};

/* The order of the legend, and the name of each kind of slice. */
const KINDS = [
	{ kind: SLICE.WAIT, id: "wait", name: "wait" },
	{ kind: SLICE.PHASE, id: "phase", name: "phase" },
	{ kind: SLICE.COPY, id: "copy", name: "copy" },
	{ kind: SLICE.JOB, id: "job", name: "job" },
	{ kind: SLICE.QUEUE, id: "queue", name: "job in the queue" },
	{ kind: SLICE.INSN, id: "insn", name: "instruction" },
	{ kind: SLICE.ARRIVE, id: "arrive", name: "arrival" },
	{ kind: SLICE.ISSUE, id: "issue", name: "copy issued" },
	{ kind: SLICE.FAULT, id: "fault", name: "fault" },
	{ kind: SLICE.LOST, id: "lost", name: "loss or reset" },
];
const KIND_OF = [];
for (const entry of KINDS)
	KIND_OF[entry.kind] = entry;

const OPEN = 1;
const BAD = 2;

/* Returns the first index in [low, high) for which test() is true; high if there is none. */
function bisect(low, high, test) {
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (test(middle))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* The differences of a column are in the JSON, because they have fewer digits. */
function sums(column) {
	const out = new Float64Array(column.length);
	let sum = 0;
	for (let i = 0; i < column.length; i++)
		out[i] = sum += column[i];
	return out;
}

/* Indexes by a key: the indexes with key k are list[first[k]] to list[first[k + 1] - 1]. */
function indexBy(keys, count) {
	const first = new Uint32Array(count + 1);
	for (const key of keys)
		first[key + 1]++;
	for (let i = 0; i < count; i++)
		first[i + 1] += first[i];
	const next = first.slice();
	const list = new Uint32Array(keys.length);
	for (let i = 0; i < keys.length; i++)
		list[next[keys[i]]++] = i;
	return { first, list, of: key => list.subarray(first[key], first[key + 1]) };
}

/* A line of a track. Its slices are in the order of time and do not overlap. */
class Line {
	constructor() {
		this.slices = [];
		this.bads = null;
	}

	/* Counts bad slices, so that merged slices can be marked. */
	finish(slices) {
		this.slices = Uint32Array.from(this.slices);
		this.bads = new Uint32Array(this.slices.length + 1);
		for (let i = 0; i < this.slices.length; i++)
			this.bads[i + 1] = this.bads[i] + (slices.flags[this.slices[i]] & BAD ? 1 : 0);
	}

	/* The index of the first slice that ends at a time or later. */
	firstEnding(slices, time) {
		return bisect(0, this.slices.length, i => slices.end[this.slices[i]] >= time);
	}

	/* The index of the first slice that begins at a time or later. */
	firstStarting(slices, time, from = 0) {
		return bisect(from, this.slices.length, i => slices.start[this.slices[i]] >= time);
	}
}

function readTracks(json, strings) {
	const t = json.tracks;
	const groups = new Map();
	return t.kind.map((kind, index) => {
		const owner = kind <= TRACK.MBARRIER
			? `Cluster ${t.cluster[index]}, CTA ${t.cta[index]}`
			: `Client ${t.client[index]}, channel ${t.channel[index]}`;
		const what = ["threads", "mbarriers", "copies", "jobs"][kind];
		const name = `${owner}: ${what}`;
		if (!groups.has(name))
			groups.set(name, { name, tracks: [], index: groups.size });
		const group = groups.get(name);
		const track = {
			index, kind, group, name: strings[t.name[index]],
			lines: [], times: [], pending: [], tx: [], maxPending: 0, maxTx: 0, minTx: 0,
		};
		track.full = `${owner}, ${track.name}`;
		track.words = `${owner} ${what} ${track.name}`.toLowerCase().replace(/,/g, "");
		group.tracks.push(track);
		return track;
	});
}

function readSlices(json) {
	const s = json.slices;
	const start = sums(s.start);
	const end = Float64Array.from(s.length, (length, i) => start[i] + length);
	return {
		count: start.length, start, end,
		track: Uint32Array.from(s.track), kind: Uint8Array.from(s.kind),
		flags: Uint8Array.from(s.flags), line: Uint32Array.from(s.line),
		name: Uint32Array.from(s.name), site: Uint32Array.from(s.site),
		object: Uint32Array.from(s.object),
	};
}

/* Makes the lines of each track. Slices of a line do not overlap: vsm has seen to that. */
function makeLines(tracks, slices) {
	for (let i = 0; i < slices.count; i++) {
		const lines = tracks[slices.track[i]].lines;
		while (lines.length <= slices.line[i])
			lines.push(new Line());
		lines[slices.line[i]].slices.push(i);
	}
	for (const track of tracks) {
		if (!track.lines.length)
			track.lines.push(new Line());
		for (const line of track.lines)
			line.finish(slices);
	}
}

function readSamples(json, tracks) {
	const s = json.samples;
	const times = sums(s.time);
	for (let i = 0; i < times.length; i++) {
		const track = tracks[s.track[i]];
		track.times.push(times[i]);
		track.pending.push(s.pending[i]);
		track.tx.push(s.tx[i]);
		track.maxPending = Math.max(track.maxPending, s.pending[i]);
		track.maxTx = Math.max(track.maxTx, s.tx[i]);
		track.minTx = Math.min(track.minTx, s.tx[i]);
	}
}

class Model {
	constructor(json) {
		this.strings = json.strings;
		this.title = json.title;
		this.note = json.note;
		this.lost = json.lost;
		this.events = json.events;
		this.length = Math.max(json.length, 1);
		this.tracks = readTracks(json, this.strings);
		this.groups = [...new Set(this.tracks.map(track => track.group))];
		this.slices = readSlices(json);
		makeLines(this.tracks, this.slices);
		readSamples(json, this.tracks);
		this.detailTexts = json.details;
		this.firstDetail = new Uint32Array(this.slices.count + 1);
		json.slices.details.forEach((count, i) => {
			this.firstDetail[i + 1] = this.firstDetail[i] + count;
		});
		this.flows = json.flows;
		this.flowsTo = indexBy(json.flows.to, this.slices.count);
		this.flowsFrom = indexBy(json.flows.from, this.slices.count);
		this.readSites(json);
		this.problems = [];
		for (let i = 0; i < this.slices.count; i++) {
			if (this.slices.flags[i] & BAD && this.slices.kind[i] != SLICE.PHASE &&
			    !this.isRefused(i))
				this.problems.push(i);
		}
	}

	/* Is the slice an instruction that was refused? The fault beside it says why. */
	isRefused(i) {
		const { kind, track, start } = this.slices;
		if (kind[i] != SLICE.INSN)
			return false;
		for (const step of [-1, 1]) {
			for (let k = i + step; start[k] == start[i]; k += step) {
				if (kind[k] == SLICE.FAULT && track[k] == track[i])
					return true;
			}
		}
		return false;
	}

	/* Site 0 stands for "no place"; it is not in the JSON. */
	readSites(json) {
		this.sites = [{ text: "", insn: "", count: 0 }];
		json.sites.text.forEach((text, i) => this.sites.push({
			text: this.strings[text], insn: this.strings[json.sites.insn[i]], count: 0,
		}));
		for (const site of this.slices.site)
			this.sites[site].count++;
	}

	name(i) {
		return this.strings[this.slices.name[i]];
	}

	track(i) {
		return this.tracks[this.slices.track[i]];
	}

	line(i) {
		return this.track(i).lines[this.slices.line[i]];
	}

	open(i) {
		return (this.slices.flags[i] & OPEN) != 0;
	}

	bad(i) {
		return (this.slices.flags[i] & BAD) != 0;
	}

	/* The details of a slice: pairs of a name and a value. */
	details(i) {
		const pairs = [];
		for (let n = this.firstDetail[i]; n < this.firstDetail[i + 1]; n++) {
			const text = this.strings[this.detailTexts[n]];
			const colon = text.indexOf(": ");
			pairs.push(colon < 0 ? ["", text] : [text.slice(0, colon), text.slice(colon + 2)]);
		}
		return pairs;
	}

	/* What brought a slice about, and what it brought about: flows, as { slice, atEnd }. */
	causes(i) {
		return Array.from(this.flowsTo.of(i), flow => ({
			slice: this.flows.from[flow], atEnd: !!this.flows.end[flow],
		}));
	}

	effects(i) {
		return Array.from(this.flowsFrom.of(i), flow => ({
			slice: this.flows.to[flow], atEnd: !!this.flows.end[flow],
		}));
	}

	/* The phase that a wait without end waits for: the last one of its mbarrier, if it is open. */
	missing(i) {
		if (this.slices.kind[i] != SLICE.WAIT || !this.open(i) || !this.slices.object[i])
			return -1;
		for (const line of this.tracks[this.slices.object[i] - 1].lines) {
			const last = line.slices[line.slices.length - 1];
			if (last !== undefined && this.open(last))
				return last;
		}
		return -1;
	}

	/* What an open phase still needs, in words; "" if that is not known. */
	needs(i) {
		const track = this.track(i);
		const last = track.times.length - 1;
		if (last < 0 || !this.open(i))
			return "";
		const parts = [];
		if (track.pending[last])
			parts.push(plural(track.pending[last], "arrival"));
		if (track.tx[last])
			parts.push(plural(track.tx[last], "byte"));
		return parts.join(" and ");
	}

	/*
	 * The chain of arrows of a slice: all its causes, their causes, and what it brought about
	 * itself. An arrow that is "missing" leads from an open phase to the wait for it.
	 */
	chain(i) {
		const arrows = [];
		const seen = new Set([i]);
		const todo = [i];
		while (todo.length && arrows.length < 200) {
			const to = todo.shift();
			for (const cause of this.causes(to)) {
				arrows.push({ from: cause.slice, to, atEnd: cause.atEnd, missing: false });
				if (!seen.has(cause.slice))
					todo.push(cause.slice);
				seen.add(cause.slice);
			}
			const phase = this.missing(to);
			if (phase >= 0)
				arrows.push({ from: phase, to, atEnd: true, missing: true });
		}
		for (const effect of this.effects(i).slice(0, 200))
			arrows.push({ from: i, to: effect.slice, atEnd: effect.atEnd, missing: false });
		return arrows;
	}

	/* Slices in whose name, track, place or details a text is. */
	search(text) {
		const words = text.toLowerCase().split(/\s+/).filter(word => word);
		if (!words.length)
			return [];
		const lower = this.lowerStrings || (this.lowerStrings =
			this.strings.map(string => string.toLowerCase()));
		const hits = words.map(word => lower.map(string => string.includes(word)));
		const inTrack = words.map(word => this.tracks.map(track => track.words.includes(word)));
		const inSite = words.map(word => this.sites.map(site =>
			`${site.text} ${site.insn}`.toLowerCase().includes(word)));
		const found = [];
		for (let i = 0; i < this.slices.count; i++) {
			if (words.every((_, w) => this.hasWord(i, hits[w], inTrack[w], inSite[w])))
				found.push(i);
		}
		return found;
	}

	hasWord(i, hits, inTrack, inSite) {
		const s = this.slices;
		if (hits[s.name[i]] || inTrack[s.track[i]] || inSite[s.site[i]])
			return true;
		for (let n = this.firstDetail[i]; n < this.firstDetail[i + 1]; n++) {
			if (hits[this.detailTexts[n]])
				return true;
		}
		return false;
	}
}

/* Does a text with words have the phrase? A number in the phrase must be a whole number there. */
function hasPhrase(text, phrase) {
	for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1)) {
		const before = text[at - 1] || " ";
		const after = text[at + phrase.length] || " ";
		const digit = c => c >= "0" && c <= "9";
		if (!(digit(phrase[0]) && digit(before)) &&
		    !(digit(phrase[phrase.length - 1]) && digit(after)))
			return true;
	}
	return false;
}

/* Does a text match a filter? Commas separate alternatives; each word of one must be there. */
function matchesFilter(text, filter) {
	const alternatives = filter.toLowerCase().split(",").map(part => part.trim())
		.filter(part => part);
	if (!alternatives.length)
		return true;
	return alternatives.some(part => phrases(part).every(phrase => hasPhrase(text, phrase)));
}

/* Splits "cta 0 warp 3 full" into phrases: a word and the number after it belong together. */
function phrases(part) {
	const out = [];
	for (const word of part.split(/\s+/)) {
		if (/^\d+$/.test(word) && out.length && !/\d$/.test(out[out.length - 1]))
			out[out.length - 1] += ` ${word}`;
		else
			out.push(word);
	}
	return out;
}

/*
 * "12.5 µs": a time in ns. "step" is the difference that the digits have to show; "largest" is the
 * time that chooses the unit.
 */
function showTime(ns, step = 0, largest = ns) {
	const size = Math.max(Math.abs(largest), step);
	const [unit, name] = size >= 1e9 ? [1e9, "s"] : size >= 1e6 ? [1e6, "ms"] :
		size >= 1e3 ? [1e3, "µs"] : [1, "ns"];
	let digits = 0;
	if (unit > 1) {
		digits = step ? Math.ceil(-Math.log10(step / unit) - 1e-9)
			: 3 - Math.floor(Math.log10(Math.max(size / unit, 1)) + 1e-9);
		digits = Math.min(Math.max(digits, 0), Math.round(Math.log10(unit)));
	}
	return `${(ns / unit).toFixed(digits)} ${name}`;
}

function plural(count, one, many = `${one}s`) {
	return `${count.toLocaleString("en")} ${count == 1 ? one : many}`;
}
