// SPDX-License-Identifier: MIT
/* Errors of the parser: every one with its place and its words. */
#include "parse_build.h"

/** struct wrong - A wrong text, and the messages about it without the name of the file */
struct wrong {
	const char *text;
	const char *message;
};

/* Writes "t.ptx:" before each line of @messages. The caller frees the result. */
static char *with_path(const char *messages)
{
	size_t size = 8 * strlen(messages) + 16;
	char *text = malloc(size), *to = text;

	assert_non_null(text);
	while (*messages) {
		size_t length = strcspn(messages, "\n");

		to += snprintf(to, size - (to - text), "t.ptx:%.*s\n", (int)length, messages);
		messages += length + (messages[length] == '\n');
	}
	return text;
}

static void check(const struct wrong *wrongs, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		char *message = with_path(wrongs[i].message);

		parse_wrong(wrongs[i].text, message);
		free(message);
	}
}

static void check_whole(const struct wrong *wrongs, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		char *message = with_path(wrongs[i].message);

		parse_wrong_whole(wrongs[i].text, message);
		free(message);
	}
}

#define NOT_SUPPORTED \
	" is not supported: vsm has sm_50 and newer, with the letter a from sm_90 on and f from sm_100 on"

static const struct wrong beginnings[] = {
	{ "", "1:1: a module must begin with .version" },
	{ "\n\n", "3:1: a module must begin with .version" },
	{ "ret;", "1:1: a module must begin with .version" },
	{ ".target sm_90a\n", "1:1: a module must begin with .version" },
	{ ".version 3.9\n.target sm_90a\n.address_size 64\n",
	  "1:10: version 3.9 is not supported: the oldest is 4.0, the newest 9.9" },
	{ ".version 10.0\n.target sm_90a\n.address_size 64\n",
	  "1:10: version 10.0 is not supported: the oldest is 4.0, the newest 9.9" },
	{ ".version 8\n", "1:10: version 8 is not supported: the oldest is 4.0, the newest 9.9" },
	{ ".version x\n", "1:10: expected a version such as 8.0, found 'x'" },
	{ ".version 8.0\n.address_size 64\n", "2:1: expected .target behind .version" },
	{ ".version 8.0\n.target sm_37\n.address_size 64\n",
	  "2:9: target 'sm_37'" NOT_SUPPORTED },
	{ ".version 8.0\n.target sm_100b\n.address_size 64\n",
	  "2:9: target 'sm_100b'" NOT_SUPPORTED },
	{ ".version 8.0\n.target sm_90f\n",
	  "2:9: target 'sm_90f'" NOT_SUPPORTED },
	{ ".version 8.0\n.target sm_80a\n",
	  "2:9: target 'sm_80a'" NOT_SUPPORTED },
	{ ".version 8.0\n.target compute_90\n",
	  "2:9: expected a target such as sm_90a, found 'compute_90'" },
	{ ".version 8.0\n.target debug\n.address_size 64\n",
	  "3:1: expected a target such as sm_90a, found '.address_size'" },
	{ ".version 8.0\n.target sm_90a, 5\n",
	  "2:17: expected a target such as sm_90a, found '5'" },
	{ ".version 8.0\n.target sm_90a\n.func f;\n",
	  "3:1: expected '.address_size 64' behind .target" },
	{ ".version 8.0\n.target sm_90a\n.address_size 32\n.func f;\n",
	  "4:1: addresses of 32 bits are not supported: .address_size must be 64" },
	{ ".version 8.0\n.target sm_90a\n.address_size 64\n.version 8.0\n",
	  "4:10: the module has a .version already" },
	{ ".version 8.0\n.target sm_90a\n.address_size 64\n.target sm_20\n",
	  "4:9: target 'sm_20'" NOT_SUPPORTED },
	{ "#define A\n.version 8.0\n",
	  "1:1: lines that begin with # are not supported: preprocess the file\n"
	  "1:2: a module must begin with .version" },
};

TEST(a_module_begins_with_version_target_and_address_size)
{
	check_whole(beginnings, ARRAY_SIZE(beginnings));
}

