// SPDX-License-Identifier: MIT
/*
 * A picture of a part of a timeline, as SVG: where everything is, and the elements of SVG.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "escape.h"
#include "trace/picture.h"
#include "utf8.h"

/* Widths of letters, on average, in a wide font of 11 pixels. */
#define LETTER	6.1
#define CAPITAL	7.9

/* Fewer letters of a name say nothing. */
#define LEAST_LETTERS 7

static double letter_width(uint32_t character)
{
	return (character >= 'A' && character <= 'Z') || character > 0x7f ? CAPITAL : LETTER;
}

double picture_x(const struct picture *picture, uint64_t time)
{
	double span = picture->to - picture->from;
	double since = time >= picture->from ? (double)(time - picture->from)
					     : -(double)(picture->from - time);

	return GUTTER + since / span * (RIGHT - GUTTER);
}

bool picture_shows(const struct picture *picture, const struct slice *slice)
{
	return slice->end >= picture->from && slice->start <= picture->to;
}

int picture_bar(const struct picture *picture, const struct slice *slice)
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

void picture_layout(struct picture *picture)
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

void picture_rect(const struct picture *picture, const char *class, double x, double y,
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

double picture_text_width(const char *text)
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

void picture_text(const struct picture *picture, const char *class, double x, double y,
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

void picture_time(char *text, size_t size, uint64_t time, uint64_t step)
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
