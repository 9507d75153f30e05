// SPDX-License-Identifier: MIT
/*
 * Writes a part of a timeline as SVG, for documents. The picture depends on nothing but the
 * timeline. Its size is limited: slices that are too narrow are drawn as one.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "text.h"
#include "trace/timeline.h"

/* --- where everything is -------------------------------------------------- */

/* Sizes in pixels. */
#define PICTURE_WIDTH	1000
#define GUTTER		150
#define RIGHT		(PICTURE_WIDTH - 12)
#define TOP		42
#define HEADER		22
#define LINE		20
#define BAR		16
#define GAP		5
#define CURVE		20

/* A picture with more tracks would not be readable. */
#define MAX_ROWS	60

/* A track of the picture */
struct row {
	size_t track;	/* index of the track */
	uint32_t lines;	/* number of its lines */
	bool header;	/* whether the name of its group stands above it */
	bool curves;	/* whether it has curves of pending arrivals and of the tx-count */
	int y;		/* where it begins, below the header */
	int height;	/* its height, without the header */
};

/* A picture */
struct picture {
	FILE *out;				/* where it is written to */
	const struct timeline *timeline;	/* what it shows */
	uint64_t from;	/* begin of the time that it shows, in ns since the start of the timeline */
	uint64_t to;				/* end of that time, later than @from */
	struct row rows[MAX_ROWS];		/* tracks that have something in that time */
	size_t row_count;			/* number of @rows */
	size_t left_out;			/* number of tracks for which there is no place */
	size_t *row_of;				/* for each track, its row plus 1, or 0 */
	int height;				/* height of the picture without its legend */
	unsigned int kinds;	/* mask of the kinds of slices that the picture has */
};

/* Widths of letters, on average, in a wide font of 11 pixels. */
#define LETTER	6.1
#define CAPITAL	7.9

/* Fewer letters of a name say nothing. */
#define LEAST_LETTERS 7

static double letter_width(uint32_t character)
{
	return (character >= 'A' && character <= 'Z') || character > 0x7f ? CAPITAL : LETTER;
}

/* Returns the place of a time, which may be outside of the picture. */
static double picture_x(const struct picture *picture, uint64_t time)
{
	double span = picture->to - picture->from;
	double since = time >= picture->from ? (double)(time - picture->from)
					     : -(double)(picture->from - time);

	return GUTTER + since / span * (RIGHT - GUTTER);
}

/* Is any part of the slice in the time of the picture? */
static bool picture_shows(const struct picture *picture, const struct slice *slice)
{
	return slice->end >= picture->from && slice->start <= picture->to;
}

/* Returns the upper end of the bar of a slice. Its track must have a row. */
static int picture_bar(const struct picture *picture, const struct slice *slice)
{
	const struct row *row = &picture->rows[picture->row_of[slice->track] - 1];

	return row->y + 3 + slice->line * LINE;
}

static bool same_group(const struct track *a, const struct track *b)
{
	return a->kind == b->kind && a->cluster == b->cluster && a->client == b->client &&
	       (a->kind <= TRACK_MBARRIER ? a->cta == b->cta : a->channel == b->channel);
}

/* Returns the number of lines that each track needs in the time of the picture. */
static uint32_t *count_lines(const struct picture *picture)
{
	const struct timeline *timeline = picture->timeline;
	uint32_t *lines = must(calloc(timeline->track_count + 1, sizeof(*lines)));
	const struct slice *slice;
	size_t i;

	for (i = 0; i < timeline->slice_count; i++) {
		slice = &timeline->slices[i];
		if (picture_shows(picture, slice) && lines[slice->track] <= slice->line)
			lines[slice->track] = slice->line + 1;
	}
	return lines;
}

static bool *find_sampled(const struct timeline *timeline)
{
	bool *sampled = must(calloc(timeline->track_count + 1, sizeof(*sampled)));
	size_t i;

	for (i = 0; i < timeline->sample_count; i++)
		sampled[timeline->samples[i].track] = true;
	return sampled;
}

