// SPDX-License-Identifier: MIT
/*
 * Tests how vsm top reads fdinfo, and finds clients among the files of processes. The files are
 * recorded ones. /dev/null takes the place of the device.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "top/processes.h"

/* Recorded with Linux 6.12 while vsm-pipeline ran. */
#define RECORDED(id) \
	"pos:\t0\n" \
	"flags:\t02100002\n" \
	"mnt_id:\t22\n" \
	"ino:\t121\n" \
	"drm-driver:\tvsm\n" \
	"drm-client-id:\t" id "\n" \
	"drm-engine-copy:\t3512004771 ns\n" \
	"drm-engine-capacity-copy:\t2\n" \
	"drm-total-memory:\t424 KiB\n" \
	"drm-shared-memory:\t0 KiB\n" \
	"drm-resident-memory:\t420 KiB\n" \
	"drm-active-memory:\t132 KiB\n" \
	"vsm-moved:\t70254592\n" \
	"vsm-moved-0:\t70254591\n" \
	"vsm-moved-7:\t1\n" \
	"vsm-phases:\t4284\n" \
	"vsm-faults:\t3\n"

static void a_recorded_file_is_read(void **state)
{
	struct fdinfo info;

	(void)state;
	assert_true(fdinfo_parse(RECORDED("4294967301"), &info));
	assert_int_equal(info.device, 1);
	assert_int_equal(info.client, 5);
	assert_int_equal(info.busy, 3512004771);
	assert_int_equal(info.capacity, 2);
	assert_int_equal(info.total, 424 * 1024);
	assert_int_equal(info.shared, 0);
	assert_int_equal(info.resident, 420 * 1024);
	assert_int_equal(info.active, 132 * 1024);
	assert_int_equal(info.moved, 70254592);
	assert_int_equal(info.channels, 0x81);
	assert_int_equal(info.channel_moved[0], 70254591);
	assert_int_equal(info.channel_moved[7], 1);
	assert_int_equal(info.phases, 4284);
	assert_int_equal(info.faults, 3);
}

static void files_of_others_are_refused(void **state)
{
	struct fdinfo info;

	(void)state;
	assert_false(fdinfo_parse("", &info));
	assert_false(fdinfo_parse("pos:\t0\n", &info));
	assert_false(fdinfo_parse("drm-driver:\tvgem\ndrm-client-id:\t5\n", &info));
	assert_false(fdinfo_parse("drm-driver:\tvsm2\ndrm-client-id:\t5\n", &info));
	/* No client has the number 0. */
	assert_false(fdinfo_parse("drm-driver:\tvsm\n", &info));
}

static void what_is_malformed_is_ignored(void **state)
{
	struct fdinfo info;

	(void)state;
	assert_true(fdinfo_parse("drm-driver:\tvsm\ndrm-client-id:\t5\n"
				 "vsm-moved\nvsm-moved:\n:\n:5\nvsm-moved:\tx\nvsm-moved:\t-1\n"
				 "vsm-phases:\t99999999999999999999\n"
				 "drm-total-memory:\t99999999999999999 GiB\n"
				 "vsm-moved-16:\t1\nvsm-moved-:\t1\nvsm-moved-1x:\t1\n"
				 "vsm-moved-99999999999:\t1\nvsm-faults:\t7x\n", &info));
	assert_int_equal(info.moved, 0);
	assert_int_equal(info.phases, 0);
	assert_int_equal(info.total, 0);
	assert_int_equal(info.channels, 0);
	assert_int_equal(info.faults, 0);
}

static void the_last_line_may_lack_its_end(void **state)
{
	struct fdinfo info;

	(void)state;
	assert_true(fdinfo_parse("drm-driver: vsm\ndrm-client-id: 5\ndrm-total-memory: 2 MiB",
				 &info));
	assert_int_equal(info.total, 2 << 20);
	assert_true(fdinfo_parse("drm-client-id: 5\ndrm-driver: vsm", &info));
}

/* --- processes ------------------------------------------------------------------------ */

/* mkdtemp() replaces the last letters. */
static char top[32] = "/tmp/vsm-proc.XXXXXX";

