// SPDX-License-Identifier: MIT
/*
 * The init process of the virtual machine that tools/vm/run boots.
 *
 * This process loads the modules that the virtual machine needs. Until then, nothing depends on
 * the command. It then waits: the host may keep the state of the virtual machine, and start later
 * virtual machines with it. When the host lets this process continue, it loads vsm.ko. It mounts
 * the host's root folder, read-only over 9p, with a writable overlay above it as its own root, and
 * runs one command. It sends the output and the result of the command to the host, as frames over
 * one virtio serial port. The frames stay in order: all output arrives before the result. If no
 * result arrives, the host counts the run as failed.
 *
 * A frame is a type byte, a little-endian 32-bit length and that many bytes:
 *   'c'        nothing that has been done depends on the command; this process waits for 'c'. A
 *              virtual machine that starts with a kept state has sent its 'c' to an earlier host.
 *              The host therefore sends 'h', and this process sends 'c' again
 *   'r'        the command is about to start
 *   'o', 'e'   bytes of the command's standard output, standard error
 *   'O', 'E'   the same of a further command, after its number
 *   'X'        status of a further command, a byte after its number: it has ended
 *   's'        text: sections of vsm.ko and their addresses, a pair in each line, for gdb; the
 *              command starts when the host answers
 *   'f'        text: the virtual machine could not be set up; the command was not run
 *   'n', 'd'   path of a file that the host asked for, and bytes of it
 *   'b'        text: why the file of the last 'n' cannot be read
 *   'x'        text: "status=N taint=N unload=N": the command has ended, all files are written
 *
 * The host sends messages over the same port: a letter and three little-endian 16-bit numbers. The
 * first number is 0, or that of a further command. 'h' asks for 'c' again, 'c' lets this process
 * continue after 'c', 'g' answers 's'. 'w' has the rows and columns of the terminal that a command
 * gets. 'j' begins a further command, which the file "join-N" in the folder of the configuration
 * describes. 'i' has the size of what was typed for it, and the bytes follow. 'k' says that the
 * runner of a further command has ended: the command gets SIGHUP.
 *
 * The host shares a folder, "vsmrun", with the modules to load, and with the configuration in the
 * file "conf", as a sequence of NUL-terminated "key=value" strings.
 *
 * "agent tsc", run on the host, prints how many thousand times a second the TSC counts, or 0
 * if there is none.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/random.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent.h"

struct configuration conf;
int shared_folder;

static void load_module(const char *path, const char *params)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fatal("%s: %s", path, strerror(errno));
	if (syscall(SYS_finit_module, fd, params, 0) && errno != EEXIST)
		fatal("cannot load %s %s: %s", path, params, strerror(errno));
	close(fd);
}

/* Loads the modules whose paths are in a file. */
static void load_modules(const char *list)
{
	FILE *f = fopen(list, "re");
	char path[PATH_MAX];

	while (f && fgets(path, sizeof(path), f)) {
		path[strcspn(path, "\n")] = 0;
		load_module(path, "");
	}
	if (f)
		fclose(f);
}

static size_t slurp(const char *path, char *buf, size_t size)
{
	size_t used = 0;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	while (used < size - 1 && (n = read(fd, buf + used, size - 1 - used)) > 0)
		used += n;
	close(fd);
	buf[used] = 0;
	return used;
}

bool set_command(void *into, const char *key, char *value)
{
	struct command *command = into;

	if (!strcmp(key, "cwd"))
		command->cwd = value;
	else if (!strcmp(key, "tty"))
		command->tty = true;
	else if (!strcmp(key, "arg") && command->n_args < 4095)
		command->args[command->n_args++] = value;
	else if (!strcmp(key, "env") && command->n_env < 4095)
		command->env[command->n_env++] = value;
	else
		return false;
	return true;
}