/* Chooses the rows and computes their places. */
static void picture_layout(struct picture *picture)
{
	const struct timeline *timeline = picture->timeline;
	const struct track *before = NULL;
	uint32_t *lines = count_lines(picture);
	bool *sampled = find_sampled(timeline);
	struct row *row;
	int y = TOP;
	size_t i;

	picture->row_of = must(calloc(timeline->track_count + 1, sizeof(*picture->row_of)));
	for (i = 0; i < timeline->track_count; i++) {
		if (!lines[i])
			continue;
		if (picture->row_count == MAX_ROWS) {
			picture->left_out++;
			continue;
		}
		row = &picture->rows[picture->row_count++];
		picture->row_of[i] = picture->row_count;
		row->track = i;
		row->lines = lines[i];
		row->curves = sampled[i];
		row->header = !before || !same_group(before, &timeline->tracks[i]);
		before = &timeline->tracks[i];
		if (row->header)
			y += HEADER;
		row->y = y;
		row->height = lines[i] * LINE + GAP + (row->curves ? CURVE : 0);
		y += row->height;
	}
	picture->height = y;
	free(lines);
	free(sampled);
}

/* Writes a rectangle. @class is the class of CSS. */
static void picture_rect(const struct picture *picture, const char *class, double x, double y,
			 double width, double height)
{
	fprintf(picture->out,
		"<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
		class, x, y, width, height);
}

/* Returns the bytes of a text that fit into @width pixels, and sets @letters to their letters. */
static size_t fitting(const char *text, double width, unsigned int *letters)
{
	size_t size = strlen(text), at = 0, bytes;
	uint32_t character;

	for (*letters = 0; at < size; at += bytes, ++*letters) {
		bytes = utf8_next(text + at, size - at, &character);
		width -= letter_width(character);
		if (width < 0)
			break;
	}
	return at;
}

/* Returns the width that a text needs at most. */
static double picture_text_width(const char *text)
{
	size_t size = strlen(text), bytes;
	uint32_t character;
	double width = 0;

	for (; size; text += bytes, size -= bytes) {
		bytes = utf8_next(text, size, &character);
		width += letter_width(character);
	}
	return width;
}

