// SPDX-License-Identifier: MIT
/*
 * The init process of the virtual machine that tools/vm/run boots.
 *
 * This process loads modules. It mounts the host's root folder, read-only over 9p, with a writable
 * overlay above it as its own root. It then runs one command. It sends the output and the result of
 * the command to the host, as frames over one virtio serial port. The frames stay in order: all
 * output arrives before the result. If no result arrives, the host counts the run as failed.
 *
 * A frame is a type byte, a little-endian 32-bit length and that many bytes:
 *   'r'        the command is about to start
 *   'o', 'e'   bytes of the command's standard output, standard error
 *   'f'        text: the virtual machine could not be set up; the command was not run
 *   'n', 'd'   path of a file that the host asked for, and bytes of it
 *   'x'        text: "status=N taint=N unload=N": the command has ended, all files are written
 *
 * The file /vsm.conf contains the configuration, as a sequence of NUL-terminated "key=value"
 * strings.
 *
 * "agent tsc", run on the host, prints how many thousand times a second the TSC counts, or 0
 * if there is none.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROOT	"/newroot"
#define MSIZE	"msize=262144"

static int port = -1;

static struct {
	const char *cwd, *out, *modules, *unload;
	char *load[64];			/* each has the path of a module, then its parameters */
	char *args[4096], *env[4096], *fetch[64];
	int n_load, n_args, n_env, n_fetch;
	bool merge, input, probe;
} conf;

static void put(const void *data, size_t len)
{
	while (len) {
		ssize_t n = write(port, data, len);

		if (n > 0) {
			data = (const char *)data + n;
			len -= n;
		} else if (n < 0 && errno != EINTR && errno != EAGAIN) {
			return;		/* the host has ended, or sees that there is no result */
		}
	}
}

static void frame(char type, const void *data, uint32_t len)
{
	unsigned char head[5] = { type, len, len >> 8, len >> 16, len >> 24 };

	put(head, sizeof(head));
	put(data, len);
}

static void log_line(const char *fmt, ...)
{
	char line[900];
	va_list ap;
	int fd, n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line) - 1, fmt, ap);
	va_end(ap);
	if (n > (int)sizeof(line) - 2)
		n = sizeof(line) - 2;
	line[n++] = '\n';	/* otherwise the kernel waits for the rest of the line */
	fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	if (fd >= 0) {
		if (write(fd, line, n) < 0)
			(void)!write(2, line, n);
		close(fd);
	}
}

/*
 * Opens the virtio port @want. Tries again if it does not exist yet: the host announces ports over
 * a queue, some time after their driver is loaded.
 */
static int open_port(const char *want, int flags, int tries)
{
	struct timespec tick = { .tv_nsec = 5 * 1000 * 1000 };

	while (tries--) {
		DIR *dir = opendir("/sys/class/virtio-ports");
		struct dirent *d;

		while (dir && (d = readdir(dir))) {
			char path[PATH_MAX], name[64] = "";
			FILE *f;

			snprintf(path, sizeof(path), "/sys/class/virtio-ports/%s/name", d->d_name);
			f = fopen(path, "re");
			if (!f)
				continue;
			if (fgets(name, sizeof(name), f))
				name[strcspn(name, "\n")] = 0;
			fclose(f);
			if (!strcmp(name, want)) {
				int fd;

				snprintf(path, sizeof(path), "/dev/%s", d->d_name);
				fd = open(path, flags);
				if (fd >= 0) {
					closedir(dir);
					return fd;
				}
			}
		}
		if (dir)
			closedir(dir);
		nanosleep(&tick, NULL);
	}
	return -1;
}

static void __attribute__((noreturn, format(printf, 1, 2))) fatal(const char *fmt, ...)
{
	char text[800];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_line("<0>vsm-vm: %s", text);
	if (port < 0)
		port = open_port("vsm.ctl", O_RDWR | O_CLOEXEC, 100);
	if (port >= 0)
		frame('f', text, n < (int)sizeof(text) ? n : (int)sizeof(text) - 1);
	for (;;)
		pause();
}