static bool set_conf(void *into, const char *key, char *value)
{
	struct configuration *c = into;

	if (!strcmp(key, "out"))
		c->out = value;
	else if (!strcmp(key, "modules"))
		c->modules = value;
	else if (!strcmp(key, "unload"))
		c->unload = value;
	else if (!strcmp(key, "merge"))
		c->merge = true;
	else if (!strcmp(key, "input"))
		c->input = true;
	else if (!strcmp(key, "gdb"))
		c->gdb = true;
	else if (!strcmp(key, "clock"))
		c->clock = value;
	else if (!strcmp(key, "seed"))
		c->seed = value;
	else if (!strcmp(key, "load") && c->n_load < 63)
		c->load[c->n_load++] = value;
	else if (!strcmp(key, "fetch") && c->n_fetch < 64)
		c->fetch[c->n_fetch++] = value;
	else
		return set_command(&c->command, key, value);
	return true;
}

void read_pairs(const char *path, char *text, size_t size,
		bool (*set)(void *into, const char *key, char *value), void *into)
{
	size_t used = slurp(path, text, size);
	char *p;

	for (p = text; p < text + used; p += strlen(p) + 1) {
		char *key = p, *value = strchr(p, '=');

		if (!value)
			continue;
		*value++ = 0;
		if (!set(into, key, value))
			fatal("bad configuration: %s", key);
		p = value;
	}
}

/* The files that the host asks for, as they are before the command starts */
static struct stat before[sizeof(conf.fetch) / sizeof(*conf.fetch)];

static void look_at_files(void)
{
	int i;

	for (i = 0; i < conf.n_fetch; i++)
		if (stat(conf.fetch[i], &before[i]))
			before[i].st_ino = 0;
}

/* Is this file as it was? A file that is written gets the time of now. */
static bool is_unchanged(const struct stat *old, const struct stat *now)
{
	return old->st_ino == now->st_ino && old->st_size == now->st_size &&
	       old->st_ctim.tv_sec == now->st_ctim.tv_sec &&
	       old->st_ctim.tv_nsec == now->st_ctim.tv_nsec;
}

static void fetch_file(const char *path, const struct stat *old)
{
	/* Without O_NONBLOCK, this would wait for somebody to open the other end of a FIFO. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	static char buf[65536];
	const char *why = NULL;
	struct stat st;
	ssize_t n;

	/* The host sees that it did not get the file. */
	if (fd < 0 && errno == ENOENT)
		return;
	if (fd >= 0 && !fstat(fd, &st) && is_unchanged(old, &st)) {
		close(fd);
		return;
	}
	frame('n', path, strlen(path));
	if (fd < 0 || fstat(fd, &st)) {
		why = strerror(errno);
	} else if (!S_ISREG(st.st_mode)) {
		why = "not a regular file";
	} else {
		while ((n = read(fd, buf, sizeof(buf))) > 0)
			frame('d', buf, n);
		if (n < 0)
			why = strerror(errno);
	}
	if (why)
		frame('b', why, strlen(why));
	if (fd >= 0)
		close(fd);
}

/*
 * Writes the leaks that kmemleak finds to the kernel log, after @looks scans. kmemleak reports an
 * object only if an earlier scan has also found no reference to it. The first check therefore needs
 * two scans, and a later check needs only one.
 */
static void check_leaks(int looks)
{
	const char *file = "/sys/kernel/debug/kmemleak";
	static char text[1 << 18];
	char *line, *next;

	if (access(file, W_OK))
		return;
	while (looks--) {
		sleep(6);		/* kmemleak ignores objects younger than 5 s */
		write_file(file, "scan");
	}
	if (!slurp(file, text, sizeof(text)))
		return;
	for (line = text; *line; line = next) {
		next = strchrnul(line, '\n');
		if (*next)
			*next++ = 0;
		log_line("<4>vsm-vm: leak: %s", line);
	}
	write_file(file, "clear");
}

static int unload(const char *name)
{
	int i, err = 0;

	/* Try for 2 s: the kernel may release the last file of the device later, in a workqueue. */
	for (i = 0; i < 100; i++) {
		struct timespec tick = { .tv_nsec = 20 * 1000 * 1000 };

		if (!syscall(SYS_delete_module, name, O_NONBLOCK) || errno == ENOENT)
			return 0;
		err = errno;
		if (err != EAGAIN && err != EBUSY)
			break;
		nanosleep(&tick, NULL);
	}
	return err;
}

