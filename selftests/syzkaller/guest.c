// SPDX-License-Identifier: MIT
/*
 * guest EXECUTOR ARGUMENT...
 *
 * Starts syz-executor in a guest of tools/vm/run. The executor needs one socket for both
 * directions, but a program in the guest has standard input and output. This program connects
 * them. It ends when its standard input or the executor ends.
 *
 * It also binds the second device again whenever a fuzzing program has unbound it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLUG_US 200000

static void fail(const char *what)
{
	fprintf(stderr, "guest: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Prints the address of the module's code, from which run computes offsets of the coverage. */
static void print_text(void)
{
	char text[64] = "";
	FILE *file = fopen("/sys/module/vsm/sections/.text", "r");

	if (!file || !fgets(text, sizeof(text), file))
		fail("/sys/module/vsm/sections/.text");
	fclose(file);
	fprintf(stderr, "guest: vsm .text %s", text);
}

static void plug(void)
{
	static const char name[] = "vsm.1";
	int fd = open("/sys/bus/platform/drivers/vsm/bind", O_WRONLY | O_CLOEXEC);

	/* Ignore errors: mostly the device is bound already, so that the write fails. */
	if (fd >= 0) {
		(void)!write(fd, name, strlen(name));
		close(fd);
	}
}

/* Copies data from one descriptor to the other until one of them ends. */
static void pass(int from, int to)
{
	char data[1 << 14];
	ssize_t n, done, part;

	while ((n = read(from, data, sizeof(data))) > 0)
		for (done = 0; done < n; done += part) {
			part = write(to, data + done, n - done);
			if (part < 0)
				return;
		}
}

/* Copies data from the manager to the executor. When the input ends, this program ends. */
static void *pass_in(void *socket)
{
	pass(0, *(int *)socket);
	exit(0);
}

static void *plug_in(void *unused)
{
	for (;;) {
		plug();
		usleep(PLUG_US);
	}
	return unused;
}

static pid_t start(char **argv, int fd)
{
	static const struct rlimit none;
	char dir[] = "/tmp/syzkaller.XXXXXX";
	pid_t pid = fork();

	if (pid)
		return pid;
	setrlimit(RLIMIT_CORE, &none);
	/*
	 * Hide kmemleak from the executor, which would otherwise look for leaks at its start. That
	 * takes minutes here. tools/vm/run looks for leaks at the end.
	 */
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("/proc/version", "/sys/kernel/debug/kmemleak", NULL, MS_BIND, NULL))
		fprintf(stderr, "guest: kmemleak: %s\n", strerror(errno));
	if (dup2(fd, 0) || dup2(2, 1) != 1 || !mkdtemp(dir) || chdir(dir))
		fail("cannot prepare the executor");
	execv(argv[0], argv);
	fail(argv[0]);
	return -1;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int pair[2], status;
	pid_t pid;

	if (argc < 2)
		return 2;
	signal(SIGPIPE, SIG_IGN);
	print_text();
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		fail("socketpair");
	pid = start(argv + 1, pair[1]);
	if (pid < 0)
		fail("fork");
	close(pair[1]);
	if (pthread_create(&thread, NULL, pass_in, &pair[0]) ||
	    pthread_create(&thread, NULL, plug_in, NULL))
		fail("pthread_create");
	pass(pair[0], 1);
	if (waitpid(pid, &status, 0) != pid)
		fail("waitpid");
	fprintf(stderr, "guest: the executor ended with status %#x\n", status);
	return 1;
}