static void mkdirs(const char *path)
{
	char part[PATH_MAX];
	size_t i;

	snprintf(part, sizeof(part), "%s", path);
	for (i = 1; part[i]; i++) {
		if (part[i] == '/') {
			part[i] = 0;
			mkdir(part, 0755);
			part[i] = '/';
		}
	}
	mkdir(part, 0755);
}

/* Mounts @src at @dir, which is created if it does not exist. */
static int put_mount(const char *src, const char *dir, const char *type,
		     unsigned long flags, const char *opts)
{
	mkdirs(dir);
	return mount(src, dir, type, flags, opts) ? -errno : 0;
}

static void need_mount(const char *src, const char *dir, const char *type,
		       unsigned long flags, const char *opts)
{
	int err = put_mount(src, dir, type, flags, opts);

	if (err)
		fatal("cannot mount %s on %s: %s", type ?: src, dir, strerror(-err));
}

static void load_module(const char *path, const char *params)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fatal("%s: %s", path, strerror(errno));
	if (syscall(SYS_finit_module, fd, params, 0) && errno != EEXIST)
		fatal("cannot load %s %s: %s", path, params, strerror(errno));
	close(fd);
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd >= 0) {
		(void)!write(fd, text, strlen(text));
		close(fd);
	}
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

static void read_conf(void)
{
	static char text[1 << 21];
	size_t used = slurp("/vsm.conf", text, sizeof(text));
	char *p;

	for (p = text; p < text + used; p += strlen(p) + 1) {
		char *value = strchr(p, '=');

		if (!value)
			continue;
		*value++ = 0;
		if (!strcmp(p, "cwd"))
			conf.cwd = value;
		else if (!strcmp(p, "out"))
			conf.out = value;
		else if (!strcmp(p, "modules"))
			conf.modules = value;
		else if (!strcmp(p, "unload"))
			conf.unload = value;
		else if (!strcmp(p, "merge"))
			conf.merge = true;
		else if (!strcmp(p, "input"))
			conf.input = true;
		else if (!strcmp(p, "probe"))
			conf.probe = true;
		else if (!strcmp(p, "load") && conf.n_load < 63)
			conf.load[conf.n_load++] = value;
		else if (!strcmp(p, "fetch") && conf.n_fetch < 64)
			conf.fetch[conf.n_fetch++] = value;
		else if (!strcmp(p, "arg") && conf.n_args < 4095)
			conf.args[conf.n_args++] = value;
		else if (!strcmp(p, "env") && conf.n_env < 4095)
			conf.env[conf.n_env++] = value;
		else
			fatal("bad configuration: %s", p);
		p = value;
	}
}

