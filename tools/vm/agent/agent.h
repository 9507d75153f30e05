/* SPDX-License-Identifier: MIT */
#ifndef _AGENT_H_
#define _AGENT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MSIZE	"msize=262144"	/* option of 9p: the largest message in bytes */

/* A command */
struct command {
	char *cwd, *args[4096], *env[4096];
	int n_args, n_env;
	bool tty;
};

/* The configuration, which the host shares. */
struct configuration {
	const char *out, *modules, *unload;
	const char *clock;		/* Unix time, "SECONDS.MICROSECONDS", or NULL */
	const char *seed;		/* 64 hexadecimal digits, 256 random bits, or NULL */
	char *load[64];			/* each has the path of a module, then its parameters */
	char *fetch[64];
	int n_load, n_fetch;
	bool merge, input, gdb;
	struct command command;
};

extern struct configuration conf;
/* Descriptor of the folder that the host shares. Commands cannot see this folder. */
extern int shared_folder;

/* A message from the host */
struct message {
	char type;
	unsigned int number;		/* number of a further command; 0: the first one */
	unsigned int rows, columns;	/* MESSAGE_SIZE: of a terminal */
	unsigned int size;		/* MESSAGE_INPUT: number of bytes */
	char data[4096];		/* MESSAGE_INPUT: what was typed */
};

#define MESSAGE_CONTINUE 'c'
#define MESSAGE_GO	'g'
#define MESSAGE_SIZE	'w'
#define MESSAGE_JOIN	'j'
#define MESSAGE_INPUT	'i'
#define MESSAGE_HANG_UP	'k'

/* port.c: the connection to the host, on the virtio port "vsm.ctl" */
extern int port;

void log_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void fatal(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
/*
 * Opens the virtio port @want. Tries again if it does not exist yet: the host announces ports over
 * a queue, some time after their driver is loaded.
 */
int open_port(const char *want, int flags, int tries);
/* Sends a frame. */
void frame(char type, const void *data, uint32_t len);
/*
 * Sends what can be read from @fd as a frame, after the number of a further command unless that is
 * 0. Returns false at the end of the file.
 */
bool pump(int fd, char type, unsigned int number);
/* Waits for a message. Returns false if the host has ended. */
bool receive(struct message *message);

/* root.c */
int put_mount(const char *src, const char *dir, const char *type, unsigned long flags,
	      const char *opts);
void need_mount(const char *src, const char *dir, const char *type, unsigned long flags,
		const char *opts);
void enter_root(void);
void set_up_environment(void);
void write_file(const char *path, const char *text);

/* main.c: reads a file of "key=value" strings, and calls @set for each. */
void read_pairs(const char *path, char *text, size_t size,
		bool (*set)(void *into, const char *key, char *value), void *into);
bool set_command(void *command, const char *key, char *value);

/* command.c: runs the command. Returns its status as a shell does: 128 + N for signal N. */
int run_command(void);
pid_t spawn(const struct command *command, int input, int out, int err);
/* Opens a terminal as pipe2() opens a pipe. If it fails, fd[0] may be open. */
int open_terminal(int fd[2]);

/* join.c: further commands, which the host begins while the first one runs */
struct pollfd;
#define MOST_JOINED 8

/* Begins the command that the file join-N in the shared folder describes. */
void begin_joined(unsigned int number);
/* Acts on a message for a further command. */
void tell_joined(const struct message *message);
/* Sets two entries for each of them. */
void poll_joined(struct pollfd *p);
/* Sends what the entries of poll_joined() say can be read. */
void serve_joined(const struct pollfd *p);
/* A process has ended with this status. It may be that of a further command. */
void reap_joined(pid_t pid, int code);

/*
 * tsc.c: how many thousand times a second the TSC counts. Returns 0 if two measurements differ: the
 * TSC of this machine cannot be relied on.
 */
uint64_t tsc_khz(void);

#endif
