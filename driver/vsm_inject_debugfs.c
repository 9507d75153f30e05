// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules of injection for a whole device: the file vsm_inject in debugfs. A line that is written is
 * a command: "WHERE WHAT [NAME=NUMBER | FLAG]...", "remove NUMBER" or "clear". What is read is a
 * line for each rule: its number, the command that has added it, and its counters.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/limits.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <drm/drm_debugfs.h>

#include "base/vsm_invalid.h"
#include "vsm_drv.h"
#include "vsm_inject_debugfs.h"
#include "vsm_inject_ioctl.h"

#define VSM_INJECT_LINE	512

#define VSM_INJECT_WHERE(NAME, name, has)	name,
static const char * const vsm_where_names[] = {
#include <drm/vsm_inject_table.h>
};

#define VSM_INJECT_WHAT(NAME, name, takes, at)	name,
static const char * const vsm_what_names[] = {
#include <drm/vsm_inject_table.h>
};

/**
 * struct vsm_rule_number - A number of a rule
 * @name: Its name
 * @offset: Where it is in &struct vsm_rule
 * @size: Its size in bytes, 4 or 8
 * @flag: Flag that is set with it, or 0
 */
struct vsm_rule_number {
	const char *name;
	size_t offset;
	size_t size;
	u32 flag;
};

#define VSM_RULE_NUMBER(name_, member, flag_) {			\
	.name = name_,						\
	.offset = offsetof(struct vsm_rule, member),		\
	.size = sizeof_field(struct vsm_rule, member),		\
	.flag = flag_,						\
}

static const struct vsm_rule_number vsm_rule_numbers[] = {
	VSM_RULE_NUMBER("error", info.error, 0),
	VSM_RULE_NUMBER("arg", info.arg, 0),
	VSM_RULE_NUMBER("first", info.first, 0),
	VSM_RULE_NUMBER("every", info.every, 0),
	VSM_RULE_NUMBER("times", info.times, 0),
	VSM_RULE_NUMBER("probability", info.probability, 0),
	VSM_RULE_NUMBER("seed", info.seed, 0),
	VSM_RULE_NUMBER("client", client, 0),
	VSM_RULE_NUMBER("channel", info.channel, DRM_VSM_INJECT_CHANNEL),
	VSM_RULE_NUMBER("cluster", cluster, 0),
};

static const struct {
	const char *name;
	u32 flag;
} vsm_rule_flags[] = {
	{ "spare", DRM_VSM_INJECT_SPARE },
	{ "return", DRM_VSM_INJECT_RETURN },
};

static u64 vsm_rule_number(const struct vsm_rule *rule, const struct vsm_rule_number *number)
{
	const void *field = (const char *)rule + number->offset;

	return number->size == sizeof(u32) ? *(const u32 *)field : *(const u64 *)field;
}

static bool vsm_rule_shows(const struct vsm_rule *rule, const struct vsm_rule_number *number)
{
	return number->flag ? rule->info.flags & number->flag : vsm_rule_number(rule, number);
}

static void vsm_rule_show(struct seq_file *m, const struct vsm_rule *rule)
{
	u32 i;

	seq_printf(m, "%u %s %s", rule->info.rule, vsm_where_names[rule->info.where],
		   vsm_what_names[rule->info.what]);
	for (i = 0; i < ARRAY_SIZE(vsm_rule_numbers); i++)
		if (vsm_rule_shows(rule, &vsm_rule_numbers[i]))
			seq_printf(m, " %s=%llu", vsm_rule_numbers[i].name,
				   vsm_rule_number(rule, &vsm_rule_numbers[i]));
	for (i = 0; i < ARRAY_SIZE(vsm_rule_flags); i++)
		if (rule->info.flags & vsm_rule_flags[i].flag)
			seq_printf(m, " %s", vsm_rule_flags[i].name);
	seq_printf(m, " matched=%llu fired=%llu\n", rule->info.matched, rule->info.fired);
}

static int vsm_inject_show(struct seq_file *m, void *unused)
{
	struct vsm_device *vdev = m->private;
	struct vsm_rule rule;
	u32 next = 1;

	while (vsm_rules_read(&vdev->rules, next, true, &rule)) {
		vsm_rule_show(m, &rule);
		next = rule.info.rule + 1;
	}
	return 0;
}

static int vsm_inject_open(struct inode *inode, struct file *file)
{
	return single_open(file, vsm_inject_show, inode->i_private);
}