static void enter_root(void)
{
	char path[PATH_MAX];
	int err;

	need_mount("vsmroot", "/lower", "9p", MS_RDONLY,
		   "trans=virtio,version=9p2000.L,cache=loose,access=any," MSIZE);
	need_mount("rw", "/rw", "tmpfs", 0, "mode=755,size=75%");
	mkdir("/rw/up", 0755);
	mkdir("/rw/work", 0755);
	need_mount("root", ROOT, "overlay", 0,
		   "lowerdir=/lower,upperdir=/rw/up,workdir=/rw/work");

	need_mount("proc", ROOT "/proc", "proc", 0, NULL);
	need_mount("sysfs", ROOT "/sys", "sysfs", 0, NULL);
	need_mount("dev", ROOT "/dev", "devtmpfs", 0, "mode=755");
	need_mount("devpts", ROOT "/dev/pts", "devpts", 0, "ptmxmode=666,mode=620");
	need_mount("shm", ROOT "/dev/shm", "tmpfs", 0, "mode=1777");
	need_mount("run", ROOT "/run", "tmpfs", 0, "mode=755");
	put_mount("debugfs", ROOT "/sys/kernel/debug", "debugfs", 0, NULL);
	put_mount("configfs", ROOT "/sys/kernel/config", "configfs", 0, NULL);
	put_mount("tracefs", ROOT "/sys/kernel/tracing", "tracefs", 0, NULL);
	put_mount("cgroup2", ROOT "/sys/fs/cgroup", "cgroup2", 0, NULL);
	mkdir(ROOT "/tmp", 01777);
	chmod(ROOT "/tmp", 01777);

	if (conf.modules) {
		char from[PATH_MAX];

		/*
		 * Programs in the virtual machine can then use modprobe for modules of its kernel.
		 */
		snprintf(from, sizeof(from), ROOT "%s", conf.modules);
		snprintf(path, sizeof(path), ROOT "/lib/modules/%s",
			 strrchr(conf.modules, '/') + 1);
		mkdirs(path);
		mount(from, path, NULL, MS_BIND, NULL);
	}
	if (conf.out) {
		snprintf(path, sizeof(path), ROOT "%s", conf.out);
		err = put_mount("vsmout", path, "9p", 0,
				"trans=virtio,version=9p2000.L,cache=mmap,access=any," MSIZE);
		if (err)
			fatal("cannot mount %s: %s", conf.out, strerror(-err));
	}
	if (chdir(ROOT) || mount(".", "/", NULL, MS_MOVE, NULL) || chroot(".") || chdir("/"))
		fatal("cannot enter the new root: %s", strerror(errno));
	(void)!symlink("/proc/self/fd", "/dev/fd");
	(void)!symlink("/proc/self/fd/0", "/dev/stdin");
	(void)!symlink("/proc/self/fd/1", "/dev/stdout");
	(void)!symlink("/proc/self/fd/2", "/dev/stderr");
}

static void set_up_environment(void)
{
	struct rlimit files = { 1024, 1 << 20 };
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (s >= 0) {
		ioctl(s, SIOCSIFFLAGS, &lo);
		close(s);
	}
	(void)!sethostname("vsm", 3);
	setrlimit(RLIMIT_NOFILE, &files);
	umask(022);
	/* An emulated processor may panic while tracepoints of the scheduler come or go. */
	write_file("/sys/kernel/tracing/options/record-cmd", "0");
}

static bool pump(int fd, char type)
{
	static char buf[65536];
	ssize_t n = read(fd, buf, sizeof(buf));

	if (n > 0)
		frame(type, buf, n);
	return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

static void fetch_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;		/* the host sees that it did not get the file */
	frame('n', path, strlen(path));
	while (pump(fd, 'd'))
		;
	close(fd);
}