static const struct wrong no_tokens[] = {
	{ ".global .b32 a; ` .global .b32 b;", "4:17: unexpected character '`'" },
	{ "\001\002.global .b32 a;",
	  "4:1: unexpected byte 0x01\n"
	  "4:4: expected a directive, found 'global'" },
	{ ".global .b32 a\303\244;", "4:15: unexpected byte 0xc3" },
	{ "/* comment\n .global .b32 a;", "4:1: the comment is not closed" },
	{ ".pragma \"abc\n;", "4:9: the string has no closing quote" },
	{ ".pragma \"abc",
	  "4:9: the string has no closing quote\n"
	  "4:13: expected ';', found the end of the file" },
	{ "# 1 \"file\"\n",
	  "4:1: lines that begin with # are not supported: preprocess the file\n"
	  "4:3: expected a directive, found '1'" },
	{ ".", "4:1: unexpected character '.'" },
	{ " @ ", "4:2: expected a directive, found '@'" },
	{ ".global .b32 a; /", "4:17: expected a directive, found '/'" },
	{ "\\", "4:1: unexpected character '\\'" },
};

TEST(text_that_is_no_token_is_refused)
{
	check(no_tokens, ARRAY_SIZE(no_tokens));
}

static const struct wrong directives[] = {
	{ ".visble .func f;", "4:1: unknown directive '.visble'; did you mean .visible?" },
	{ ".foobarbaz 7;", "4:1: unknown directive '.foobarbaz'" },
	{ ".entry", "4:7: expected the name of a function, found the end of the file" },
	{ ".maxntid 5;", "4:1: .maxntid cannot stand in a module" },
	{ KERNEL(".entry f;"), "6:1: .entry cannot stand in a function" },
	{ KERNEL(".version 8.0;"), "6:1: .version cannot stand in a function" },
	{ KERNEL(".globl .b32 x;"), "6:1: unknown directive '.globl'; did you mean .global?" },
	{ "foo;", "4:1: expected a directive, found 'foo'" },
	{ ".visible ret;", "4:10: expected a directive, found 'ret'" },
	{ ".visible .visible .func f;", "4:10: .visible cannot stand in a module" },
	{ ".extern;", "4:8: expected a directive, found ';'" },
	{ KERNEL(".branchtargets a;"), "6:1: .branchtargets cannot stand in a function" },
	{ ".tex .u32 t;", "4:1: unknown directive '.tex'" },
	{ ".file x", "4:7: expected the number of the file, found 'x'" },
	{ ".file 1", "4:8: expected the name of the file, found the end of the file" },
	{ ".file 70000 \"a\"",
	  "4:7: the number of the file must be a whole number from 0 to 65535" },
	{ ".file 1 \"a\", 5", "4:15: expected ',', found the end of the file" },
	{ ".file 1 \"a\" md5 x", "4:17: expected a number, found 'x'" },
	{ ".loc 1", "4:7: expected a line, found the end of the file" },
	{ ".loc 1 x 1", "4:8: expected a line, found 'x'" },
	{ ".loc 1 1 1, inlined_at 1 1 1", "4:13: expected function_name, found 'inlined_at'" },
	{ ".loc 1 1 1, function_name 5", "4:27: expected a label, found '5'" },
	{ ".loc 1 1 1, function_name $L inlined_at 1 1 1",
	  "4:30: expected ',', found 'inlined_at'" },
	{ ".loc 1 1 1, function_name $L, foo", "4:31: expected inlined_at, found 'foo'" },
	{ ".loc 1 1 1, function_name $L, inlined_at x 1 1",
	  "4:42: expected the number of a file, found 'x'" },
	{ ".loc 1 1 1, function_name $L, inlined_at 65536 1 1",
	  "4:42: the number of a file must be a whole number from 0 to 65535" },
	{ ".loc 1 1 1, function_name $L, inlined_at 1 1",
	  "4:45: expected a column, found the end of the file" },
	{ ".pragma nounroll;", "4:9: expected a string, found 'nounroll'" },
	{ ".pragma \"a\" .global .b32 x;", "4:13: expected ';', found '.global'" },
	{ ".section 5", "4:10: expected the name of a section, found '5'" },
	{ ".section .debug_str 5;", "4:21: expected '{', found '5'" },
	{ ".section .debug_str {",
	  "4:22: expected '}' at the end of the section, found the end of the file" },
};

