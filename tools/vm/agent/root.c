// SPDX-License-Identifier: MIT
/* The root folder of the command: that of the host, with a writable layer above it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "agent.h"

#define ROOT	"/newroot"

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
int put_mount(const char *src, const char *dir, const char *type, unsigned long flags,
	      const char *opts)
{
	mkdirs(dir);
	return mount(src, dir, type, flags, opts) ? -errno : 0;
}

void need_mount(const char *src, const char *dir, const char *type, unsigned long flags,
		const char *opts)
{
	int err = put_mount(src, dir, type, flags, opts);

	if (err)
		fatal("cannot mount %s on %s: %s", type ?: src, dir, strerror(-err));
}

void enter_root(void)
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
		struct utsname kernel;

		uname(&kernel);
		/*
		 * Programs in the virtual machine can then use modprobe for modules of its kernel.
		 */
		snprintf(from, sizeof(from), ROOT "%s", conf.modules);
		snprintf(path, sizeof(path), ROOT "/lib/modules/%s", kernel.release);
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

void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd >= 0) {
		(void)!write(fd, text, strlen(text));
		close(fd);
	}
}

void set_up_environment(void)
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