/* Tells the host where vsm.ko is, for gdb. Returns when the host lets the command start. */
static void await_debugger(void)
{
	char folder[128], text[8192] = "", path[PATH_MAX], address[64];
	static struct message message;
	struct dirent *d;
	size_t used = 0;
	DIR *dir;

	snprintf(folder, sizeof(folder), "/sys/module/%s/sections", conf.unload ?: "");
	dir = opendir(folder);
	while (dir && (d = readdir(dir))) {
		if (d->d_name[0] != '.' || !strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, d->d_name);
		if (slurp(path, address, sizeof(address)))
			used += snprintf(text + used, sizeof(text) - used, "%s %s%s", d->d_name,
					 address, strchr(address, '\n') ? "" : "\n");
		if (used >= sizeof(text))
			fatal("vsm.ko has too many sections");
	}
	if (dir)
		closedir(dir);
	frame('s', text, used);
	while (receive(&message) && message.type != MESSAGE_GO)
		;
}

/*
 * Sets the clock and adds random numbers if the host sends them: it does if this virtual machine
 * has started with the state of an earlier one.
 */
static void renew(void)
{
	struct {
		struct rand_pool_info info;
		char data[64];
	} seed = { .info.buf_size = sizeof(seed.data), .info.entropy_count = 256 };
	struct timespec now = { 0 };
	int fd;

	if (conf.clock && sscanf(conf.clock, "%ld.%6ld", &now.tv_sec, &now.tv_nsec) == 2) {
		now.tv_nsec *= 1000;
		if (clock_settime(CLOCK_REALTIME, &now))
			fatal("cannot set the clock: %s", strerror(errno));
	}
	if (conf.seed) {
		memcpy(seed.data, conf.seed, strnlen(conf.seed, sizeof(seed.data)));
		fd = open("/dev/random", O_RDWR | O_CLOEXEC);
		if (fd < 0 || ioctl(fd, RNDADDENTROPY, &seed) || ioctl(fd, RNDRESEEDCRNG))
			fatal("cannot set random numbers: %s", strerror(errno));
		close(fd);
	}
}

int main(int argc, char **argv)
{
	static char text[1 << 21];
	static struct message message;
	char taint[32] = "0", result[128];
	int i, status, err = 0;

	if (argc == 2 && !strcmp(argv[1], "tsc")) {
		printf("%llu\n", (unsigned long long)tsc_khz());
		return 0;
	}
	put_mount("proc", "/proc", "proc", 0, NULL);
	put_mount("sysfs", "/sys", "sysfs", 0, NULL);
	put_mount("dev", "/dev", "devtmpfs", 0, NULL);
	if (!access("/probe", F_OK)) {
		log_line("<0>vsm-vm: probe done");
		for (;;)
			pause();
	}
	load_modules("/m/order");
	port = open_port("vsm.ctl", O_RDWR | O_CLOEXEC, 4000);
	if (port < 0)
		fatal("no control port");
	/* A virtual machine that starts with a kept state is in this receive(). */
	do
		frame('c', NULL, 0);
	while (receive(&message) && message.type != MESSAGE_CONTINUE);
	need_mount("vsmrun", "/run", "9p", MS_RDONLY, "trans=virtio,version=9p2000.L," MSIZE);
	shared_folder = open("/run", O_PATH | O_DIRECTORY | O_CLOEXEC);
	read_pairs("/run/conf", text, sizeof(text), set_conf, &conf);
	renew();
	for (i = 0; i < conf.n_load; i++) {
		char *params = strchr(conf.load[i], ' ');

		if (params)
			*params++ = 0;
		load_module(conf.load[i], params ?: "");
	}
	enter_root();
	set_up_environment();
	if (conf.gdb)
		await_debugger();
	look_at_files();
	status = run_command();
	for (i = 0; i < conf.n_fetch; i++)
		fetch_file(conf.fetch[i], &before[i]);

	check_leaks(2);
	if (conf.unload) {
		err = unload(conf.unload);
		check_leaks(1);
	}
	slurp("/proc/sys/kernel/tainted", taint, sizeof(taint));
	sync();
	if (conf.out)
		umount2(conf.out, 0);
	log_line("<0>vsm-vm: end of log");
	snprintf(result, sizeof(result), "status=%d taint=%lu unload=%d", status,
		 strtoul(taint, NULL, 10), err);
	frame('x', result, strlen(result));
	for (;;)
		pause();
}