TEST(directives_that_are_unknown_or_misplaced_are_refused)
{
	check(directives, ARRAY_SIZE(directives));
}

static const struct wrong variables[] = {
	{ ".global x;", "4:9: expected a type such as .b32, found 'x'" },
	{ ".global .b32;", "4:13: expected the name of a variable, found ';'" },
	{ ".global .b33 x;", "4:9: unknown type or attribute '.b33'" },
	{ ".global .b32 .b64 x;", "4:14: the declaration has two types: .b32 and .b64" },
	{ ".global .b32 5;", "4:14: expected the name of a variable, found '5'" },
	{ ".global .b32 x", "4:15: expected ';', found the end of the file" },
	{ ".global .b32 x y;", "4:16: expected ';', found 'y'" },
	{ ".global .b32 x[;", "4:16: expected the dimension, found ';'" },
	{ ".global .b32 x[4;", "4:17: expected ']', found ';'" },
	{ ".global .b32 x[0];",
	  "4:16: the dimension must be a whole number from 1 to 4294967296" },
	{ ".global .b32 x[-1];",
	  "4:16: the dimension must be a whole number from 1 to 4294967296" },
	{ ".global .b32 x[1.5];",
	  "4:16: the dimension must be a whole number from 1 to 4294967296" },
	{ ".global .b32 x[2][];", "4:19: expected the dimension, found ']'" },
	{ ".global .b32 x[];", "4:14: the array x needs a size: only .extern arrays have none" },
	{ ".global .b32 x[4294967296];", "4:26: the variable is larger than 4294967296 bytes" },
	{ ".global .b8 x[65536][65537];", "4:27: the variable is larger than 4294967296 bytes" },
	{ ".global .b8 x[18446744073709551615][2];",
	  "4:15: the dimension must be a whole number from 1 to 4294967296" },
	{ ".global .b8 x[18446744073709551616];",
	  "4:15: '18446744073709551616' has more than 64 bits" },
	{ ".global .b8 x[1][1][1][1][1][1][1][1][1][1][1][1][1][1][1][1];",
	  "4:60: an array may have at most 15 dimensions" },
	{ ".global .align 3 .b32 x;", "4:16: the alignment must be a power of two" },
	{ ".global .align 0 .b32 x;",
	  "4:16: the alignment must be a whole number from 1 to 1048576" },
	{ ".global .align 2097152 .b32 x;",
	  "4:16: the alignment must be a whole number from 1 to 1048576" },
	{ ".global .align .b32 x;", "4:16: expected the alignment, found '.b32'" },
	{ ".global .pred x;", "4:15: a predicate must be a register (.reg .pred)" },
	{ ".global .v4 .b128 x;", "4:19: .v4 .b128 is not a vector type" },
	{ ".global .attribute .b32 x;", "4:20: expected '(', found '.b32'" },
	{ ".global .attribute(.managed .b32 x;", "4:35: expected ')', found ';'" },
	{ ".global .b32 x; .global .b32 x;", "4:30: 'x' is already declared in line 4" },
	{ ".global .b32 x; .func x;", "4:23: 'x' is already declared in line 4" },
	{ ".extern .global .b32 x; .global .b64 x;", "4:38: 'x' is already declared in line 4" },
	{ ".local .b32 x;", "4:1: .local variables must be declared in a function" },
	{ ".param .b32 x;", "4:1: .param may stand in the head of a function or in its body" },
	{ ".reg .b32 x;", "4:1: registers must be declared in a function" },
	{ ".const[2] .b32 x;", "4:7: banks of constants (.const[N]) are not supported" },
	{ ".global .ptr .b64 x;", "4:19: .ptr is for parameters of kernels" },
	{ ".shared .b32 x[];", "4:14: the array x needs a size: only .extern arrays have none" },
	{ ".common .func x;\n.global .b8 x;", "5:13: 'x' is already declared in line 4" },
};

TEST(variables_that_are_wrong_are_refused)
{
	check(variables, ARRAY_SIZE(variables));
}

