// SPDX-License-Identifier: MIT
/*
 * vsm device: lists, makes, changes and removes devices.
 */
#include <getopt.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "base.h"
#include "command.h"
#include "device/actions.h"
#include "printable.h"

/**
 * struct subcommand - A subcommand of vsm device
 * @name: What the user types
 * @operands: Its operands and option
 * @summary: What it does
 * @details: More of that, whole lines
 * @option: Its option, without "--"; NULL if it has none
 * @min: Smallest number of operands
 * @max: Largest number of operands
 * @named: How many of its operands, at most, are names of devices
 * @run: Its function
 */
static const struct subcommand {
	const char *name;
	const char *operands;
	const char *summary;
	const char *details;
	const char *option;
	int min;
	int max;
	int named;
	int (*run)(int count, char **operands, bool option);
} subcommands[] = {
	{ "list", "[--json]", "list the devices, and those that are not enabled",
	  "The state of a device is on, off (not enabled) or unbound (without its driver).\n",
	  "json", 0, 0, 0, action_list },
	{ "create", "NAME [--disabled] [OPTION=VALUE]...",
	  "make a device, and print its render node",
	  "The options are set in this order. vsm device show prints those of a device. Commas\n"
	  "separate names in a list. +NAME and -NAME change a list: features=-lanes,-drain.\n"
	  "preset=h800, preset=h200 and preset=b200 stand for times measured on such a GPU.\n"
	  "abi_minor=N makes a device of ABI 0.N, which lacks what is younger.\n"
	  "With --disabled the device exists after vsm device set NAME enabled=1.\n"
	  "Needs the rights of root.\n",
	  "disabled", 1, INT_MAX, 1, action_create },
	{ "set", "NAME OPTION=VALUE...", "change options of a device",
	  "The options are set in this order, up to the first that is refused. enabled=0\n"
	  "unplugs the device, and enabled=1 makes it exist. Needs the rights of root.\n",
	  NULL, 2, INT_MAX, 1, action_set },
	{ "show", "NAME", "print the options of a device, as create takes them",
	  "vsm device create NEW $(vsm device show NAME) makes another one like it.\n",
	  NULL, 1, 1, 1, action_show },
	{ "remove", "NAME...", "remove devices, also those that are in use",
	  "This is a hot-unplug: programs that use the device get ENODEV.\n"
	  "Needs the rights of root.\n",
	  NULL, 1, INT_MAX, INT_MAX, action_remove },
};

static void print_usage(const struct subcommand *sub)
{
	printf("  vsm device %s %s\n      %s\n", sub->name, sub->operands, sub->summary);
}

static int device_help(void)
{
	unsigned int i;

	puts("usage: vsm device SUBCOMMAND ...\n");
	for (i = 0; i < ARRAY_SIZE(subcommands); i++)
		print_usage(&subcommands[i]);
	puts("\nvsm device SUBCOMMAND --help says more.");
	return EXIT_OK;
}

static int subcommand_help(const struct subcommand *sub)
{
	puts("usage:");
	print_usage(sub);
	printf("\n%s", sub->details);
	return EXIT_OK;
}

/* Can each of these be the name of a folder? */
static int check_names(const struct subcommand *sub, int count, char **names)
{
	char shown[256];
	int i;

	for (i = 0; i < count; i++) {
		if (*names[i] && !strchr(names[i], '/') && strcmp(names[i], ".") &&
		    strcmp(names[i], ".."))
			continue;
		make_printable(shown, sizeof(shown), names[i], 0);
		return misused("device %s: '%s' cannot be the name of a device", sub->name, shown);
	}
	return EXIT_OK;
}

static int run(const struct subcommand *sub, int argc, char **argv)
{
	const struct option known[] = {
		{ "help", no_argument, NULL, 'h' },
		{ sub->option, no_argument, NULL, 'o' },
		{ }
	};
	bool given = false;
	char **operands;
	int option, count, status;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "h", known, NULL)) != -1) {
		if (option == 'h')
			return subcommand_help(sub);
		if (option != 'o')
			return misused("device %s: no option '%s'; try 'vsm device %s --help'",
				       sub->name, argv[optind - 1], sub->name);
		given = true;
	}
	operands = argv + optind;
	count = argc - optind;
	status = check_names(sub, count < sub->named ? count : sub->named, operands);
	if (status)
		return status;
	if (count < sub->min)
		return misused("device %s: expected %s; try 'vsm device %s --help'", sub->name,
			       sub->operands, sub->name);
	if (count > sub->max)
		return misused("device %s: takes no operand '%s'", sub->name, operands[sub->max]);
	return sub->run(count, operands, given);
}

int command_device(int argc, char **argv)
{
	unsigned int i;

	/* Names of devices are shown as far as the terminal shows their characters. */
	setlocale(LC_CTYPE, "");
	if (argc < 2)
		return misused("device: no subcommand; try 'vsm device --help'");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return device_help();
	for (i = 0; i < ARRAY_SIZE(subcommands); i++) {
		if (!strcmp(argv[1], subcommands[i].name))
			return run(&subcommands[i], argc - 1, argv + 1);
	}
	return misused("device: no subcommand '%s'; try 'vsm device --help'", argv[1]);
}
