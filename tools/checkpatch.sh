# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# For tools/check and tools/kernel-tree/test: which messages of checkpatch do not apply to which
# files.
# shellcheck disable=SC2034 # the scripts that read this file use the lists

# checkpatch assumes a patch to the kernel's tree, so some of its checks do not apply here. User
# programs, and files that are compiled for the kernel and for programs (shared), cannot use the
# kernel's types, macros and parsers. Constants in shared files need macros that use an argument
# twice. vsm_compat.h is the one file that tests the kernel's version.
common=FILE_PATH_CHANGES
compat=$common,LINUX_VERSION_CODE,CONSTANT_COMPARISON
shared=$common,PREFER_DEFINED_ATTRIBUTE_MACRO,BIT_MACRO,ARRAY_SIZE,MACRO_ARG_REUSE
# The strings of tests of libvsm-ptx are PTX, in which %p1 is a register. Macros make parts of them.
ptx_tests=SPLIT_STRING,STRING_FRAGMENTS,MISSING_SPACE,VSPRINTF_POINTER_EXTENSION,EMBEDDED_FUNCTION_NAME,QUOTED_WHITESPACE_BEFORE_NEWLINE,COMPLEX_MACRO
user=$common,TRAILING_SEMICOLON,CAMELCASE,PREFER_FALLTHROUGH,VOLATILE,BIT_MACRO,AVOID_EXTERNS,MACRO_ARG_REUSE,PREFER_KERNEL_TYPES,PREFER_DEFINED_ATTRIBUTE_MACRO,NAKED_SSCANF,SSCANF_TO_KSTRTO,CONSIDER_KSTRTO,ENOSYS,ARRAY_SIZE,STRCPY,STRLCPY,STRNCPY

# Drops messages of checkpatch about macros for the rows of tables such as vsm_faults.h, and about
# the macros FORM..., FORMS... and FUNCTIONS_... of libvsm-ptx, VSM_FILE_... of configfs,
# VSM_MODEL_... of the driver and EACH_.... Such a macro expands to a part of a list or to several functions. It need not use all
# columns, and may use a name twice. Other messages are kept. The file may also be a patch.
without_tables() {
	local file line rest
	local rows='VSM_((FAULT[A-Z_]*|FEATURE|INJECT_WH[A-Z]*|RULE_NUMBER|STATE[A-Z_]*|OP|PTX|FORM|OR_N|TRACE|FILE_[A-Z]*|MODEL_[A-Z]*)\(|OP_END\b)|FORMS?(_[A-Z0-9_]+)?\b|FUNCTIONS_|EACH_[A-Z]+\('
	while IFS=: read -r file line rest; do
		case $rest in
		*COMPLEX_MACRO:* | *MACRO_ARG_*:* | *TRAILING_SEMICOLON:* | *MULTISTATEMENT_MACRO*)
			sed -n "${line}p" "$file" | grep -Eq "^\\+?#define ($rows)" ||
				echo "$file:$line:$rest" ;;
		*)
			echo "$file:$line:$rest" ;;
		esac
	done
}