static const struct wrong initialisers[] = {
	{ ".global .b32 x = ;", "4:18: expected a number, found ';'" },
	{ ".global .b32 x = {1};", "4:18: expected a number, found '{'" },
	{ ".global .b32 x[2] = 1;", "4:21: expected '{', found '1'" },
	{ ".global .b32 x[2] = {1, 2, 3};", "4:28: the initialiser has more than 2 elements" },
	{ ".global .b32 x[2] = {1, 2;", "4:26: expected '}', found ';'" },
	{ ".global .b32 x[2] = {1 2};", "4:24: expected '}', found '2'" },
	{ ".global .b32 x[2][2] = {1, 2, 3, 4};", "4:25: expected '{', found '1'" },
	{ ".global .b32 x[2] = {{1}, 2};", "4:22: expected a number, found '{'" },
	{ ".global .b32 x[] = {};", "4:22: the size of x is not known" },
	{ ".global .b32 x = 1.5;", "4:18: an element of type .b32 needs a whole number" },
	{ ".global .b32 x = 0f3f800000;", "4:18: an element of type .b32 needs a whole number" },
	{ ".global .f32 x = 1;", "4:18: an element of type .f32 needs a floating-point number" },
	{ ".global .f64 x = 1;", "4:18: an element of type .f64 needs a floating-point number" },
	{ ".global .f16 x = 1.0;", "4:18: variables of type .f16 may have no initialiser" },
	{ ".global .b128 x = 1;", "4:19: variables of type .b128 may have no initialiser" },
	{ ".shared .b32 x = 1;",
	  "4:16: only .global and .const variables may have an initialiser" },
	{ ".extern .global .b32 x = 1;",
	  "4:24: a variable that is .extern may have no initialiser" },
	{ ".global .u32 x = \"abc\";", "4:18: expected a number, found a string" },
	{ ".global .u64 x = y;", "4:18: unknown variable or function 'y'" },
	{ ".global .u64 y; .global .u16 x = y;",
	  "4:34: an element of type .u16 cannot hold an address" },
	{ ".global .u64 y; .global .u64 x = 0xFF(y);",
	  "4:34: an element of type .u64 cannot hold a byte of an address" },
	{ ".global .u64 y; .global .u8 x = 0xF0(y);",
	  "4:33: a mask must select one byte, as 0xFF00 does" },
	{ ".global .u64 y; .global .u8 x = 0x1FF(y);",
	  "4:33: a mask must select one byte, as 0xFF00 does" },
	{ ".global .u64 y; .global .u8 x = 1.5(y);",
	  "4:33: a mask must select one byte, as 0xFF00 does" },
	{ ".global .u64 y; .global .u8 x = y;",
	  "4:33: an element of type .u8 cannot hold an address" },
	{ ".global .u64 y; .global .u64 x = generic(y;", "4:43: expected ')', found ';'" },
	{ ".global .u64 y; .global .u64 x = generic(5);",
	  "4:42: expected the name of a variable or function, found '5'" },
	{ ".global .u64 y; .global .u64 x = y+;", "4:36: expected a number, found ';'" },
	{ ".global .u64 y; .global .u64 x = y*2;", "4:35: expected ';', found '*'" },
	{ ".shared .u64 y; .global .u64 x = y;",
	  "4:34: an initialiser needs a .global or .const variable, and y is neither" },
	{ ".global .b8 x[268435457] = {1};",
	  "4:28: variables with initialisers have more than 256 MiB in all" },
	{ ".global .b8 x[200000000] = {1}, y[200000000] = {1};",
	  "4:48: variables with initialisers have more than 256 MiB in all" },
	{ ".global .b32 x = 1; .extern .global .b32 x; .global .b32 x = 2;",
	  "4:58: 'x' is already declared in line 4" },
	{ ".extern .global .b32 x; .global .b32 x = 1; .extern .global .b32 x = 2;",
	  "4:68: a variable that is .extern may have no initialiser" },
};

TEST(initialisers_that_are_wrong_are_refused)
{
	check(initialisers, ARRAY_SIZE(initialisers));
}

