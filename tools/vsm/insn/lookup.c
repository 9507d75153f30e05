// SPDX-License-Identifier: MIT
/*
 * Finds forms by their names in NVVM and in machine code.
 */
#include <string.h>

#include "base.h"
#include "insn/lookup.h"
#include "table/opcode.h"

/*
 * Returns the next name of a list of names, without its operands. Moves @list to the name after it,
 * or to the end.
 */
static struct span next_name(const char **list)
{
	struct span name = { .text = *list, .length = strcspn(*list, ", ") };

	*list += name.length;
	if (**list == ' ')
		*list += strlen(*list);
	*list += strspn(*list, ", ");
	return name;
}

/* Is @name the name @listed? If @listed is "a{.shared}", it stands for "a" and "a.shared". */
static bool is_name(struct span name, struct span listed)
{
	struct span shared = { .text = "{.shared}", .length = 9 };

	if (listed.length > shared.length &&
	    !memcmp(listed.text + listed.length - shared.length, shared.text, shared.length)) {
		listed.length -= shared.length;
		if (name.length == listed.length + 7 &&
		    !memcmp(name.text + listed.length, ".shared", 7))
			name.length -= 7;
	}
	return name.length == listed.length && !memcmp(name.text, listed.text, name.length);
}

static void try_name(struct form_hint *hint, struct span name)
{
	char text[QUOTE_SIZE];

	snprintf(text, sizeof(text), "%.*s", (int)strcspn(name.text, "{, "), name.text);
	nearest_try(&hint->nearest, text);
	if (hint->nearest.name != text)
		return;
	memcpy(hint->name, text, sizeof(text));
	hint->nearest.name = hint->name;
}

static bool is_listed(struct span name, const char *list, struct form_hint *hint)
{
	while (*list) {
		struct span listed = next_name(&list);

		if (is_name(name, listed))
			return true;
		try_name(hint, listed);
	}
	return false;
}

const char *form_ptx(const struct ptx_op *op, const struct ptx_form *form, char text[PTX_SIZE])
{
	snprintf(text, PTX_SIZE, "%s%s", op->name, form->rest);
	return text;
}

/* Finds a form by the name of its machine instruction if @machine, or else by its NVVM name. */
static bool find_form(struct span name, bool machine, struct found_form *found,
		      struct form_hint *hint)
{
	unsigned int i, j;

	*hint = (struct form_hint){ .nearest.word = name };
	for (i = 0; i < ptx_op_count; i++) {
		const struct ptx_op *op = &ptx_ops[i];

		for (j = 0; j < PTX_FORMS && op->forms[j].rest; j++) {
			const struct ptx_form *form = &op->forms[j];

			if (!is_listed(name, machine ? form->machine : form->nvvm, hint))
				continue;
			found->form = form;
			form_ptx(op, form, found->ptx);
			return true;
		}
	}
	return false;
}

bool form_of_nvvm(struct span name, struct found_form *found, struct form_hint *hint)
{
	return find_form(name, false, found, hint);
}

bool form_of_machine(struct span name, struct found_form *found, struct form_hint *hint)
{
	return find_form(name, true, found, hint);
}

const char *form_machine_operands(const struct ptx_form *form)
{
	const char *machine = form->machine + strcspn(form->machine, ", ");

	return *machine == ' ' ? machine + 1 : NULL;
}

bool form_opcode(const char *ptx, const char *qualifiers, struct instruction *insn)
{
	bool typed = !strncmp(ptx, "mbarrier.", 9) || !strncmp(ptx, "cp.async.mbarrier.", 18);
	/* Begin with MAX_ERRORS errors, because then the parser prints no error. */
	struct errors errors = { .count = MAX_ERRORS };
	struct ptx_order order = { };
	struct cursor c = { .errors = &errors };
	char opcode[128];
	int length;

	length = snprintf(opcode, sizeof(opcode), "%.*s%s%s", (int)strcspn(ptx, " "), ptx,
			  qualifiers, typed ? ".b64" : "");
	if (length >= (int)sizeof(opcode))
		return false;
	c.start = opcode;
	c.at = opcode;
	c.end = opcode + length;
	return ptx_parse_opcode(&c, &insn->opcode, &order) && !order.where && c.at == c.end;
}
