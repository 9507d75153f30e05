// SPDX-License-Identifier: MIT
/* vsm ops: prints the operations in PTX, NVVM, machine code and libvsm. It needs no device. */
#include <stdio.h>
#include <string.h>
#include <vsm.h>

#include "base.h"
#include "command.h"
#include "insn/insn.h"

#define LINE	100
#define WIDTH	9

/* The orders and the traits of each operation. @takes has the operands of all its forms. */
#define VSM_OP(NAME, sems_, traits_) \
	[DRM_VSM_OP_##NAME] = { .sems = sems_, .traits = traits_, .takes = 0
#define VSM_FORM(mods, takes) | (takes)
#define VSM_OP_END },
static const struct {
	uint32_t sems;
	uint32_t traits;
	uint32_t takes;
} ops[] = {
#include "vsm_ops.h"
};

#define TEXT	256

/* Appends @more to a text of TEXT bytes. Appends @separator first if the text is not empty. */
static void append(char *text, const char *separator, const char *more)
{
	size_t used = strlen(text);

	snprintf(text + used, TEXT - used, "%s%s", used ? separator : "", more);
}

/* Writes the names of the NVVM operations of a form: "a, a.shared, b" for "a{.shared}, b". */
static const char *nvvm_names(const struct ptx_form *form, char text[TEXT])
{
	static const char shared[] = "{.shared}";
	const char *list = form->nvvm;
	char name[TEXT];

	text[0] = '\0';
	while (*list) {
		size_t length = strcspn(list, ",");
		char *brace;

		snprintf(name, sizeof(name), "%.*s", (int)length, list);
		list += length;
		list += strspn(list, ", ");
		brace = strstr(name, shared);
		if (brace) {
			*brace = '\0';
			append(text, ", ", name);
			strcpy(brace, ".shared");
		}
		append(text, ", ", name);
	}
	return text;
}

/*
 * Writes the name of libvsm's function. The table has the name without "vsm_prep_", or the whole
 * name if that begins with "vsm_" and not with "vsm_prep_".
 */
static const char *lib_names(const struct ptx_form *form, char text[TEXT])
{
	snprintf(text, TEXT, "%s%s", strncmp(form->lib, "vsm_", 4) ? "vsm_prep_" : "", form->lib);
	return text;
}

static bool has_sm_80(const struct ptx_op *op, const struct ptx_form *form)
{
	uint32_t traits = ops[op->op].traits;

	/*
	 * An operation of a rendezvous has the same forms in both layouts. Forms of other
	 * operations differ.
	 */
	if (!(traits & VSM_OP_SM_80) || traits & VSM_OP_WAIT_SET)
		return traits & VSM_OP_SM_80;
	return !(form->mods & DRM_VSM_MOD_EXPECT_TX) &&
	       (form->mods & (DRM_VSM_MOD_COUNT | DRM_VSM_MOD_NOCOMPLETE)) != DRM_VSM_MOD_COUNT;
}

static const char *runs_in(const struct ptx_op *op, const struct ptx_form *form, char text[TEXT])
{
	uint32_t traits = ops[op->op].traits;

	strcpy(text, "EXEC");
	if (traits & VSM_OP_JOB && (!(traits & VSM_OP_VALUE) || form->mods & DRM_VSM_MOD_SINK))
		append(text, ", ", "SUBMIT");
	else if (traits & VSM_OP_JOB)
		append(text, ", ", "SUBMIT with _ as its result");
	if (traits & VSM_OP_WAIT_SET)
		append(text, ", ", "wait set");
	return text;
}

static const char *layouts(const struct ptx_op *op, const struct ptx_form *form)
{
	if (op->op == DRM_VSM_OP_FENCE)
		return "sm_80 with .acq_rel or .sc, but not with .cluster; sm_90";
	return has_sm_80(op, form) ? "sm_80, sm_90" : "sm_90";
}

/* Writes the orders that a form of an operation allows. */
static const char *orders(const struct ptx_op *op, const struct ptx_form *form, char text[TEXT])
{
	static const char *const names[] = {
		[DRM_VSM_SEM_RELAXED] = ".relaxed",
		[DRM_VSM_SEM_ACQUIRE] = ".acquire",
		[DRM_VSM_SEM_RELEASE] = ".release",
		[DRM_VSM_SEM_ACQ_REL] = ".acq_rel",
		[DRM_VSM_SEM_SC] = ".sc",
	};
	unsigned int i;

	text[0] = '\0';
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i] && ops[op->op].sems & BIT(i) &&
		    (!(form->mods & DRM_VSM_MOD_NOCOMPLETE) || i == DRM_VSM_SEM_RELEASE))
			append(text, ", ", names[i]);
	return text;
}