static const struct wrong constant_expressions[] = {
	{ ".global .b32 x = 5 / 0;", "4:20: division by zero" },
	{ ".global .b32 x = 5 % 0;", "4:20: division by zero" },
	{ ".global .b64 x = 08;", "4:18: '08' is not a number" },
	{ ".global .b64 x = 0b12;", "4:18: '0b12' is not a number" },
	{ ".global .b64 x = 0xg;", "4:18: '0xg' is not a number" },
	{ ".global .b64 x = 0x;", "4:18: '0x' is not a number" },
	{ ".global .b64 x = 12ab;", "4:18: '12ab' is not a number" },
	{ ".global .b64 x = 18446744073709551616;",
	  "4:18: '18446744073709551616' has more than 64 bits" },
	{ ".global .b64 x = 0x10000000000000000;",
	  "4:18: '0x10000000000000000' has more than 64 bits" },
	{ ".global .f32 x = 0f3f80000;", "4:18: 0f must be followed by 8 hexadecimal digits" },
	{ ".global .f64 x = 0d3f800000;", "4:18: 0d must be followed by 16 hexadecimal digits" },
	{ ".global .f32 x = 0f3f80000g;", "4:18: 0f must be followed by 8 hexadecimal digits" },
	{ ".global .f32 x = 0f3f800000 + 1.0;",
	  "4:29: a number written as 0f... cannot be part of an expression" },
	{ ".global .f32 x = -0f3f800000;",
	  "4:18: the operator - cannot be used with this number" },
	{ ".global .f64 x = 1.5 & 2.5;", "4:22: the operator & needs whole numbers" },
	{ ".global .f64 x = ~1.5;", "4:18: the operator ~ cannot be used with this number" },
	{ ".global .b64 x = (1;", "4:20: expected ')', found ';'" },
	{ ".global .b64 x = (.s32) 1;", "4:19: expected a number, found '.s32'" },
	{ ".global .b64 x = (.s64) 1e19;", "4:19: the number to convert has more than 64 bits" },
	{ ".global .b64 x = (.u64) -1.5;", "4:19: the number to convert has more than 64 bits" },
	{ ".global .b64 x = (.s64) 0f3f800000;",
	  "4:19: a number written as 0f... cannot be converted" },
	{ ".global .b64 x = 1 +;", "4:21: expected a number, found ';'" },
	{ ".global .b64 x = 1 ? 2;", "4:23: expected ':', found ';'" },
	{ ".global .b64 x = 1 ? 2 :;", "4:25: expected a number, found ';'" },
	{ ".global .f64 x = 1.5z;", "4:18: '1.5z' is not a number" },
};

TEST(constant_expressions_that_are_wrong_are_refused)
{
	check(constant_expressions, ARRAY_SIZE(constant_expressions));
}