/* Parse a flag, or a number, whose name is all of @word afterwards. */
static bool vsm_rule_parse_word(struct vsm_rule *rule, char *word)
{
	char *value = strchr(word, '=');
	u64 number;
	u32 i;

	if (!value) {
		for (i = 0; i < ARRAY_SIZE(vsm_rule_flags); i++) {
			if (strcmp(word, vsm_rule_flags[i].name))
				continue;
			rule->info.flags |= vsm_rule_flags[i].flag;
			return true;
		}
		return false;
	}
	*value++ = 0;
	for (i = 0; i < ARRAY_SIZE(vsm_rule_numbers); i++) {
		const struct vsm_rule_number *found = &vsm_rule_numbers[i];
		void *field = (char *)rule + found->offset;

		if (strcmp(word, found->name))
			continue;
		if (kstrtou64(value, 0, &number))
			return false;
		rule->info.flags |= found->flag;
		if (found->size == sizeof(u64))
			*(u64 *)field = number;
		else if (number <= U32_MAX)
			*(u32 *)field = number;
		else
			return false;
		return true;
	}
	return false;
}

/* Take the next word off a line. Returns NULL at its end. */
static char *vsm_next_word(char **line)
{
	char *word;

	do
		word = strsep(line, " ");
	while (word && !*word);
	return word;
}

static int vsm_inject_refuse(struct vsm_device *vdev, const char *what)
{
	return vsm_invalid(&vdev->drm, "vsm_inject", what);
}

/* Parse a rule. Returns what is wrong with it, or NULL. */
static const char *vsm_rule_parse(struct vsm_rule *rule, const char *where, char *line)
{
	const char *what = vsm_next_word(&line);
	char *word;
	int ret;

	ret = match_string(vsm_where_names, ARRAY_SIZE(vsm_where_names), where);
	if (ret < 0)
		return "where";
	rule->info.where = ret;
	ret = what ? match_string(vsm_what_names, ARRAY_SIZE(vsm_what_names), what) : -EINVAL;
	if (ret < 0)
		return "what";
	rule->info.what = ret;
	while ((word = vsm_next_word(&line)) != NULL)
		if (!vsm_rule_parse_word(rule, word))
			return word;
	return vsm_rule_invalid(&rule->info);
}

static int vsm_inject_add(struct vsm_device *vdev, const char *where, char *line)
{
	struct vsm_rule *rule;
	const char *wrong;
	int ret;

	rule = kzalloc(sizeof(*rule), GFP_KERNEL_ACCOUNT);
	if (!rule)
		return -ENOMEM;
	wrong = vsm_rule_parse(rule, where, line);
	ret = wrong ? vsm_inject_refuse(vdev, wrong) : vsm_device_add_rule(vdev, rule);
	if (ret)
		kfree(rule);
	return ret;
}

static int vsm_inject_command(struct vsm_device *vdev, char *line)
{
	char *word = vsm_next_word(&line);
	u32 number;

	if (!word)
		return vsm_inject_refuse(vdev, "command");
	if (!strcmp(word, "clear"))
		return line ? vsm_inject_refuse(vdev, "clear") : vsm_device_remove_rule(vdev, 0);
	if (strcmp(word, "remove"))
		return vsm_inject_add(vdev, word, line);
	if (!line || kstrtou32(skip_spaces(line), 0, &number) || !number)
		return vsm_inject_refuse(vdev, "remove");
	return vsm_device_remove_rule(vdev, number);
}

static ssize_t vsm_inject_write(struct file *file, const char __user *text, size_t len,
				loff_t *pos)
{
	struct vsm_device *vdev = ((struct seq_file *)file->private_data)->private;
	char *line;
	int ret;

	if (len > VSM_INJECT_LINE)
		return -E2BIG;
	line = memdup_user_nul(text, len);
	if (IS_ERR(line))
		return PTR_ERR(line);
	ret = vsm_inject_command(vdev, strim(line));
	kfree(line);
	return ret ?: len;
}

static const struct file_operations vsm_inject_fops = {
	.owner = THIS_MODULE,
	.open = vsm_inject_open,
	.read = seq_read,
	.write = vsm_inject_write,
	.llseek = seq_lseek,
	.release = single_release,
};

void vsm_inject_debugfs_init(struct vsm_device *vdev, struct dentry *root)
{
	debugfs_create_file("vsm_inject", 0600, root, vdev, &vsm_inject_fops);
}
