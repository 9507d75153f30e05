/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Helpers for tests with several users: children without privileges, and sandboxes, which are
 * children in a user namespace of their own.
 */
#ifndef VSM_TEST_USERS_H
#define VSM_TEST_USERS_H

#include <sched.h>
#include <sys/stat.h>

#include "vsm_test.h"

/* User ids that no process of this machine uses. */
#define ALICE 70001
#define BOB 70002
#define CAROL 70003

/* Allows all users to open the devices. */
static inline void allow_all(void)
{
	char path[32];
	int minor;

	for (minor = 128; minor < 192; minor++) {
		snprintf(path, sizeof(path), "/dev/dri/renderD%d", minor);
		chmod(path, 0666);
	}
}

/* Takes all privileges from a child. Returns false if that is not possible. */
static inline bool become_plain(unsigned int uid)
{
	return !syscall(SYS_setresgid, uid, uid, uid) && !syscall(SYS_setresuid, uid, uid, uid);
}

/* Runs a function in a child that is a user without privileges. Returns what it returns. */
static inline int as_user(unsigned int uid, int (*run)(void *arg), void *arg)
{
	pid_t pid = fork_child();

	if (!pid)
		_exit(become_plain(uid) ? run(arg) : 255);
	return child_status(pid);
}

/* What sandbox_start() returns if the kernel has no user namespaces. */
#define NO_SANDBOX -ENOSYS

/*
 * Starts a child in a user namespace that @owner creates. There the child is root, with all
 * capabilities; outside it is @uid. It runs the function and exits with what that returns. Returns
 * the child, or a negative errno.
 */
static inline pid_t sandbox_start(unsigned int owner, unsigned int uid, int (*run)(void *arg),
				  void *arg)
{
	int ready[2], mapped[2], ret = NO_SANDBOX;
	char path[64], map[64], byte;
	pid_t pid;

	if (pipe2(ready, O_CLOEXEC) || pipe2(mapped, O_CLOEXEC))
		return -errno;
	pid = fork_child();
	if (!pid) {
		close(ready[0]);
		close(mapped[1]);
		if (syscall(SYS_setresuid, owner, owner, owner) || unshare(CLONE_NEWUSER))
			_exit(255);
		prctl(PR_SET_DUMPABLE, 1);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (write(ready[1], "", 1) != 1 || read(mapped[0], &byte, 1) != 1 ||
		    syscall(SYS_setresuid, 0, 0, 0))
			_exit(254);
		_exit(run(arg));
	}
	close(ready[1]);
	close(mapped[0]);
	if (read(ready[0], &byte, 1) == 1) {
		snprintf(path, sizeof(path), "/proc/%d/uid_map", pid);
		snprintf(map, sizeof(map), "0 %u 1", uid);
		ret = write_file(path, map) || write(mapped[1], "", 1) != 1 ? -EBADMSG : 0;
	}
	close(mapped[1]);
	close(ready[0]);
	if (ret)
		child_status(pid);
	return ret ? ret : pid;
}

#endif