static const struct wrong functions[] = {
	{ ".func", "4:6: expected the name of a function, found the end of the file" },
	{ ".func 5;", "4:7: expected the name of a function, found '5'" },
	{ ".func f", "4:8: expected '{' or ';', found the end of the file" },
	{ ".func f g;", "4:9: expected '{' or ';', found 'g'" },
	{ ".func f(", "4:9: expected '.param' or '.reg', found the end of the file" },
	{ ".func f(.b32 a);", "4:9: expected '.param' or '.reg', found '.b32'" },
	{ ".func f(.param a);", "4:16: expected a type such as .b32, found 'a'" },
	{ ".func f(.param .b32 a;", "4:22: expected ')', found ';'" },
	{ ".func f(.param .b32 5);", "4:21: expected the name of a parameter, found '5'" },
	{ ".func f(.param .b32 a,);", "4:23: expected '.param' or '.reg', found ')'" },
	{ ".func f(.param .v2 .b32 a);", "4:25: a parameter cannot be a vector" },
	{ ".func f(.param .b32 a[], .param .b32 b);",
	  "4:24: only the last parameter of a function may have no size" },
	{ ".func f(.reg .b32 a[2]);", "4:23: a register cannot be an array" },
	{ ".func f(.param .u64 .ptr a);", "4:26: .ptr is for parameters of kernels" },
	{ ".entry k(.reg .b32 a);", "4:10: expected '.param', found '.reg'" },
	{ ".entry k(.param .b8 a[]);",
	  "4:24: only the last parameter of a function may have no size" },
	{ ".entry k(.param .u64 .ptr .align 3 a);", "4:34: the alignment must be a power of two" },
	{ ".entry k .maxntid 0 { ret; }",
	  "4:19: the dimension must be a whole number from 1 to 4294967295" },
	{ ".entry k .maxntid 1, 2, 3, 4 { ret; }", "4:28: there are at most three dimensions" },
	{ ".entry k .maxntd 5 { ret; }",
	  "4:10: unknown directive '.maxntd'; did you mean .maxntid?" },
	{ ".entry k .maxntid { ret; }", "4:19: expected the dimension, found '{'" },
	{ ".entry k .maxnreg x { ret; }", "4:19: expected a number, found 'x'" },
	{ ".entry k .global { ret; }",
	  "4:10: .global cannot stand between the head of a function and its body" },
	{ ".entry k .pragma 5; { ret; }",
	  "4:18: expected a string, found '5'\n"
	  "4:21: expected a directive, found '{'" },
	{ ".func f { ret; } .func f { ret; }", "4:24: 'f' has a body in line 4 already" },
	{ ".func f(.param .b32 a);\n.func f(.param .b64 a) { ret; }",
	  "5:7: 'f' is declared differently in line 4" },
	{ ".func f;\n.entry f { ret; }", "5:8: 'f' is declared differently in line 4" },
	{ ".func f(.param .b32 a, .param .b32 a) { ret; }",
	  "4:36: 'a' is already declared in line 4" },
	{ ".func f(.reg .b32 a) { .reg .b32 a; ret; }",
	  "4:34: 'a' is already declared in line 4" },
	{ ".global .b32 f; .func f;", "4:23: 'f' is already declared in line 4" },
	{ ".func f {",
	  "4:10: expected '}' at the end of the function, found the end of the file" },
	{ ".func f { { ret; }",
	  "4:19: expected '}' at the end of the function, found the end of the file" },
	{ ".alias a, b;", "4:8: unknown function 'a'" },
	{ ".func a; .alias a, b;", "4:20: unknown function 'b'" },
	{ ".func a; .alias a;", "4:18: expected ',', found ';'" },
	{ ".alias 5, a;", "4:8: expected the name of a function, found '5'" },
	{ ".func a; .func b; .alias a, b;", "4:19: 'b' has no body that 'a' can share" },
	{ ".func a { ret; } .func b { ret; } .alias a, b;",
	  "4:35: 'a' has a body of its own, and cannot be an alias" },
	{ ".func a(.param .b32 x); .func b { ret; } .alias a, b;",
	  "4:42: 'a' and 'b' have different parameters" },
	{ ".func (.param .b32 a f;", "4:22: expected ')', found 'f'" },
};

TEST(functions_that_are_wrong_are_refused)
{
	check(functions, ARRAY_SIZE(functions));
}

static const struct wrong registers[] = {
	{ KERNEL(".reg x;"), "6:6: expected a type such as .b32, found 'x'" },
	{ KERNEL(".reg .b32 5;"), "6:11: expected the name of a register, found '5'" },
	{ KERNEL(".reg .b32 %r<0>;"),
	  "6:14: the number of registers must be a whole number from 1 to 1048576" },
	{ KERNEL(".reg .b32 %r<5;"), "6:15: expected '>', found ';'" },
	{ KERNEL(".reg .b32 %r<x>;"), "6:14: expected the number of registers, found 'x'" },
	{ KERNEL(".reg .b32 %r<1048577>;"),
	  "6:14: the number of registers must be a whole number from 1 to 1048576" },
	{ KERNEL(".reg .b32 %r<1048570>, %s<1048570>;"),
	  "6:35: a module may have at most 1048576 registers" },
	{ KERNEL(".reg .v4 .pred %p;"), "6:16: .v4 .pred is not a vector type" },
	{ KERNEL(".reg .v8 .b64 %p;"), "6:15: .v8 .b64 is not a vector type" },
	{ KERNEL(".reg .b32 a; .reg .b32 a;"), "6:24: 'a' is already declared in line 6" },
	{ KERNEL(".reg .b32 %r<4>;\n.reg .b32 %r3;"),
	  "7:11: '%r3' is already declared in line 6" },
	{ KERNEL(".reg .b32 %r<4>, %r<2>;"), "6:18: '%r0' is already declared in line 6" },
	{ KERNEL(".reg .b32 a b;"), "6:13: expected ';', found 'b'" },
	{ KERNEL(".reg .b32 %r1<3>, %r<13>;"), "6:19: '%r10' is already declared in line 6" },
};

