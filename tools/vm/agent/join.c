// SPDX-License-Identifier: MIT
/*
 * Further commands, which the host begins while the first one runs. Each has a terminal, or pipes
 * and no input.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "agent.h"

/* A further command. It ends when its process has ended and its outputs are closed. */
static struct joined {
	unsigned int number;	/* 0: the entry is free */
	pid_t pid;
	int code;		/* status; -1 while it runs */
	int fd[2];		/* the terminal, or standard output; standard error; -1 if closed */
	int slave;		/* other end of the terminal, open until the process has ended */
	bool tty;
} all[MOST_JOINED];

static void end_joined(unsigned int number, int code)
{
	char text[32];

	snprintf(text, sizeof(text), "%u %d", number, code);
	frame('X', text, strlen(text));
}

static void end_if_done(struct joined *joined)
{
	if (joined->code < 0 || joined->fd[0] >= 0 || joined->fd[1] >= 0)
		return;
	end_joined(joined->number, joined->code);
	joined->number = 0;
}

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void begin_joined(unsigned int number)
{
	int i, out[2], err[2] = { -1, -1 }, input = -1;
	struct joined *joined = NULL;
	struct command *command;
	char path[64], *text;

	for (i = 0; i < MOST_JOINED && !joined; i++)
		if (!all[i].number)
			joined = &all[i];
	command = calloc(1, sizeof(*command));
	text = malloc(1 << 21);
	if (!joined || !command || !text) {
		char why[] = "__vsm-vm: the guest has no place for one more command\n";

		why[0] = (char)number;
		why[1] = (char)(number >> 8);
		frame('E', why, sizeof(why) - 1);
		end_joined(number, 126);
		goto out;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d/join-%u", shared, number);
	read_pairs(path, text, 1 << 21, set_command, command);
	if (command->tty) {
		out[0] = open_terminal(&out[1]);
		input = out[1];
	} else {
		input = open("/dev/null", O_RDONLY | O_CLOEXEC);
		if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
			fatal("cannot prepare a command: %s", strerror(errno));
	}
	*joined = (struct joined){
		.number = number, .code = -1, .fd = { out[0], err[0] }, .slave = -1,
		.tty = command->tty,
	};
	joined->pid = spawn(command, input, out[1], command->tty ? out[1] : err[1]);
	if (joined->pid < 0)
		fatal("cannot fork: %s", strerror(errno));
	if (command->tty) {
		joined->slave = out[1];
	} else {
		close(input);
		close(out[1]);
		close(err[1]);
	}
out:
	free(command);
	free(text);
}

void tell_joined(const struct message *message)
{
	struct winsize size = { .ws_row = message->rows, .ws_col = message->columns };
	struct joined *joined;

	for (joined = all; joined < all + MOST_JOINED; joined++) {
		if (joined->number != message->number)
			continue;
		/* The command leads a session of its own. */
		if (message->type == MESSAGE_HANG_UP && joined->code < 0)
			kill(-joined->pid, SIGHUP);
		if (!joined->tty || joined->fd[0] < 0)
			continue;
		/* What the terminal does not take is lost, as with a line that is too long. */
		if (message->type == MESSAGE_INPUT)
			(void)!write(joined->fd[0], message->data, message->size);
		else if (message->type == MESSAGE_SIZE)
			ioctl(joined->fd[0], TIOCSWINSZ, &size);
	}
}

void poll_joined(struct pollfd *p)
{
	int i;

	for (i = 0; i < 2 * MOST_JOINED; i++)
		p[i] = (struct pollfd){
			.fd = all[i / 2].number ? all[i / 2].fd[i % 2] : -1, .events = POLLIN,
		};
}

void serve_joined(const struct pollfd *p)
{
	int i;

	for (i = 0; i < 2 * MOST_JOINED; i++) {
		struct joined *joined = &all[i / 2];

		if (!p[i].revents || pump(p[i].fd, i % 2 ? 'E' : 'O', joined->number))
			continue;
		close_one(&joined->fd[i % 2]);
		end_if_done(joined);
	}
}

void reap_joined(pid_t pid, int code)
{
	struct joined *joined;

	for (joined = all; joined < all + MOST_JOINED; joined++) {
		if (!joined->number || joined->pid != pid || joined->code >= 0)
			continue;
		joined->code = code;
		/* While this end is open, the other one does not end. */
		close_one(&joined->slave);
		end_if_done(joined);
	}
}
