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
} joined_commands[MOST_JOINED];

static void end_joined(unsigned int number, int code)
{
	char data[] = { number, number >> 8, code };

	frame('X', data, sizeof(data));
}

/* Ends a further command that cannot begin. */
static void refuse(unsigned int number, const char *why)
{
	char text[128];
	int n = snprintf(text, sizeof(text), "%c%cvsm-vm: %s\n", number & 0xff, number >> 8, why);

	frame('E', text, n);
	end_joined(number, 126);
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
	int i, out[2] = { -1, -1 }, err[2] = { -1, -1 }, input;
	struct joined *joined = NULL;
	struct command *command;
	char path[64], *text;
	pid_t pid = -1;
	bool tty;

	for (i = 0; i < MOST_JOINED && !joined; i++)
		if (!joined_commands[i].number)
			joined = &joined_commands[i];
	command = calloc(1, sizeof(*command));
	text = malloc(1 << 21);
	if (!joined || !command || !text) {
		refuse(number, "the guest has no place for one more command");
		goto out;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d/join-%u", shared_folder, number);
	read_pairs(path, text, 1 << 21, set_command, command);
	tty = command->tty;
	input = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (input >= 0 &&
	    !(tty ? open_terminal(out) : pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC)))
		pid = spawn(command, tty ? out[1] : input, out[1], tty ? out[1] : err[1]);
	if (pid < 0) {
		refuse(number, strerror(errno));
		close_one(&out[0]);
		close_one(&err[0]);
	} else {
		*joined = (struct joined){
			.number = number, .pid = pid, .code = -1, .fd = { out[0], err[0] },
			.slave = tty ? out[1] : -1, .tty = tty,
		};
	}
	close_one(&input);
	close_one(&err[1]);
	if (pid < 0 || !tty)
		close_one(&out[1]);
out:
	free(command);
	free(text);
}

/*
 * The runner of a further command has ended. The command gets SIGHUP, and its place is free for
 * another one. If it goes on, it ends with the first command.
 */
static void hang_up(struct joined *joined)
{
	/* The command leads a session of its own, unless it has only just begun. */
	if (joined->code < 0 && kill(-joined->pid, SIGHUP))
		kill(joined->pid, SIGHUP);
	close_one(&joined->fd[0]);
	close_one(&joined->fd[1]);
	close_one(&joined->slave);
	joined->code = 128 + SIGHUP;
	end_if_done(joined);
}

void tell_joined(const struct message *message)
{
	struct winsize size = { .ws_row = message->rows, .ws_col = message->columns };
	struct joined *joined;

	for (joined = joined_commands; joined < joined_commands + MOST_JOINED; joined++) {
		if (joined->number != message->number)
			continue;
		if (message->type == MESSAGE_HANG_UP)
			hang_up(joined);
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

	for (i = 0; i < 2 * MOST_JOINED; i++) {
		struct joined *joined = &joined_commands[i / 2];

		p[i] = (struct pollfd){
			.fd = joined->number ? joined->fd[i % 2] : -1, .events = POLLIN,
		};
	}
}

void serve_joined(const struct pollfd *p)
{
	int i;

	for (i = 0; i < 2 * MOST_JOINED; i++) {
		struct joined *joined = &joined_commands[i / 2];

		if (!p[i].revents || pump(p[i].fd, i % 2 ? 'E' : 'O', joined->number))
			continue;
		close_one(&joined->fd[i % 2]);
		end_if_done(joined);
	}
}

void reap_joined(pid_t pid, int code)
{
	struct joined *joined;

	for (joined = joined_commands; joined < joined_commands + MOST_JOINED; joined++) {
		if (!joined->number || joined->pid != pid || joined->code >= 0)
			continue;
		joined->code = code;
		/* While this end is open, the other one does not end. */
		close_one(&joined->slave);
		end_if_done(joined);
	}
}