TEST(registers_that_are_wrong_are_refused)
{
	check(registers, ARRAY_SIZE(registers));
}

static const struct wrong instructions[] = {
	{ KERNEL(REGS "mov.b32 %r1, %r2"), "8:1: expected ',' or ';', found 'ret'" },
	{ KERNEL(REGS "mov.b32 %r1 %r2;"), "7:13: expected ',' or ';', found '%r2'" },
	{ KERNEL(REGS "mov.b32 %r1,;"), "7:13: expected an operand, found ';'" },
	{ KERNEL(REGS "mov.b32 ,%r1;"), "7:9: expected an operand, found ','" },
	{ KERNEL(REGS "5;"), "7:1: expected an instruction, found '5'" },
	{ KERNEL(REGS ";"), "7:1: expected an instruction, found ';'" },
	{ KERNEL(REGS "%r1 = 5;"), "7:1: expected an instruction, found '%r1'" },
	{ KERNEL(REGS "@%p1;"), "7:5: expected an instruction, found ';'" },
	{ KERNEL(REGS "@5 ret;"), "7:2: expected a predicate, found '5'" },
	{ KERNEL(REGS "@%r1 ret;"), "7:2: the guard '%r1' is not a predicate (.reg .pred)" },
	{ KERNEL(REGS "@%p9 ret;"), "7:2: '%p9' is not declared: line 6 declares %p<3>" },
	{ KERNEL(REGS "@x ret;"), "7:2: unknown predicate 'x'" },
	{ KERNEL(REGS "@!%p1 { ret; }\nmov.b32 %r1, %r99;"),
	  "7:7: expected an instruction, found '{'\n"
	  "8:14: '%r99' is not declared: line 6 declares %r<9>" },
	{ KERNEL(REGS "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q %r1;"),
	  "7:32: the opcode has more than 16 parts" },
	{ KERNEL(REGS "add.s32 %r1, %r2, %r99;"),
	  "7:19: '%r99' is not declared: line 6 declares %r<9>" },
	{ KERNEL(REGS "add.s32 %r1, %r2, %x;"), "7:19: unknown register '%x'" },
	{ KERNEL(REGS "add.s32 %r1, %r2, x;"),
	  "7:19: unknown register, variable, function or label 'x'" },
	{ KERNEL(REGS "mov.u32 %r1, %tidd.x;"),
	  "7:14: unknown register '%tidd'; did you mean %tid?" },
	{ KERNEL(REGS "add.u32 %r1, %r2.b0, 1;"), "7:17: '%r2' has no component .b0" },
	{ KERNEL(REGS "vadd.u32.u32.u32 %r1, %r2.b8, 1;"), "7:26: '%r2' has no component .b8" },
	{ KERNEL(REGS "mov.u32 %r1, %tid.q;"), "7:18: '%tid' has no component .q" },
	{ KERNEL(REGS "mov.u32 %r1, %laneid.x;"), "7:21: '%laneid' has no components" },
	{ KERNEL(REGS "mov.b32 %r1.x, 1;"), "7:12: '%r1' has no component .x" },
	{ KERNEL(REGS ".reg .v2 .b32 v; mov.b32 v.z, 1;"), "7:27: 'v' has no component .z" },
	{ KERNEL(REGS "mov.b32 %r1, -%r2;"), "7:15: expected a number, found '%r2'" },
	{ KERNEL(REGS "mov.b32 %r1, !5;"), "7:15: expected a predicate, found '5'" },
	{ KERNEL(REGS "and.pred %p1, %p2, !in;"), "7:21: expected a predicate behind !" },
	{ KERNEL(REGS "setp.eq.b32 %p1|5, %r1, %r2;"),
	  "7:17: expected a register or _, found '5'" },
	{ KERNEL(REGS "mov.b32 %r1, \"a\";"), "7:14: expected an operand, found a string" },
	/* A list of targets that contained itself would never end. */
	{ KERNEL(REGS "t: .branchtargets t; brx.idx %r1, t;"),
	  "7:19: expected a label, found 't'" },
	{ KERNEL(REGS "A: t: .branchtargets A, u; u: .branchtargets A; brx.idx %r1, t;"),
	  "7:25: expected a label, found 'u'" },
};

TEST(instructions_that_are_wrong_are_refused)
{
	check(instructions, ARRAY_SIZE(instructions));
}