static void write_file(const char *path, const char *text)
{
	char full[160];
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", top, path);
	file = fopen(full, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void make_folder(const char *path)
{
	char full[160];

	snprintf(full, sizeof(full), "%s/%s", top, path);
	assert_int_equal(mkdir(full, 0700), 0);
}

/* Makes a file of a process. @info is what fdinfo shows, or NULL if the file was closed. */
static void add_file(const char *pid, int fd, const char *target, const char *info)
{
	char full[160], path[80];

	snprintf(full, sizeof(full), "%s/%s/fd/%d", top, pid, fd);
	assert_int_equal(symlink(target, full), 0);
	snprintf(path, sizeof(path), "%s/fdinfo/%d", pid, fd);
	if (info)
		write_file(path, info);
}

static void add_process(const char *pid, const char *comm)
{
	char path[80];

	make_folder(pid);
	snprintf(path, sizeof(path), "%s/fd", pid);
	make_folder(path);
	snprintf(path, sizeof(path), "%s/fdinfo", pid);
	make_folder(path);
	snprintf(path, sizeof(path), "%s/comm", pid);
	if (comm)
		write_file(path, comm);
}

static int make_proc(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(top));
	add_process("20", "two\n");
	add_file("20", 3, "/dev/null", RECORDED("7"));
	add_file("20", 4, "/dev/null", RECORDED("6"));
	/* The process of a fork, which has inherited the file. */
	add_process("100", "fork\n");
	add_file("100", 3, "/dev/null", RECORDED("7"));
	/* Files that are no devices, that are other devices, and one that is being closed. */
	add_process("30", "other\n");
	add_file("30", 3, "/dev/zero", RECORDED("8"));
	add_file("30", 4, "socket:[1]", RECORDED("9"));
	add_file("30", 5, "/", RECORDED("10"));
	add_file("30", 6, "/dev/null", NULL);
	/* A process that ends: it has no name any more. */
	add_process("40", NULL);
	add_file("40", 3, "/dev/null", RECORDED("4294967297"));
	/* A process without files that may be read, and folders that are no processes. */
	make_folder("50");
	add_process("self", "self\n");
	add_file("self", 3, "/dev/null", RECORDED("11"));
	/* The caller itself. */
	add_process("60", "me\n");
	add_file("60", 3, "/dev/null", RECORDED("12"));
	return 0;
}

static int remove_proc(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", top);
	return system(command);
}

static void clients_of_all_processes_are_found(void **state)
{
	struct client *clients;
	struct stat null;

	(void)state;
	assert_int_equal(stat("/dev/null", &null), 0);
	assert_int_equal(processes_read(top, major(null.st_rdev), 60, &clients), 4);
	assert_int_equal(clients[0].info.client, 6);
	assert_int_equal(clients[0].pid, 20);
	assert_string_equal(clients[0].comm, "two");
	assert_int_equal(clients[1].info.client, 7);
	assert_int_equal(clients[1].pid, 20);
	assert_int_equal(clients[2].info.client, 8);
	assert_string_equal(clients[2].comm, "other");
	assert_int_equal(clients[3].info.device, 1);
	assert_int_equal(clients[3].info.client, 1);
	assert_string_equal(clients[3].comm, "");
	free(clients);
}

static void other_devices_are_not_read(void **state)
{
	struct client *clients;

	(void)state;
	assert_int_equal(processes_read(top, DRM_MAJOR, 60, &clients), 0);
	free(clients);
}

static void a_machine_may_lack_proc(void **state)
{
	struct client *clients;

	(void)state;
	assert_int_equal(processes_read("/nonexistent", DRM_MAJOR, 60, &clients), 0);
	free(clients);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recorded_file_is_read),
		cmocka_unit_test(files_of_others_are_refused),
		cmocka_unit_test(what_is_malformed_is_ignored),
		cmocka_unit_test(the_last_line_may_lack_its_end),
		cmocka_unit_test(clients_of_all_processes_are_found),
		cmocka_unit_test(other_devices_are_not_read),
		cmocka_unit_test(a_machine_may_lack_proc),
	};

	return cmocka_run_group_tests(tests, make_proc, remove_proc);
}