/* Writes which uses of a form are always refused. The traits of the operation determine them. */
static const char *refused(const struct ptx_op *op, const struct ptx_form *form, char text[TEXT])
{
	uint32_t traits = ops[op->op].traits;
	bool has_address = ops[op->op].takes & VSM_TAKES_ADDR;

	text[0] = '\0';
	if (!has_sm_80(op, form))
		append(text, "; ", "layout sm_80: EOPNOTSUPP");
	if (!(traits & VSM_OP_JOB))
		append(text, "; ", "SUBMIT: EINVAL");
	if (has_address && !(traits & VSM_OP_REMOTE))
		append(text, "; ", "another CTA's window: REMOTE_FORBIDDEN");
	else if (has_address && form->mods & DRM_VSM_MOD_NOCOMPLETE)
		append(text, "; ", "another CTA's window: REMOTE_FORBIDDEN");
	else if (has_address && traits & VSM_OP_VALUE && !(form->mods & DRM_VSM_MOD_SINK))
		append(text, "; ", "a result from another CTA's window: REMOTE_FORBIDDEN");
	if (has_address)
		append(text, "; ", "another order: BAD_ORDER");
	return text;
}

/*
 * Returns the length of the first line of a text that is wrapped at @columns. The line ends at a
 * space if possible, otherwise before a dot.
 */
static size_t line_length(const char *text, size_t columns)
{
	size_t length;

	if (strlen(text) <= columns)
		return strlen(text);
	for (length = columns; length && text[length] != ' '; length--)
		;
	if (length)
		return length;
	for (length = columns; length && text[length] != '.'; length--)
		;
	return length ?: columns;
}

/*
 * Prints a text in lines of at most LINE columns. The first begins at @column, the others are
 * indented.
 */
static void print_wrapped(const char *text, unsigned int indent, unsigned int column)
{
	while (*text) {
		size_t length = line_length(text, LINE - column);

		printf("%.*s\n", (int)length, text);
		text += length;
		text += strspn(text, " ");
		if (*text)
			printf("%*s", indent, "");
		column = indent;
	}
}

static void print_row(const char *name, const char *text)
{
	printf("  %-*s", WIDTH, name);
	print_wrapped(*text ? text : "-", 2 + WIDTH, 2 + WIDTH);
}

static void print_form(const struct ptx_op *op, const struct ptx_form *form)
{
	char text[TEXT], ptx[FORM_SIZE];

	print_wrapped(form_ptx(op, form, ptx), 4, 0);
	print_row("NVVM", nvvm_names(form, text));
	print_row("machine", form->machine);
	print_row("libvsm", lib_names(form, text));
	if (!op->op) {
		print_row("runs in", "nothing: it is computed");
		return;
	}
	print_row("runs in", runs_in(op, form, text));
	print_row("layouts", layouts(op, form));
	print_row("orders", orders(op, form, text));
	print_row("refused", refused(op, form, text));
}

static bool contains(const char *text, const char *name)
{
	return strcasestr(text, name);
}

static bool matches(const struct ptx_op *op, const struct ptx_form *form, const char *name)
{
	char text[TEXT], ptx[FORM_SIZE];

	return !name || contains(form_ptx(op, form, ptx), name) || contains(form->machine, name) ||
	       contains(nvvm_names(form, text), name) || contains(lib_names(form, text), name);
}

int command_ops(struct args *args)
{
	const char *name;
	bool found = false;
	unsigned int i, j;

	while (args_next(args))
		;
	if (args->ended)
		return args->status;
	name = args->count ? args->operands[0] : NULL;
	for (i = 0; i < ptx_op_count; i++) {
		const struct ptx_op *op = &ptx_ops[i];

		for (j = 0; j < PTX_FORMS && op->forms[j].rest; j++) {
			if (!matches(op, &op->forms[j], name))
				continue;
			if (found)
				putchar('\n');
			print_form(op, &op->forms[j]);
			found = true;
		}
	}
	if (!found)
		return failed("ops: no operation has '%s' in a name", name);
	return EXIT_OK;
}
