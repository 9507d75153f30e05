// SPDX-License-Identifier: MIT
/* Runs the command, with pipes or with a terminal. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent.h"

/* What was typed, and what the terminal has not taken yet. */
static struct {
	char data[4096];
	size_t used, size;
} typed;

pid_t spawn(const struct command *command, int input, int out, int err)
{
	pid_t pid = fork();
	sigset_t none;

	if (pid)
		return pid;
	setsid();
	if (command->tty && ioctl(input, TIOCSCTTY, 0))
		_exit(126);
	dup2(input, 0);
	dup2(out, 1);
	dup2(err, 2);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (chdir(command->cwd)) {
		dprintf(2, "vsm-vm: %s: %s\n", command->cwd, strerror(errno));
		_exit(126);
	}
	environ = (char **)command->env;
	execvp(command->args[0], (char **)command->args);
	dprintf(2, "vsm-vm: %s: %s\n", command->args[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* --- a command with a terminal -------------------------------------------- */

int open_terminal(int fd[2])
{
	fd[0] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	fd[1] = -1;
	if (fd[0] >= 0 && !grantpt(fd[0]) && !unlockpt(fd[0]))
		fd[1] = open(ptsname(fd[0]), O_RDWR | O_NOCTTY | O_CLOEXEC);
	return fd[1] < 0 ? -1 : 0;
}

/* Acts on a message from the host. Returns false if the host has ended. */
static bool take_message(int terminal)
{
	static struct message message;

	if (!receive(&message))
		return false;
	if (message.number && message.type == MESSAGE_JOIN) {
		begin_joined(message.number);
	} else if (message.number) {
		tell_joined(&message);
	} else if (message.type == MESSAGE_SIZE) {
		struct winsize size = { .ws_row = message.rows, .ws_col = message.columns };

		ioctl(terminal, TIOCSWINSZ, &size);
	}
	return true;
}

/* Passes what was typed to the terminal, as far as it takes that. */
static void type(int terminal)
{
	ssize_t n = write(terminal, typed.data + typed.used, typed.size - typed.used);

	if (n > 0)
		typed.used += n;
	else if (n < 0 && errno != EAGAIN && errno != EINTR)
		typed.used = typed.size;
}

/* Receives what was typed. Returns false at its end. */
static bool read_typed(int input)
{
	ssize_t n = read(input, typed.data, sizeof(typed.data));

	typed.used = 0;
	typed.size = n > 0 ? n : 0;
	return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

/* --- any command ----------------------------------------------------------- */

/*
 * Waits for children that have ended, and kills what the command left behind. Output that those
 * processes have written still reaches the host. Returns the status of the command, or -1 if the
 * command still runs.
 */
static int reap(pid_t pid)
{
	int status, code = -1;
	pid_t dead;

	while ((dead = waitpid(-1, &status, WNOHANG)) > 0) {
		int ended_with = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);

		if (dead != pid) {
			reap_joined(dead, ended_with);
			continue;
		}
		code = ended_with;
		kill(-1, SIGKILL);
	}
	return code;
}

int run_command(void)
{
	enum { OUT, ERR, SIGNAL, HOST, TYPED, OTHERS, COUNT = OTHERS + 2 * MOST_JOINED };
	int out[2], err[2] = { -1, -1 }, input, sig, code = -1;
	struct pollfd p[COUNT];
	sigset_t chld;
	pid_t pid;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	sig = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK);
	input = conf.input ? open_port("vsm.in", O_RDONLY | O_CLOEXEC, 4000)
			   : open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (sig < 0 || input < 0)
		fatal("cannot prepare the command: %s", strerror(errno));
	if (conf.command.tty ? open_terminal(out) : pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
		fatal("cannot prepare the command: %s", strerror(errno));

	frame('r', NULL, 0);
	if (conf.command.tty) {
		take_message(out[0]);
		pid = spawn(&conf.command, out[1], out[1], out[1]);
	} else {
		pid = spawn(&conf.command, input, out[1], conf.merge ? out[1] : err[1]);
	}
	if (pid < 0)
		fatal("cannot fork: %s", strerror(errno));
	if (!conf.command.tty) {
		close(input);
		close(out[1]);
		close(err[1]);
	}

	p[OUT] = (struct pollfd){ .fd = out[0] };
	p[ERR] = (struct pollfd){ .fd = err[0], .events = POLLIN };
	p[SIGNAL] = (struct pollfd){ .fd = sig, .events = POLLIN };
	p[HOST] = (struct pollfd){ .fd = port, .events = POLLIN };
	p[TYPED] = (struct pollfd){ .fd = conf.command.tty ? input : -1 };
	while (code < 0 || p[OUT].fd >= 0 || p[ERR].fd >= 0) {
		bool waiting = typed.used < typed.size;

		p[OUT].events = POLLIN | (waiting ? POLLOUT : 0);
		p[TYPED].events = waiting ? 0 : POLLIN;
		poll_joined(&p[OTHERS]);
		if (poll(p, COUNT, -1) < 0)
			continue;
		if (p[OUT].revents & POLLOUT)
			type(out[0]);
		if (p[OUT].revents & ~POLLOUT && !pump(p[OUT].fd, 'o', 0))
			p[OUT].fd = -1;
		if (p[ERR].revents && !pump(p[ERR].fd, 'e', 0))
			p[ERR].fd = -1;
		serve_joined(&p[OTHERS]);
		if (p[HOST].revents && !take_message(out[0]))
			p[HOST].fd = -1;
		if (p[TYPED].revents && !read_typed(p[TYPED].fd))
			p[TYPED].fd = -1;
		if (p[SIGNAL].revents & POLLIN) {
			struct signalfd_siginfo info;

			(void)!read(sig, &info, sizeof(info));
			if (code < 0)
				code = reap(pid);
			else
				reap(0);
			/* While this end is open, the other one does not end. */
			if (code >= 0 && conf.command.tty && out[1] >= 0) {
				close(out[1]);
				out[1] = -1;
			}
		}
	}
	kill(-1, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
	return code;
}
