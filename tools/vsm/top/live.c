// SPDX-License-Identifier: MIT
/*
 * vsm top on a terminal: waits for keys, signals and the time of the next sample.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base.h"
#include "colour.h"
#include "top/frame.h"
#include "top/live.h"
#include "top/screen.h"

/**
 * struct live - vsm top on a terminal
 * @view: What the user has chosen to see
 * @model: What is shown
 * @sample: The last sample
 * @when: Time of day of the last sample
 * @next: When the next sample is due (CLOCK_MONOTONIC, ns)
 * @taken: Number of samples that were taken
 * @signals: Descriptor from which signals are read
 * @died_of: The signal that ends the program, or 0
 */
struct live {
	struct view *view;
	struct model *model;
	struct sample *sample;
	char when[16];
	int64_t next;
	unsigned long taken;
	int signals;
	int died_of;
};

static int64_t interval_of(const struct view *view)
{
	return view->interval * 1e9;
}

static void note_time(struct live *live)
{
	time_t now = time(NULL);
	struct tm local;

	strftime(live->when, sizeof(live->when), "%H:%M:%S", localtime_r(&now, &local));
	live->next = time_now() + interval_of(live->view);
	live->taken++;
}

/* Takes a sample. A device can go and come back, so a missing one does not end the program. */
static void take_sample(struct live *live)
{
	int err;

	sample_free(live->sample);
	err = sample_read(live->sample);
	if (err < 0)
		snprintf(live->sample->problem, sizeof(live->sample->problem), "%s",
			 strerror(-err));
	else if (!err)
		strcpy(live->sample->problem, "no vsm device");
	model_update(live->model, live->sample);
	note_time(live);
}

static void draw(struct live *live)
{
	unsigned int rows, columns;
	struct frame frame;

	screen_size(&rows, &columns);
	frame_make(&frame, rows, columns, live->view, live->model, live->sample, live->when);
	screen_draw(&frame);
	frame_free(&frame);
}

/* Signals are blocked, and read. ncurses still stops the program on ^Z, and continues it. */
static bool take_signals(struct live *live)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGWINCH);
	sigprocmask(SIG_BLOCK, &set, NULL);
	live->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return live->signals >= 0;
}

static void read_signals(struct live *live)
{
	struct signalfd_siginfo info;

	while (read(live->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGWINCH)
			screen_resize();
		else
			live->died_of = info.ssi_signo;
	}
}

/* Milliseconds until the next sample, rounded up; -1 if there will be none. */
static int time_left(const struct live *live)
{
	int64_t left = live->next - time_now();

	if (live->view->paused)
		return -1;
	return left > 0 ? (left + 999999) / 1000000 : 0;
}

static void read_keys(struct live *live)
{
	double interval = live->view->interval;
	bool paused = live->view->paused;
	int key;

	while (!live->view->quit && (key = screen_key()) >= 0)
		view_key(live->view, key);
	if (paused && !live->view->paused)
		live->next = time_now();
	else if (live->view->interval != interval)
		live->next = time_now() + interval_of(live->view);
}

/* Waits for something to happen. Returns false if the terminal is gone. */
static bool wait_and_act(struct live *live)
{
	struct pollfd fds[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = live->signals, .events = POLLIN },
	};

	if (poll(fds, ARRAY_SIZE(fds), time_left(live)) < 0)
		return errno == EINTR;
	if (fds[1].revents)
		read_signals(live);
	if (fds[0].revents & POLLIN)
		read_keys(live);
	return !(fds[0].revents & (POLLHUP | POLLERR | POLLNVAL));
}

/* Ends the program by the signal, as if it had not been blocked. */
static void die_of(int signal_number)
{
	sigset_t set;

	signal(signal_number, SIG_DFL);
	raise(signal_number);
	sigemptyset(&set);
	sigaddset(&set, signal_number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int live_run(struct view *view, struct model *model, struct sample *sample,
	     unsigned long iterations)
{
	struct live live = { .view = view, .model = model, .sample = sample };
	const char *term = getenv("TERM");
	bool here = true;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return failed("top: needs a terminal; --batch writes text without one");
	if (!take_signals(&live))
		return failed("top: signalfd: %s", strerror(errno));
	if (!screen_begin(colour_wanted()))
		return failed("top: cannot use the terminal '%s' (TERM); --batch writes text",
			      term ? term : "");
	note_time(&live);
	while (here && !view->quit && !live.died_of) {
		if (!view->paused && time_now() >= live.next) {
			if (iterations && live.taken >= iterations)
				break;
			take_sample(&live);
		}
		draw(&live);
		here = wait_and_act(&live);
	}
	screen_end();
	close(live.signals);
	if (live.died_of)
		die_of(live.died_of);
	return EXIT_OK;
}
