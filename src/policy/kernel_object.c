// SPDX-License-Identifier: GPL-2.0-only
/* The dynamic symbols of an ELF file. It may be anything: every offset is checked. */
#include "policy/kernel_object.h"

#include "base/array.h"
#include "policy/kernel_source.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#if UINTPTR_MAX > UINT32_MAX
#define OWN_CLASS ELFCLASS64
#else
#define OWN_CLASS ELFCLASS32
#endif

/* What compilers call on their own. */
static const char *const allowed[] = {"memset", "memcpy", "memmove", "memcmp"};

struct object {
	const char *bytes;
	size_t size;
};

/* struct names - the list under construction */
struct names {
	char *text;
	size_t size, used;
};

/* @count elements of @size bytes at @offset, suitably aligned; NULL when the file does not hold them */
static const void *object_at(const struct object *object, uint64_t offset, uint64_t count,
			     size_t size)
{
	if (offset > object->size || offset % sizeof(uint32_t) ||
	    count > (object->size - offset) / size)
		return NULL;
	return object->bytes + offset;
}

static const char *object_text(const struct object *object, const ElfW(Shdr) * strings,
			       uint64_t offset)
{
	if (offset >= strings->sh_size || strings->sh_offset > object->size ||
	    strings->sh_size > object->size - strings->sh_offset)
		return NULL;
	if (!memchr(object->bytes + strings->sh_offset + offset, '\0', strings->sh_size - offset))
		return NULL;
	return object->bytes + strings->sh_offset + offset;
}

static bool is_allowed(const char *name)
{
	for (size_t i = 0; i < array_size(allowed); i++)
		if (!strcmp(name, allowed[i]))
			return true;
	return false;
}

static void add_name(struct names *names, const char *name)
{
	int n = snprintf(names->text + names->used, names->size - names->used, "%s%s",
			 names->used ? ", " : "", name);

	if (n > 0 && (size_t)n < names->size - names->used)
		names->used += (size_t)n;
	else
		names->text[names->used] = '\0';
}

static int collect(const struct object *object, const ElfW(Shdr) * table,
		   const ElfW(Shdr) * strings, struct names *names)
{
	uint64_t count = table->sh_size / sizeof(ElfW(Sym));
	const char *at = object_at(object, table->sh_offset, count, sizeof(ElfW(Sym)));

	if (!at)
		return -EBADMSG;
	for (uint64_t i = 1; i < count; i++) {
		const char *name;
		ElfW(Sym) symbol;

		memcpy(&symbol, at + i * sizeof(symbol), sizeof(symbol));
		if (symbol.st_shndx != SHN_UNDEF || ELF64_ST_BIND(symbol.st_info) == STB_WEAK)
			continue;
		name = object_text(object, strings, symbol.st_name);
		if (!name)
			return -EBADMSG;
		if (!is_allowed(name))
			add_name(names, name);
	}
	return 0;
}

static int object_scan(const struct object *object, struct names *names)
{
	const ElfW(Ehdr) *head = object_at(object, 0, 1, sizeof(*head));
	const ElfW(Shdr) * sections;

	if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
	    head->e_ident[EI_CLASS] != OWN_CLASS || head->e_type != ET_DYN ||
	    head->e_shentsize != sizeof(*sections))
		return -EBADMSG;
	sections = object_at(object, head->e_shoff, head->e_shnum, sizeof(*sections));
	if (!sections)
		return -EBADMSG;
	for (unsigned i = 0; i < head->e_shnum; i++) {
		if (sections[i].sh_type != SHT_DYNSYM)
			continue;
		if (sections[i].sh_link >= head->e_shnum)
			return -EBADMSG;
		return collect(object, &sections[i], &sections[sections[i].sh_link], names);
	}
	return -EBADMSG;
}

int kernel_object_missing(const char *path, char *ret_names, size_t size, struct cpir_error *err)
{
	struct names names = {.text = ret_names, .size = size};
	struct kernel_file file;
	int r = kernel_file_read(path, &file, err);

	*ret_names = '\0';
	if (r)
		return r;
	r = object_scan(&(struct object){file.text, file.size}, &names);
	kernel_file_free(&file);
	if (r)
		return error_set(err, r, "%s: is no shared object of this machine", path);
	return 0;
}
