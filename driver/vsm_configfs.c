// SPDX-License-Identifier: GPL-2.0-only
/*
 * Devices that root makes at run time: each folder of /sys/kernel/config/vsm is one. Its files are
 * the options of the device. In a new folder they have the values of the devices that the module
 * begins with. The device exists from a 1 in "enabled" to a 0 there, or to the folder's end.
 */
#include <linux/configfs.h>
#include <linux/ctype.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <drm/vsm_drm.h>

#include "channel/vsm_channel.h"
#include "vsm_device.h"

/**
 * struct vsm_folder - A folder, and the device that it stands for
 * @item: Item of configfs
 * @lock: Protects the other fields
 * @options: What the device is, or will be
 * @pdev: The device; NULL if it is not enabled
 */
struct vsm_folder {
	struct config_item item;
	struct mutex lock; /* all fields */
	struct vsm_options options;
	struct platform_device *pdev;
};

static struct vsm_options vsm_defaults;

static struct vsm_folder *to_vsm_folder(struct config_item *item)
{
	return container_of(item, struct vsm_folder, item);
}

/* --- numbers ------------------------------------------------------------------------ */

/**
 * struct vsm_number_file - A file with a number, one of &struct vsm_options
 * @offset: Where the number is in &struct vsm_options
 * @size: Its size in bytes, 4 or 8
 * @live: It can be changed while the device exists: it is in &vsm_options.model
 * @min: Smallest value
 * @max: Largest value
 */
struct vsm_number_file {
	size_t offset;
	size_t size;
	bool live;
	u64 min;
	u64 max;
};

static ssize_t vsm_number_show(struct vsm_folder *folder, const struct vsm_number_file *file,
			       char *page)
{
	const void *number = (const char *)&folder->options + file->offset;
	u64 value;

	mutex_lock(&folder->lock);
	value = file->size == sizeof(u32) ? *(const u32 *)number : *(const u64 *)number;
	mutex_unlock(&folder->lock);
	return sysfs_emit(page, "%llu\n", value);
}

static ssize_t vsm_number_store(struct vsm_folder *folder, const struct vsm_number_file *file,
				const char *page, size_t len)
{
	void *number = (char *)&folder->options + file->offset;
	u64 value;
	int ret;

	ret = kstrtou64(page, 0, &value);
	if (ret)
		return ret;
	if (value < file->min || value > file->max)
		return -ERANGE;
	mutex_lock(&folder->lock);
	if (folder->pdev && !file->live) {
		ret = -EBUSY;
		goto out;
	}
	if (file->size == sizeof(u32))
		*(u32 *)number = value;
	else
		*(u64 *)number = value;
	if (folder->pdev)
		vsm_device_set_model(folder->pdev, &folder->options.model);
out:
	mutex_unlock(&folder->lock);
	return ret ?: len;
}