/* Writes a text, which is shortened to @width pixels. Writes nothing if it does not fit at all. */
static void picture_text(const struct picture *picture, const char *class, double x, double y,
			 double width, const char *text)
{
	bool cut = picture_text_width(text) > width;
	unsigned int letters;
	size_t size = fitting(text, cut ? width - CAPITAL : width, &letters);

	if (cut && letters < LEAST_LETTERS)
		return;
	fprintf(picture->out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
	escape_xml(picture->out, text, size, false);
	fprintf(picture->out, "%s</text>\n", cut ? "\u2026" : "");
}

/* Writes a time such as "12.5 µs", with the digits that a difference of @step needs. */
static void picture_time(char *text, size_t size, uint64_t time, uint64_t step)
{
	static const struct {
		uint64_t ns;
		const char *name;
		int digits;
	} units[] = {
		{ 1000000000, "s", 9 },
		{ 1000000, "ms", 6 },
		{ 1000, "\u00b5s", 3 },
		{ 1, "ns", 0 },
	};
	uint64_t place;
	unsigned int i;
	int digits = 0;

	for (i = 0; i < ARRAY_SIZE(units) - 1; i++) {
		if (time >= units[i].ns || step >= units[i].ns)
			break;
	}
	for (place = units[i].ns; place > step && digits < units[i].digits; place /= 10)
		digits++;
	snprintf(text, size, "%.*f %s", digits, (double)time / units[i].ns, units[i].name);
}

/* --- what is drawn -------------------------------------------------------- */

/* Slices that are narrower, in pixels, are drawn with their neighbours. */
#define NARROW 3

/* Arrows that are drawn at most. */
#define MAX_ARROWS 60

/* Classes of the kinds of slices, and their names in the legend. */
static const struct {
	const char *class;
	const char *name;
} kinds[] = {
	[SLICE_INSN] = { "insn", "instruction" },
	[SLICE_WAIT] = { "wait", "wait" },
	[SLICE_ARRIVE] = { "arrive", "arrival" },
	[SLICE_PHASE] = { "phase", "phase" },
	[SLICE_ISSUE] = { "issue", "copy issued" },
	[SLICE_COPY] = { "copy", "copy" },
	[SLICE_JOB] = { "job", "job" },
	[SLICE_QUEUE] = { "queue", "job in the queue" },
	[SLICE_FAULT] = { "fault", "fault" },
	[SLICE_LOST] = { "lost", "loss or reset" },
};

/* The colours are those of page/colours.css. */
static const char style[] =
	"<style>\n"
	"svg { color-scheme: light dark; font: 11px sans-serif; }\n"
	".back { fill: #ffffff; } .band { fill: #e9edf2; } .grid { fill: #e3e7ec; }\n"
	"text { fill: #1a1f26; } .head { font-weight: bold; } .muted { fill: #57606b; }\n"
	".on { fill: #101418; } .wrong { fill: #ab2f08; }\n"
	".end { text-anchor: end; }\n"
	".wait { fill: #f0ae2e; } .phase { fill: #8ccaf2; } .copy { fill: #57c3a0; }\n"
	".job { fill: #a9b8f0; } .queue { fill: #cdd3da; } .insn { fill: #5d6773; }\n"
	".arrive { fill: #00795a; } .issue { fill: #a23f7b; }\n"
	".fault, .lost, .mark { fill: #c8370a; } .odd { fill: #000000; opacity: 0.13; }\n"
	".sign, .sign-on { fill: #ffffff; } .mark-on { fill: #9c1a00; }\n"
	".inner { fill: none; stroke: #9c1a00; stroke-width: 1.5; }\n"
	".frame { fill: none; stroke: #c8370a; stroke-width: 2; }\n"
	".pending { fill: none; stroke: #8a4b00; stroke-width: 1.5; }\n"
	".tx { fill: #0072b2; opacity: 0.3; }\n"
	".arrow { fill: none; stroke: #0b5cad; stroke-width: 1.5; } .tip { fill: #0b5cad; }\n"
	"@media (prefers-color-scheme: dark) {\n"
	".back { fill: #13171c; } .band { fill: #252c35; } .grid { fill: #262d36; }\n"
	"text { fill: #e7ebf0; } .muted { fill: #a3adb9; } .on { fill: #101418; }\n"
	".wrong { fill: #ff9a70; }\n"
	".wait { fill: #e69f00; } .phase { fill: #5fb4e6; } .copy { fill: #2fae88; }\n"
	".job { fill: #93a5ea; } .queue { fill: #8d96a1; } .insn { fill: #a6b0bc; }\n"
	".arrive { fill: #3ccf9f; } .issue { fill: #e59cc6; }\n"
	".fault, .lost, .mark { fill: #ff7a45; } .sign { fill: #13171c; }\n"
	".frame { stroke: #ff7a45; } .pending { stroke: #f0c26a; } .tx { fill: #56b4e9; }\n"
	".arrow { stroke: #6cb6ff; } .tip { fill: #6cb6ff; }\n"
	"}\n"
	"</style>\n";

/* --- head --- */

static void put_element(FILE *out, const char *name, const char *text)
{
	fprintf(out, "<%s id=\"%s\">", name, name);
	escape_xml(out, text, strlen(text), false);
	fprintf(out, "</%s>\n", name);
}

/* Writes what the picture shows, for those who do not see it. */
static void put_desc(const struct picture *picture)
{
	const struct timeline *timeline = picture->timeline;
	const struct slice *slice;
	char from[40], to[40];
	unsigned int named = 0;
	size_t i;

	picture_time(from, sizeof(from), picture->from, 1);
	picture_time(to, sizeof(to), picture->to, 1);
	fprintf(picture->out, "<desc id=\"desc\">%zu tracks, from %s to %s.", picture->row_count,
		from, to);
	for (i = 0; i < timeline->slice_count && named < 10; i++) {
		slice = &timeline->slices[i];
		if (!slice->bad || !picture->row_of[slice->track] || !picture_shows(picture, slice))
			continue;
		fputs(" Wrong: ", picture->out);
		escape_xml(picture->out, slice->name, strlen(slice->name), false);
		fputs(slice->open ? ", which never ends." : ".", picture->out);
		named++;
	}
	fputs("</desc>\n", picture->out);
}

/* --- axis --- */

/* Returns a step of 1, 2 or 5 times a power of ten, so that labels have about 110 pixels. */
static uint64_t tick_step(const struct picture *picture)
{
	double wanted = (double)(picture->to - picture->from) * 110 / (RIGHT - GUTTER);
	uint64_t power = 1;

	while (power * 10 <= wanted)
		power *= 10;
	if (power >= wanted)
		return power;
	return wanted <= 2 * power ? 2 * power : wanted <= 5 * power ? 5 * power : 10 * power;
}

static void put_tick(const struct picture *picture, uint64_t tick, uint64_t step)
{
	double x = picture_x(picture, tick);
	char text[40];

	picture_rect(picture, "grid", x, TOP - 8, 1, picture->height - TOP + 8);
	picture_time(text, sizeof(text), tick, step);
	if (x + picture_text_width(text) < PICTURE_WIDTH)
		picture_text(picture, "muted", x + 3, TOP - 10, 200, text);
}

static void put_axis(const struct picture *picture)
{
	uint64_t step = tick_step(picture), tick = picture->from / step * step;

	/* Times may be as great as their type allows, so no sum may be beyond the end. */
	for (; tick <= picture->to; tick += step) {
		if (tick >= picture->from)
			put_tick(picture, tick, step);
		if (picture->to - tick < step)
			break;
	}
}

/* --- slices --- */

/* Writes a sign for "wrong", which needs no colour. @on: it is on a bar. */
static void put_mark(const struct picture *picture, double x, double y, bool on)
{
	const char *class = on ? "sign-on" : "sign";

	fprintf(picture->out, "<path class=\"%s\" d=\"M%.1f %.1fl6.5 12h-13z\"/>\n",
		on ? "mark-on" : "mark", x, y - 6.5);
	picture_rect(picture, class, x - 0.8, y - 2, 1.6, 4);
	picture_rect(picture, class, x - 0.8, y + 3, 1.6, 1.6);
}

static double clip(double x)
{
	return x < GUTTER ? GUTTER : x > RIGHT ? RIGHT : x;
}

/*
 * Writes the name of a slice. If there is no place for all of it, the last word says most: it is
 * the object. The names of copies and jobs end otherwise.
 */
static void put_name(const struct picture *picture, const char *class, double x, double y,
		     double width, const struct slice *slice)
{
	const char *ending = !slice->open ? "" :
			     slice->kind == SLICE_WAIT ? " (never ends)" : " (open)";
	bool object = slice->kind <= SLICE_PHASE || slice->kind == SLICE_FAULT;
	const char *space = object ? strrchr(slice->name, ' ') : NULL;
	const char *last = space ? space + 1 : slice->name;
	char text[600];
	unsigned int i;

	for (i = 0; i < 4; i++) {
		snprintf(text, sizeof(text), "%s%s", i % 2 ? last : slice->name,
			 i < 2 ? ending : "");
		if (picture_text_width(text) <= width)
			break;
	}
	if (i == 4)
		snprintf(text, sizeof(text), "%s",
			 slice->kind == SLICE_FAULT ? "fault" : slice->name);
	picture_text(picture, class, x, y, width, text);
}

/* Writes a slice that is wide enough to be seen. @number is that of the slice on its line. */
static void put_bar(const struct picture *picture, const struct slice *slice, size_t number)
{
	double x = clip(picture_x(picture, slice->start)), y = picture_bar(picture, slice);
	double width = clip(picture_x(picture, slice->end)) - x;
	double place = x + 4;

	picture_rect(picture, kinds[slice->kind].class, x, y, fmax(width - 0.8, 1), BAR);
	if (slice->kind == SLICE_PHASE && number % 2)
		picture_rect(picture, "odd", x, y, fmax(width - 0.8, 1), BAR);
	if (slice->bad) {
		picture_rect(picture, "frame", x, y, fmax(width - 1, 1), BAR);
		picture_rect(picture, "inner", x + 1.8, y + 1.8, fmax(width - 4.5, 1), BAR - 3.6);
		if (width > 18) {
			put_mark(picture, x + 11, y + BAR / 2, true);
			place = x + 21;
		}
	}
	put_name(picture, "on", place, y + 12, x + width - place - 3, slice);
}

/* Writes slices that are too narrow to be seen: a tick, or a block if they are many. */
static void put_narrow(const struct picture *picture, const struct slice *const *slices,
		       size_t count, double width)
{
	double x = picture_x(picture, slices[0]->start);
	double right = fmax(picture_x(picture, slices[count - 1]->end), x + 2);
	double y = picture_bar(picture, slices[0]);
	const struct slice *bad = NULL;
	size_t i;

	/* The fault tells more than the instruction that was refused. */
	for (i = 0; i < count; i++) {
		if (slices[i]->bad && (!bad || slices[i]->kind == SLICE_FAULT))
			bad = slices[i];
	}
	picture_rect(picture, bad ? "fault" : kinds[slices[0]->kind].class, x - 1, y, right - x,
		     BAR);
	width -= right - x + 6;
	if (bad) {
		put_mark(picture, x, y + BAR / 2, false);
		put_name(picture, "wrong", right + 8, y + 12, width - 5, bad);
	} else if (count == 1) {
		put_name(picture, "label", right + 3, y + 12, width, slices[0]);
	}
}

static bool is_narrow(const struct picture *picture, const struct slice *slice)
{
	return picture_x(picture, slice->end) - picture_x(picture, slice->start) < NARROW;
}

static void put_line(struct picture *picture, const struct slice *const *slices, size_t count)
{
	size_t i, next;
	double x, reach;

	for (i = 0; i < count; i = next) {
		next = i + 1;
		picture->kinds |= BIT(slices[i]->kind);
		if (!is_narrow(picture, slices[i])) {
			put_bar(picture, slices[i], i);
			continue;
		}
		reach = picture_x(picture, slices[i]->end) + NARROW;
		while (next < count && is_narrow(picture, slices[next]) &&
		       picture_x(picture, slices[next]->start) < reach) {
			picture->kinds |= BIT(slices[next]->kind);
			reach = picture_x(picture, slices[next++]->end) + NARROW;
		}
		x = next < count ? picture_x(picture, slices[next]->start) : RIGHT;
		put_narrow(picture, slices + i, next - i, x - picture_x(picture, slices[i]->start));
	}
}

static void put_slices(struct picture *picture, const struct row *row)
{
	const struct timeline *timeline = picture->timeline;
	const struct slice **slices = NULL, **chosen, *slice;
	size_t i, count = 0, chosen_count;
	uint32_t line;

	for (i = 0; i < timeline->slice_count; i++) {
		slice = &timeline->slices[i];
		if (slice->track == row->track && picture_shows(picture, slice)) {
			slices = grow(slices, count, sizeof(*slices));
			slices[count++] = slice;
		}
	}
	chosen = must(calloc(count + 1, sizeof(*chosen)));
	for (line = 0; line < row->lines; line++) {
		chosen_count = 0;
		for (i = 0; i < count; i++) {
			if (slices[i]->line == line)
				chosen[chosen_count++] = slices[i];
		}
		put_line(picture, chosen, chosen_count);
	}
	free(chosen);
	free(slices);
}

/* --- counters of mbarriers --- */

/* Returns the place of a value between @low and @high in the curves that begin at @y. */
static double curve_y(double y, int64_t value, int64_t low, int64_t high)
{
	return y + CURVE - 5 - (CURVE - 7) * (double)(value - low) / (high > low ? high - low : 1);
}

/* Writes the steps of a counter. There is one step for each pixel at most. */
static void put_steps(const struct picture *picture, const struct row *row, bool tx, int64_t low,
		      int64_t high)
{
	const struct timeline *timeline = picture->timeline;
	double y = row->y + row->lines * LINE, x, last = GUTTER - 1, at = 0;
	const struct sample *sample;
	bool begun = false;
	size_t i;

	for (i = 0; i < timeline->sample_count; i++) {
		sample = &timeline->samples[i];
		if (sample->track != row->track || sample->time > picture->to)
			continue;
		x = clip(picture_x(picture, sample->time));
		if (begun && x - last >= 1) {
			fprintf(picture->out, "V%.1fH%.1f", at, x);
			last = x;
		} else if (!begun) {
			fprintf(picture->out, "<path class=\"%s\" d=\"M%.1f %.1f",
				tx ? "tx" : "pending", x,
				curve_y(y, tx ? low : sample->pending, low, high));
			begun = true;
			last = x;
		}
		at = curve_y(y, tx ? sample->tx : sample->pending, low, high);
	}
	if (!begun)
		return;
	fprintf(picture->out, "V%.1fH%d", at, RIGHT);
	if (tx)
		fprintf(picture->out, "V%.1fz", curve_y(y, low, low, high));
	fputs("\"/>\n", picture->out);
}

/* Returns whether the mbarrier has a tx-count. */
static bool put_curves(const struct picture *picture, const struct row *row)
{
	const struct timeline *timeline = picture->timeline;
	int64_t pending = 0, low = 0, high = 0;
	const struct sample *sample;
	size_t i;

	for (i = 0; i < timeline->sample_count; i++) {
		sample = &timeline->samples[i];
		if (sample->track != row->track)
			continue;
		pending = sample->pending > pending ? sample->pending : pending;
		low = sample->tx < low ? sample->tx : low;
		high = sample->tx > high ? sample->tx : high;
	}
	if (high > low)
		put_steps(picture, row, true, low, high);
	put_steps(picture, row, false, 0, pending);
	return high > low;
}

/* --- rows --- */

static void put_header(const struct picture *picture, const struct row *row)
{
	static const char *const what[] = { "threads", "mbarriers", "copies", "jobs" };
	const struct track *track = &picture->timeline->tracks[row->track];
	double y = row->y - HEADER;
	char text[100];

	if (track->kind <= TRACK_MBARRIER)
		snprintf(text, sizeof(text), "Cluster %" PRIu32 ", CTA %" PRIu32 ": %s",
			 track->cluster, track->cta, what[track->kind]);
	else
		snprintf(text, sizeof(text), "Client %" PRIu32 ", channel %" PRIu32 ": %s",
			 track->client, track->channel, what[track->kind]);
	picture_rect(picture, "band", 0, y, PICTURE_WIDTH, HEADER);
	picture_text(picture, "head", 10, y + 15, PICTURE_WIDTH - 20, text);
}

static void put_row(struct picture *picture, const struct row *row)
{
	if (row->header)
		put_header(picture, row);
	picture_text(picture, "label", 18, row->y + 15, GUTTER - 24,
		     picture->timeline->tracks[row->track].name);
	put_slices(picture, row);
	if (row->curves && row->lines)
		picture_text(picture, "muted end", GUTTER - 8,
			     row->y + row->lines * LINE + CURVE - 8, GUTTER - 24,
			     put_curves(picture, row) ? "pending, tx" : "pending");
	picture_rect(picture, "grid", 0, row->y + row->height - 1, PICTURE_WIDTH, 1);
}

/* --- arrows --- */

static void put_arrow(const struct picture *picture, const struct flow *flow)
{
	const struct slice *from = &picture->timeline->slices[flow->from];
	const struct slice *to = &picture->timeline->slices[flow->to];
	double x2 = picture_x(picture, flow->at_end ? to->end : to->start);
	double x1 = fmax(fmin(picture_x(picture, from->end), x2), picture_x(picture, from->start));
	double y1 = picture_bar(picture, from), y2 = picture_bar(picture, to);
	int down = y2 > y1 ? 1 : -1;
	double bend;

	y1 += down > 0 ? BAR : 0;
	y2 += down > 0 ? -1 : BAR + 1;
	bend = fmax(fabs(y2 - y1) / 2, 12) * down;
	fprintf(picture->out,
		"<path class=\"arrow\" d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f\"/>\n",
		x1, y1, x1, y1 + bend, x2, y2 - bend, x2, y2 - 5 * down);
	fprintf(picture->out, "<path class=\"tip\" d=\"M%.1f %.1fl-4 %dh8z\"/>\n", x2, y2,
		-7 * down);
}

/* Arrows lead to the ends of waits that are wide enough to be seen. */
static bool has_arrow(const struct picture *picture, const struct flow *flow)
{
	const struct slice *from = &picture->timeline->slices[flow->from];
	const struct slice *to = &picture->timeline->slices[flow->to];
	uint64_t time = flow->at_end ? to->end : to->start;

	return to->kind == SLICE_WAIT && from->track != to->track &&
	       !is_narrow(picture, to) && time >= picture->from && time <= picture->to &&
	       from->start <= picture->to && from->end >= picture->from &&
	       picture->row_of[from->track] && picture->row_of[to->track];
}

static void put_arrows(const struct picture *picture)
{
	const struct timeline *timeline = picture->timeline;
	size_t i, count = 0;

	for (i = 0; i < timeline->flow_count && count < MAX_ARROWS; i++) {
		if (has_arrow(picture, &timeline->flows[i])) {
			put_arrow(picture, &timeline->flows[i]);
			count++;
		}
	}
}

/* --- legend --- */

static void put_legend(const struct picture *picture)
{
	int y = picture->height + 10, x = 18;
	unsigned int i;
	char text[60];

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		bool instant = i == SLICE_INSN || i == SLICE_ARRIVE || i == SLICE_ISSUE;

		if (!(picture->kinds & BIT(i)))
			continue;
		if (i == SLICE_FAULT || i == SLICE_LOST)
			put_mark(picture, x + 6.5, y + 6, false);
		else
			picture_rect(picture, kinds[i].class, x + (instant ? 5 : 0), y,
				     instant ? 3 : 13, 11);
		picture_text(picture, "muted", x + 18, y + 10, 200, kinds[i].name);
		x += 34 + picture_text_width(kinds[i].name);
	}
	if (picture->left_out) {
		snprintf(text, sizeof(text), "%zu more tracks are not shown", picture->left_out);
		picture_text(picture, "muted end", RIGHT, y + 10, 300, text);
	}
	if (!picture->row_count)
		picture_text(picture, "muted", 18, y + 10, 400, "Nothing happens in this time.");
}

