/* Sites, their bytes, and the diagnostics made from them; see faults.h. */
#include "runtime/gpu/faults.h"

#include <stdlib.h>
#include <string.h>

/* The bytes of a site on one stream. */
struct remark_bytes {
    struct remark_bytes *next;
    const struct cuda_device *device;
    const struct CUstream_st *stream;
    unsigned char *bytes;          /* [site->count] pinned memory of the device */
};

struct remark_site {
    struct remark_site *next;
    int count;
    struct fault *faults;
    struct remark_bytes *bytes;
};

/* A program's text and the sites of its kernels. */
struct remark_text {
    struct remark_text *next;
    struct source source;
    struct remark_site *sites;
};

/* Streams 0 and 1 are the same one. */
static const struct CUstream_st *plain(const struct CUstream_st *stream)
{
    return (uintptr_t)stream == CUDA_STREAM_LEGACY ? NULL : stream;
}

/* ---- sites ---- */

static struct remark_text *find_text(const struct remarks *remarks, const struct source *source)
{
    struct remark_text *at = remarks->texts;
    while (at && (at->source.length != source->length || strcmp(at->source.origin, source->origin) != 0 ||
                  memcmp(at->source.text, source->text, source->length) != 0))
        at = at->next;
    return at;
}

/* From one malloc; NULL: out of memory. */
static struct remark_text *make_text(struct remarks *remarks, const struct source *source)
{
    size_t origin = strlen(source->origin) + 1;
    struct remark_text *text = malloc(sizeof *text + origin + source->length);
    if (!text)
        return NULL;
    char *room = (char *)(text + 1);
    *text = (struct remark_text){.next = remarks->texts, .source.length = source->length};
    text->source.origin = memcpy(room, source->origin, origin);
    text->source.text = memcpy(room + origin, source->text, source->length);
    return remarks->texts = text;
}

static struct remark_site *find_site(const struct remark_text *text, const struct kernel *kernel)
{
    struct remark_site *at = text->sites;
    while (at && (at->count != kernel->fault_count ||
                  memcmp(at->faults, kernel->faults, (size_t)at->count * sizeof *at->faults) != 0))
        at = at->next;
    return at;
}

static struct remark_site *make_site(struct remark_text *text, const struct kernel *kernel)
{
    size_t faults = (size_t)kernel->fault_count * sizeof *kernel->faults;
    struct remark_site *site = malloc(sizeof *site + faults);
    if (!site)
        return NULL;
    *site = (struct remark_site){.next = text->sites, .count = kernel->fault_count};
    site->faults = memcpy(site + 1, kernel->faults, faults);
    return text->sites = site;
}

struct remark_site *remarks_site(struct remarks *remarks, const struct source *source,
                                 const struct kernel *kernel, struct diags *diags)
{
    pthread_mutex_lock(&remarks->mutex);
    struct remark_text *text = find_text(remarks, source);
    text = text ? text : make_text(remarks, source);
    struct remark_site *site = text ? find_site(text, kernel) : NULL;
    site = site || !text ? site : make_site(text, kernel);
    pthread_mutex_unlock(&remarks->mutex);
    if (!site)
        diag_at(diags, DIAG_NO_MEMORY, NULL, 0);
    return site;
}

/* ---- bytes ---- */

static struct remark_bytes *find_bytes(const struct remark_site *site, const struct cuda_device *device,
                                       const struct CUstream_st *stream)
{
    struct remark_bytes *at = site->bytes;
    while (at && (at->device != device || at->stream != stream))
        at = at->next;
    return at;
}

static struct remark_bytes *make_bytes(struct cuda_device *device, struct remark_site *site,
                                       const struct CUstream_st *stream, struct diags *diags)
{
    struct remark_bytes *made = malloc(sizeof *made);
    if (!made)
        return diag_no_memory(diags);
    *made = (struct remark_bytes){site->bytes, device, stream,
                                  cuda_pinned_bytes(device, (size_t)site->count, diags)};
    if (!made->bytes) {
        free(made);
        return NULL;
    }
    return site->bytes = made;
}

uint64_t remarks_bytes(struct remarks *remarks, struct cuda_device *device, struct remark_site *site,
                       const struct CUstream_st *stream, struct diags *diags)
{
    pthread_mutex_lock(&remarks->mutex);
    struct remark_bytes *found = find_bytes(site, device, plain(stream));
    found = found ? found : make_bytes(device, site, plain(stream), diags);
    pthread_mutex_unlock(&remarks->mutex);
    return found ? (uint64_t)(uintptr_t)found->bytes : 0;
}

/* ---- diagnostics ---- */

/* Makes *first the first remark on this stream, if it is further ahead in the text. Clears all remarks of the
 * stream. */
static void take(const struct remark_site *site, const struct CUstream_st *stream, struct fault *first)
{
    for (const struct remark_bytes *at = site->bytes; at; at = at->next)
        for (int f = 0; at->stream == stream && f < site->count; f++)
            if (__atomic_exchange_n(&at->bytes[f], 0, __ATOMIC_ACQ_REL))
                fault_first(first, &site->faults[f]);
}

void remarks_tell(struct remarks *remarks, const struct CUstream_st *stream, struct diags *diags)
{
    pthread_mutex_lock(&remarks->mutex);
    for (const struct remark_text *text = remarks->texts; text; text = text->next) {
        struct fault first = no_fault;
        for (const struct remark_site *site = text->sites; site; site = site->next)
            take(site, plain(stream), &first);
        diags->source = &text->source;
        if (fault_is_any(&first))
            fault_tell(diags, &first);
    }
    diags->source = NULL;
    pthread_mutex_unlock(&remarks->mutex);
}

/* ---- beginning and end ---- */

static void finish_sites(const struct remark_text *text)
{
    for (struct remark_site *site = text->sites, *next; site; site = next) {
        for (struct remark_bytes *bytes = site->bytes, *later; bytes; bytes = later) {
            later = bytes->next;
            free(bytes);
        }
        next = site->next;
        free(site);
    }
}

void remarks_finish(struct remarks *remarks)
{
    for (struct remark_text *text = remarks->texts, *next; text; text = next) {
        next = text->next;
        finish_sites(text);
        free(text);
    }
    pthread_mutex_destroy(&remarks->mutex);
}
