/* Memory of the fake driver. All of it lies in one reserved part of the address space, each
 * allocation on pages of its own with its end as near to the page behind as alignment to 256 bytes
 * lets it; that page and the one in front are never touchable. What is left over in the first and
 * last page holds a pattern that is looked at when the memory is given back, and is poisoned for
 * AddressSanitizer. Addresses do not come again while there are others. */
#define _GNU_SOURCE
#include "mock.h"

#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, ALIGN = 256, UNWRITTEN = 0xcb, BESIDE = 0xbe };

char *mock_arena;
size_t mock_arena_size;
struct mock_memory **mock_owners;

static size_t arena_next; /* a page that nobody has */
static unsigned long long device_bytes, used[MAX_DEVICES];
static struct mock_memory *devices[MAX_DEVICES]; /* live ones, by `next` */
static struct mock_memory *registered;           /* parts of the host's memory */
static bool anything_open;

void __asan_poison_memory_region(void const volatile *address, size_t size) __attribute__((weak));
void __asan_unpoison_memory_region(void const volatile *address, size_t size) __attribute__((weak));

void mock_set_memory(unsigned long long bytes)
{
    device_bytes = bytes;
}

/* ---- pages ---- */

static void reserve_arena(void)
{
    for (int bits = 38; bits >= 30; bits -= 2) {
        char *arena = mmap(NULL, (size_t)1 << bits, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (arena == MAP_FAILED)
            continue;
        size_t pages = ((size_t)1 << bits) / PAGE;
        mock_arena = arena;
        mock_arena_size = (size_t)1 << bits;
        mock_owners = mmap(NULL, pages * sizeof *mock_owners, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (mock_owners == MAP_FAILED)
            mock_wrong("no room for the table of pages");
        return;
    }
    mock_wrong("no address space to play device memory in");
}

/* Pages in a row, with an untouchable one in front and behind. */
static char *take_pages(size_t size)
{
    if (!mock_arena)
        reserve_arena();
    if (arena_next + size + 2 * PAGE > mock_arena_size)
        mock_wrong("all addresses for device memory are used up");
    char *pages = mock_arena + arena_next + PAGE;
    arena_next += size + PAGE;
    return pages;
}

static void protect(char *pages, const char *end, int protection)
{
    if (mprotect(pages, (size_t)(end - pages), protection) != 0)
        mock_wrong("mprotect fails: too many mappings in the process?");
}

static void set_owner(const struct mock_memory *memory)
{
    size_t first = (size_t)(memory->pages - mock_arena) / PAGE,
           last = (size_t)(memory->pages_end - mock_arena) / PAGE;
    for (size_t i = first - 1; i <= last; i++)
        if (!mock_owners[i] || i >= first)
            mock_owners[i] = (struct mock_memory *)memory;
}

/* ---- life ---- */

static size_t round_up(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

struct mock_memory *mock_new_memory(enum mock_place place, size_t size)
{
    struct CUctx_st *context = mock_context();
    struct mock_memory *memory = mock_new(MEMORY, sizeof *memory, context);
    size_t whole = round_up(round_up(size, ALIGN), PAGE);
    memory->place = place;
    memory->device = context->device;
    memory->pages = take_pages(whole);
    memory->pages_end = memory->pages + whole;
    memory->begin = memory->pages_end - round_up(size, ALIGN);
    memory->end = memory->begin + size;
    set_owner(memory);
    return memory;
}

static void fill_beside(struct mock_memory *memory)
{
    memset(memory->pages, BESIDE, (size_t)(memory->begin - memory->pages));
    memset(memory->end, BESIDE, (size_t)(memory->pages_end - memory->end));
    if (!__asan_poison_memory_region)
        return;
    __asan_poison_memory_region(memory->pages, (size_t)(memory->begin - memory->pages));
    __asan_poison_memory_region(memory->end, (size_t)(memory->pages_end - memory->end));
}

static void look_beside(struct mock_memory *memory)
{
    if (__asan_unpoison_memory_region)
        __asan_unpoison_memory_region(memory->pages, (size_t)(memory->pages_end - memory->pages));
    for (const char *p = memory->pages; p < memory->pages_end; p++) {
        if (p == memory->begin)
            p = memory->end;
        if (p < memory->pages_end && (unsigned char)*p != BESIDE)
            mock_wrong("a byte at %+td of an allocation of %td bytes was written",
                       p - memory->begin, memory->end - memory->begin);
    }
}

void mock_make_live(struct mock_memory *memory)
{
    protect(memory->pages, memory->pages_end, PROT_READ | PROT_WRITE);
    memset(memory->begin, UNWRITTEN, (size_t)(memory->end - memory->begin));
    fill_beside(memory);
    memory->state = LIVE;
    memory->open = true;
    anything_open = true;
    if (memory->place != ON_DEVICE)
        return;
    memory->next = devices[memory->device];
    devices[memory->device] = memory;
}

static void unlink_memory(struct mock_memory **list, struct mock_memory *memory)
{
    while (*list && *list != memory)
        list = &(*list)->next;
    if (*list)
        *list = memory->next;
}

void mock_register(struct mock_memory *memory)
{
    memory->next = registered;
    registered = memory;
}

void mock_unregister(struct mock_memory *memory)
{
    unlink_memory(&registered, memory);
}

void mock_end_life(struct mock_memory *memory, enum mock_state state)
{
    mock_open_memory(memory);
    look_beside(memory);
    madvise(memory->pages, (size_t)(memory->pages_end - memory->pages), MADV_DONTNEED);
    protect(memory->pages, memory->pages_end, PROT_NONE);
    memory->state = state;
    memory->open = false;
    if (memory->place == ON_DEVICE)
        unlink_memory(&devices[memory->device], memory);
}

/* Takes the bytes off the device's; false: there are not so many. */
bool mock_count_bytes(size_t size)
{
    int device = mock_context()->device;
    if (size > device_bytes || used[device] + size > device_bytes)
        return false;
    used[device] += size;
    return true;
}

void mock_give_back_bytes(const struct mock_memory *memory)
{
    if (memory->place == ON_DEVICE || memory->place == MANAGED)
        used[memory->device] -= (unsigned long long)(memory->end - memory->begin);
}

/* ---- what may be touched ---- */

void mock_open_memory(struct mock_memory *memory)
{
    if (memory->open || memory->state != LIVE || memory->place != ON_DEVICE)
        return;
    protect(memory->pages, memory->pages_end, PROT_READ | PROT_WRITE);
    memory->open = anything_open = true;
}

void mock_open_device(int device)
{
    for (struct mock_memory *memory = devices[device]; memory; memory = memory->next)
        mock_open_memory(memory);
}

void mock_close_all(void)
{
    if (mock_setting("MOCKCUDA_OPEN", 0))
        return;
    for (int device = 0; anything_open && device < MAX_DEVICES; device++)
        for (struct mock_memory *memory = devices[device]; memory; memory = memory->next) {
            if (memory->open)
                protect(memory->pages, memory->pages_end, PROT_NONE);
            memory->open = false;
        }
    anything_open = false;
}

struct mock_memory *mock_memory_at(const void *address)
{
    const char *p = address;
    if (p >= mock_arena && p < mock_arena + mock_arena_size)
        return mock_owners[(size_t)(p - mock_arena) / PAGE];
    for (struct mock_memory *memory = registered; memory; memory = memory->next)
        if (p >= memory->begin && p < memory->end)
            return memory;
    return NULL;
}

void mock_tell_bytes(int device, size_t *available, size_t *total)
{
    unsigned long long taken = used[device];
    *total = (size_t)device_bytes;
    *available = (size_t)(device_bytes > taken ? device_bytes - taken : 0);
}

bool mock_is_pinned(const void *address, size_t size)
{
    const struct mock_memory *memory = mock_memory_at(address);
    return memory && memory->state == LIVE &&
           (memory->place == PINNED || memory->place == REGISTERED) &&
           (const char *)address >= memory->begin && (const char *)address + size <= memory->end;
}

void mock_check_range(const char *what, const void *address, size_t size, int device)
{
    struct mock_memory *memory = mock_memory_at(address);
    const char *begin = address;
    if (!size)
        return;
    if (!memory)
        mock_wrong("%s: %p is no memory of the driver's", what, address);
    if (begin < memory->begin || begin + size > memory->end)
        mock_wrong("%s: %zu bytes at %+td of an allocation of %td bytes", what, size,
                   begin - memory->begin, memory->end - memory->begin);
    if (memory->state != LIVE)
        mock_wrong("%s: %p is memory that %s", what, address,
                   memory->state == FREED ? "was given back" : "its stream has not allocated yet");
    if (memory->place == ON_DEVICE && memory->device != device)
        mock_wrong("%s: %p is memory of device %d, used on device %d", what, address,
                   memory->device, device);
    mock_open_memory(memory);
}