bool write_svg(FILE *out, const struct timeline *timeline, uint64_t from, uint64_t to)
{
	struct picture picture = { .out = out, .timeline = timeline, .from = from, .to = to };
	const char *title = timeline->trace->title;
	int height;
	size_t i;

	if (picture.from == UINT64_MAX)
		picture.from--;
	if (picture.to <= picture.from)
		picture.to = picture.from + 1;
	picture_layout(&picture);
	height = picture.height + 32;
	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\"\n",
		PICTURE_WIDTH, height);
	fprintf(out, "viewBox=\"0 0 %d %d\" role=\"img\" aria-labelledby=\"title desc\">\n",
		PICTURE_WIDTH, height);
	put_element(out, "title", *title ? title : "vsm timeline");
	put_desc(&picture);
	fputs(style, out);
	picture_rect(&picture, "back", 0, 0, PICTURE_WIDTH, height);
	picture_text(&picture, "head", 10, 15, PICTURE_WIDTH - 20, title);
	put_axis(&picture);
	for (i = 0; i < picture.row_count; i++)
		put_row(&picture, &picture.rows[i]);
	put_arrows(&picture);
	put_legend(&picture);
	fputs("</svg>\n", out);
	free(picture.row_of);
	return !fflush(out) && !ferror(out);
}