/* A file @name for &vsm_options.@member */
#define VSM_FILE_NUMBER(name, member, live_, min_, max_)				\
static const struct vsm_number_file vsm_file_##name = {					\
	.offset = offsetof(struct vsm_options, member),					\
	.size = sizeof_field(struct vsm_options, member),				\
	.live = live_,									\
	.min = min_,									\
	.max = max_,									\
};											\
static ssize_t vsm_folder_##name##_show(struct config_item *item, char *page)		\
{											\
	return vsm_number_show(to_vsm_folder(item), &vsm_file_##name, page);		\
}											\
static ssize_t vsm_folder_##name##_store(struct config_item *item, const char *page,	\
					 size_t len)					\
{											\
	return vsm_number_store(to_vsm_folder(item), &vsm_file_##name, page, len);	\
}											\
CONFIGFS_ATTR(vsm_folder_, name)

VSM_FILE_NUMBER(max_bytes, max_bytes, false, PAGE_SIZE, S64_MAX / 4);
VSM_FILE_NUMBER(client_clusters, client_limit[VSM_RES_CLUSTERS], false, 1, VSM_CLIENT_CLUSTERS);
VSM_FILE_NUMBER(client_waits, client_limit[VSM_RES_WAITS], false, 1, VSM_CLIENT_WAITS);
VSM_FILE_NUMBER(client_jobs, client_limit[VSM_RES_JOBS], false, 1, VSM_CLIENT_JOBS);
VSM_FILE_NUMBER(max_channels, max_channels, false, 1, VSM_MAX_CHANNELS);
#define VSM_FILE_MODEL(type, name, max_)	VSM_FILE_NUMBER(name, model.name, true, 0, max_);
EACH_NUMBER(VSM_FILE_MODEL)

/* --- sets of names ------------------------------------------------------------------ */

struct vsm_name {
	const char *name;
	u64 bit;
};

#define VSM_FEATURE(NAME, name)	{ name, DRM_VSM_FEATURE_##NAME },
static const struct vsm_name vsm_feature_names[] = {
#include <drm/vsm_features.h>
	{}
};

static const struct vsm_name vsm_policy_names[] = {
	{ "strict", BIT(DRM_VSM_POLICY_STRICT) },
	{ "hardware", BIT(DRM_VSM_POLICY_HARDWARE) },
	{}
};

static ssize_t vsm_names_show(struct vsm_folder *folder, const struct vsm_name *names,
			      const u64 *set, char *page)
{
	ssize_t len = 0;
	u64 bits;

	mutex_lock(&folder->lock);
	bits = *set;
	mutex_unlock(&folder->lock);

	for (; names->name; names++)
		if (bits & names->bit)
			len += sysfs_emit_at(page, len, "%s%s", len ? " " : "", names->name);
	return len + sysfs_emit_at(page, len, "\n");
}

/*
 * Read the names of a set. "+name" adds a name to @bits and "-name" takes it away; if the first one
 * has neither sign, the set begins empty.
 */
static int vsm_names_parse(const struct vsm_name *names, char *text, u64 *bits)
{
	const struct vsm_name *found;
	bool first = true;
	char *word;

	text = strim(text);
	while ((word = strsep(&text, " ")) != NULL) {
		char sign = *word == '+' || *word == '-' ? *word++ : 0;

		if (first && !sign)
			*bits = 0;
		first = false;
		if (!*word && !sign)
			continue;
		for (found = names; found->name && strcmp(found->name, word); found++)
			;
		if (!found->name)
			return -EINVAL;
		if (sign == '-')
			*bits &= ~found->bit;
		else
			*bits |= found->bit;
	}
	return 0;
}

static ssize_t vsm_names_store(struct vsm_folder *folder, const struct vsm_name *names, u64 *bits,
			       const char *page, size_t len)
{
	char *text = kstrdup(page, GFP_KERNEL);
	u64 changed;
	int ret;

	if (!text)
		return -ENOMEM;
	mutex_lock(&folder->lock);
	changed = *bits;
	ret = folder->pdev ? -EBUSY : vsm_names_parse(names, text, &changed);
	if (!ret)
		*bits = changed;
	mutex_unlock(&folder->lock);
	kfree(text);
	return ret ?: len;
}

#define VSM_FILE_NAMES(name, names)							\
static ssize_t vsm_folder_##name##_show(struct config_item *item, char *page)		\
{											\
	struct vsm_folder *folder = to_vsm_folder(item);				\
											\
	return vsm_names_show(folder, names, &folder->options.name, page);		\
}											\
static ssize_t vsm_folder_##name##_store(struct config_item *item, const char *page,	\
					 size_t len)					\
{											\
	struct vsm_folder *folder = to_vsm_folder(item);				\
											\
	return vsm_names_store(folder, names, &folder->options.name, page, len);	\
}											\
CONFIGFS_ATTR(vsm_folder_, name)

VSM_FILE_NAMES(features, vsm_feature_names);
VSM_FILE_NAMES(policies, vsm_policy_names);

/* --- the device --------------------------------------------------------------------- */

static ssize_t vsm_folder_enabled_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%d\n", !!READ_ONCE(to_vsm_folder(item)->pdev));
}

static int vsm_folder_enable(struct vsm_folder *folder)
{
	struct platform_device *pdev;

	if (folder->pdev)
		return 0;
	pdev = vsm_device_add(&folder->options);
	if (IS_ERR(pdev))
		return PTR_ERR(pdev);
	WRITE_ONCE(folder->pdev, pdev);
	return 0;
}

static void vsm_folder_disable(struct vsm_folder *folder)
{
	if (folder->pdev)
		vsm_device_remove(folder->pdev);
	WRITE_ONCE(folder->pdev, NULL);
}