static pid_t spawn(int input, int out, int err)
{
	pid_t pid = fork();
	sigset_t none;

	if (pid)
		return pid;
	setsid();
	dup2(input, 0);
	dup2(out, 1);
	dup2(err, 2);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (chdir(conf.cwd)) {
		dprintf(2, "vsm-vm: %s: %s\n", conf.cwd, strerror(errno));
		_exit(126);
	}
	environ = conf.env;
	execvp(conf.args[0], conf.args);
	dprintf(2, "vsm-vm: %s: %s\n", conf.args[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* Runs the command. Returns its status as a shell does: 128 + N for signal N. */
static int run_command(void)
{
	int out[2], err[2], input, sig, status, code = -1;
	struct pollfd p[3];
	sigset_t chld;
	pid_t pid;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	sig = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK);
	input = conf.input ? open_port("vsm.in", O_RDONLY | O_CLOEXEC, 4000)
			   : open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC) || sig < 0 || input < 0)
		fatal("cannot prepare the command: %s", strerror(errno));

	frame('r', NULL, 0);
	pid = spawn(input, out[1], conf.merge ? out[1] : err[1]);
	if (pid < 0)
		fatal("cannot fork: %s", strerror(errno));
	close(input);
	close(out[1]);
	close(err[1]);

	p[0] = (struct pollfd){ .fd = out[0], .events = POLLIN };
	p[1] = (struct pollfd){ .fd = err[0], .events = POLLIN };
	p[2] = (struct pollfd){ .fd = sig, .events = POLLIN };
	while (code < 0 || p[0].fd >= 0 || p[1].fd >= 0) {
		struct signalfd_siginfo info;
		pid_t dead;

		if (poll(p, 3, -1) < 0)
			continue;
		if (p[0].revents && !pump(p[0].fd, 'o'))
			p[0].fd = -1;
		if (p[1].revents && !pump(p[1].fd, 'e'))
			p[1].fd = -1;
		if (!(p[2].revents & POLLIN))
			continue;
		(void)!read(sig, &info, sizeof(info));
		while ((dead = waitpid(-1, &status, WNOHANG)) > 0) {
			if (dead != pid)
				continue;
			code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
			/*
			 * Kill the processes that the command left behind. Output that they have
			 * written still reaches the host.
			 */
			kill(-1, SIGKILL);
		}
	}
	kill(-1, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
	return code;
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

#ifdef __x86_64__
struct instant {
	int64_t ns;
	uint64_t tsc;
};

/*
 * Reads both clocks at nearly the same time: the shortest of many readings. Interrupts and other
 * processes lengthen the others.
 */
static struct instant read_clocks(void)
{
	struct instant best = { 0, 0 };
	int64_t shortest = INT64_MAX;

	for (int i = 0; i < 1000; i++) {
		struct timespec before, after;
		uint64_t tsc;
		int64_t ns;

		clock_gettime(CLOCK_MONOTONIC_RAW, &before);
		tsc = __builtin_ia32_rdtsc();
		clock_gettime(CLOCK_MONOTONIC_RAW, &after);
		ns = (after.tv_sec - before.tv_sec) * 1000000000LL + after.tv_nsec - before.tv_nsec;
		if (ns < shortest) {
			shortest = ns;
			best.ns = before.tv_sec * 1000000000LL + before.tv_nsec;
			best.tsc = tsc;
		}
	}
	return best;
}

/* Returns 0 if two measurements differ: the TSC of this machine cannot be relied on. */
static uint64_t tsc_khz(void)
{
	const struct timespec pause = { .tv_nsec = 50 * 1000 * 1000 };
	struct instant at[3];
	uint64_t khz[2];

	for (int i = 0; i < 3; i++) {
		if (i)
			nanosleep(&pause, NULL);
		at[i] = read_clocks();
		if (!i)
			continue;
		if (at[i].ns <= at[i - 1].ns || at[i].tsc <= at[i - 1].tsc)
			return 0;
		khz[i - 1] = (at[i].tsc - at[i - 1].tsc) * 1000000 / (at[i].ns - at[i - 1].ns);
	}
	return imaxabs((intmax_t)(khz[1] - khz[0])) <= khz[0] / 1000 ? khz[1] : 0;
}
#else
static uint64_t tsc_khz(void)
{
	return 0;
}
#endif

int main(int argc, char **argv)
{
	char text[128], taint[32] = "0";
	int i, status, err = 0;

	if (argc == 2 && !strcmp(argv[1], "tsc")) {
		printf("%llu\n", (unsigned long long)tsc_khz());
		return 0;
	}
	put_mount("proc", "/proc", "proc", 0, NULL);
	put_mount("sysfs", "/sys", "sysfs", 0, NULL);
	put_mount("dev", "/dev", "devtmpfs", 0, NULL);
	read_conf();
	if (conf.probe) {
		log_line("<0>vsm-vm: probe done");
		for (;;)
			pause();
	}
	for (i = 0; i < conf.n_load; i++) {
		char *params = strchr(conf.load[i], ' ');

		if (params)
			*params++ = 0;
		load_module(conf.load[i], params ?: "");
	}
	port = open_port("vsm.ctl", O_RDWR | O_CLOEXEC, 4000);
	if (port < 0)
		fatal("no control port");

	enter_root();
	set_up_environment();
	status = run_command();
	for (i = 0; i < conf.n_fetch; i++)
		fetch_file(conf.fetch[i]);

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
	snprintf(text, sizeof(text), "status=%d taint=%lu unload=%d", status,
		 strtoul(taint, NULL, 10), err);
	frame('x', text, strlen(text));
	for (;;)
		pause();
}