static const struct wrong addresses[] = {
	{ KERNEL(REGS "ld.b32 %r1, [;"),
	  "7:14: expected a register, a variable or a number, found ';'" },
	{ KERNEL(REGS "ld.b32 %r1, [];"),
	  "7:14: expected a register, a variable or a number, found ']'" },
	{ KERNEL(REGS "ld.b32 %r1, [%rd1;"), "7:18: expected ']', found ';'" },
	{ KERNEL(REGS "ld.b32 %r1, [%rd1+];"), "7:19: expected a number, found ']'" },
	{ KERNEL(REGS "ld.b32 %r1, [%rd1+%r1];"), "7:19: expected a number, found '%r1'" },
	{ KERNEL(REGS "ld.b32 %r1, [%rd1+1.5];"), "7:22: an offset must be a whole number" },
	{ KERNEL(REGS "ld.b32 %r1, [1.5];"), "7:14: an address must be a whole number" },
	{ KERNEL(REGS "ld.b32 %r1, [%rd9];"),
	  "7:14: '%rd9' is not declared: line 6 declares %rd<4>" },
	{ KERNEL(REGS "ld.b32 %r1, [nothing];"), "7:14: unknown register or variable 'nothing'" },
	{ KERNEL(REGS "ld.b32 %r1, [k];"), "7:14: expected a register or variable, found 'k'" },
	{ KERNEL(REGS "ld.b32 %r1, [%tid];"),
	  "7:14: expected a register or variable, found '%tid'" },
	{ KERNEL(REGS "ld.b32 %r1, [%rd1, {%r1];"), "7:24: expected '}', found ']'" },
	{ KERNEL(REGS "ld.b32 %r1, [%rd1, ];"), "7:20: expected an operand, found ']'" },
	{ KERNEL(REGS ".reg .v2 .b64 v; ld.b32 %r1, [v];"),
	  "7:31: the vector 'v' cannot be an address" },
	{ KERNEL(REGS "mov.b64 %rd1, {%r1, %r2;"), "7:24: expected '}', found ';'" },
	{ KERNEL(REGS "mov.u32 %r1, -%envreg3;"), "7:15: expected a number, found '%envreg3'" },
};

TEST(addresses_that_are_wrong_are_refused)
{
	check(addresses, ARRAY_SIZE(addresses));
}

static const struct wrong labels[] = {
	{ KERNEL(REGS "bra nowhere;"), "7:5: unknown label 'nowhere'" },
	{ KERNEL(REGS "bra 5;"), "7:5: expected a label, found '5'" },
	{ KERNEL(REGS "bra %r1"), "8:1: expected ',' or ';', found 'ret'" },
	{ KERNEL(REGS "L: L: bra L;"), "7:4: 'L' is already declared in line 7" },
	{ KERNEL(REGS ".reg .b32 L; L: ret;"), "7:14: 'L' is already declared in line 7" },
	{ KERNEL(REGS "bra M; { M: ret; }"), "7:5: unknown label 'M'" },
	{ KERNEL(REGS "t: .branchtargets L;"), "7:19: unknown label 'L'" },
	{ KERNEL(REGS "L: t: .branchtargets L, 5; brx.idx %r1, t;"),
	  "7:25: expected a label, found '5'" },
	{ KERNEL(REGS "t: .branchtargets; "), "7:18: expected a label, found ';'" },
	{ KERNEL(REGS "t: .calltargets nothing;"),
	  "7:17: expected the name of a function that is declared" },
	{ KERNEL(REGS "t: .calltargets %r1;"),
	  "7:17: expected the name of a function that is declared" },
	{ KERNEL(REGS "t: .callprototype (.param .b32 _) 5;"),
	  "7:35: expected the name of a function, found '5'" },
	{ KERNEL(REGS "t: .callprototype _ "), "8:1: expected ';', found 'ret'" },
	{ KERNEL(REGS "call (%r1), f, (%r2;"), "7:20: expected ')', found ';'" },
	{ KERNEL(REGS "call f;"), "7:6: unknown register, variable, function or label 'f'" },
};

TEST(labels_that_are_wrong_are_refused)
{
	check(labels, ARRAY_SIZE(labels));
}

TEST_MAIN()