static ssize_t vsm_folder_enabled_store(struct config_item *item, const char *page, size_t len)
{
	struct vsm_folder *folder = to_vsm_folder(item);
	bool enabled;
	int ret;

	ret = kstrtobool(page, &enabled);
	if (ret)
		return ret;
	mutex_lock(&folder->lock);
	if (enabled)
		ret = vsm_folder_enable(folder);
	else
		vsm_folder_disable(folder);
	mutex_unlock(&folder->lock);
	return ret ?: len;
}
CONFIGFS_ATTR(vsm_folder_, enabled);

/* The name of the device below /sys/bus/platform/devices; empty if it is not enabled */
static ssize_t vsm_folder_device_show(struct config_item *item, char *page)
{
	struct vsm_folder *folder = to_vsm_folder(item);
	ssize_t len;

	mutex_lock(&folder->lock);
	len = sysfs_emit(page, "%s\n", folder->pdev ? dev_name(&folder->pdev->dev) : "");
	mutex_unlock(&folder->lock);
	return len;
}
CONFIGFS_ATTR_RO(vsm_folder_, device);

static struct configfs_attribute *vsm_folder_attrs[] = {
	&vsm_folder_attr_enabled,
	&vsm_folder_attr_device,
	&vsm_folder_attr_features,
	&vsm_folder_attr_policies,
	&vsm_folder_attr_max_bytes,
	&vsm_folder_attr_client_clusters,
	&vsm_folder_attr_client_waits,
	&vsm_folder_attr_client_jobs,
	&vsm_folder_attr_max_channels,
#define VSM_FILE_ATTRIBUTE(type, name, max)	&vsm_folder_attr_##name,
	EACH_NUMBER(VSM_FILE_ATTRIBUTE)
	NULL
};

static void vsm_folder_release(struct config_item *item)
{
	kfree(to_vsm_folder(item));
}

static struct configfs_item_operations vsm_folder_ops = {
	.release = vsm_folder_release,
};

static const struct config_item_type vsm_folder_type = {
	.ct_owner = THIS_MODULE,
	.ct_item_ops = &vsm_folder_ops,
	.ct_attrs = vsm_folder_attrs,
};

static struct config_item *vsm_folder_make(struct config_group *group, const char *name)
{
	struct vsm_folder *folder;
	const char *c;

	if (strlen(name) >= VSM_NAME_BYTES)
		return ERR_PTR(-ENAMETOOLONG);
	/* The name is a line of a file, and a part of other names in udev. */
	for (c = name; *c; c++)
		if (*c == ' ' || (isascii(*c) && iscntrl(*c)))
			return ERR_PTR(-EINVAL);
	folder = kzalloc(sizeof(*folder), GFP_KERNEL);
	if (!folder)
		return ERR_PTR(-ENOMEM);
	mutex_init(&folder->lock);
	folder->options = vsm_defaults;
	strscpy(folder->options.name, name, sizeof(folder->options.name));
	config_item_init_type_name(&folder->item, name, &vsm_folder_type);
	return &folder->item;
}

/* rmdir, which is the device's hot-unplug. configfs lets no file of the folder be used any more. */
static void vsm_folder_drop(struct config_group *group, struct config_item *item)
{
	struct vsm_folder *folder = to_vsm_folder(item);

	mutex_lock(&folder->lock);
	vsm_folder_disable(folder);
	mutex_unlock(&folder->lock);
	config_item_put(item);
}

static struct configfs_group_operations vsm_folders_ops = {
	.make_item = vsm_folder_make,
	.drop_item = vsm_folder_drop,
};

static const struct config_item_type vsm_folders_type = {
	.ct_owner = THIS_MODULE,
	.ct_group_ops = &vsm_folders_ops,
};

static struct configfs_subsystem vsm_folders = {
	.su_group.cg_item = {
		.ci_namebuf = "vsm",
		.ci_type = &vsm_folders_type,
	},
	.su_mutex = __MUTEX_INITIALIZER(vsm_folders.su_mutex),
};

/**
 * vsm_configfs_init - Let root make devices
 * @defaults: Options of a new device; copied
 *
 * Return: 0 or a negative error code.
 */
int vsm_configfs_init(const struct vsm_options *defaults)
{
	vsm_defaults = *defaults;
	config_group_init(&vsm_folders.su_group);
	return configfs_register_subsystem(&vsm_folders);
}

/* No folder is left: each one has a reference on the module. */
void vsm_configfs_exit(void)
{
	configfs_unregister_subsystem(&vsm_folders);
}
