/* What a kernel in C does where its rows end: once a row, so it is a part of no kernel. It is compiled for each
 * instruction set, whose vectors have PIECE bytes. SHARED is what a function begins with. */

//: ends
#if defined PIECE
#elif defined __AVX512BW__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* see no masks */
#define PIECE 64
#elif defined __AVX2__
#define PIECE 32
#else
#define PIECE 16
#endif
#ifndef JOINS
#define JOINS 0
#endif
#if defined __GNUC__ && !defined __TINYC__
/* Copies the `count` elements of `size` bytes with which a row ends, and fills the `block` of `all` of them with the
 * last one. A vector's bytes are stored at once: the kernel would wait for parts of it. */
SHARED const void *pad_block(void *block, const void *from, int count, int size, int all)
{
    typedef unsigned long long piece __attribute__((vector_size(PIECE), aligned(1), may_alias));
    const int bytes = count * size, end = all * size;
    const unsigned char *const last = (const unsigned char *)from + bytes - size;
    unsigned long long word;
    switch (size) {
    case 1: word = *last * 0x0101010101010101u; break;
    case 2: word = (last[0] | (unsigned)last[1] << 8) * 0x0001000100010001u; break;
    case 4: memcpy(&word, last, 4); word = (word & 0xffffffffu) * 0x0000000100000001u; break;
    default: memcpy(&word, last, 8);
    }
    const piece fill = (piece){0} + word;
    char *const to = block;
#if PIECE == 64
    int k = 0;
    for (; k < bytes; k += PIECE) {
        piece x = fill;
        __asm__("vmovdqu8 %1, %0%{%2%}" : "+v"(x) : "m"(*(const piece *)((const char *)from + k)),
                "Yk"(bytes - k < PIECE ? (1ull << (bytes - k)) - 1 : ~0ull));
        *(piece *)(to + k) = x;
    }
    for (; k < end; k += PIECE)
        *(piece *)(to + k) = fill;
#else
    for (int k = bytes / PIECE * PIECE; k < end; k += PIECE)
        *(piece *)(to + k) = fill;
    memcpy(to, from, (size_t)bytes);
#endif
    return block;
}

/* Copies `count` elements from a block to where they belong. */
SHARED void put_block(void *to, const void *block, int count, int size)
{
#if PIECE == 64
    typedef unsigned long long piece __attribute__((vector_size(PIECE), aligned(1), may_alias));
    const int bytes = count * size;
    for (int k = 0; k < bytes; k += PIECE)
        __asm__("vmovdqu8 %1, %0%{%2%}" : "+m"(*(piece *)((char *)to + k))
                : "v"(*(const piece *)((const char *)block + k)),
                "Yk"(bytes - k < PIECE ? (1ull << (bytes - k)) - 1 : ~0ull));
#else
    memcpy(to, block, (size_t)count * (size_t)size);
#endif
}
#else
SHARED const void *pad_block(void *block, const void *from, int count, int size, int all)
{
    memcpy(block, from, (size_t)(count * size));
    for (int k = count; k < all; k++)
        memcpy((char *)block + k * size, (const char *)block + (count - 1) * size, (size_t)size);
    return block;
}

SHARED void put_block(void *to, const void *block, int count, int size)
{
    memcpy(to, block, (size_t)(count * size));
}
#endif

SHARED const struct weft_calls *kernel_calls(void)
{
    static const struct weft_calls calls = {next_band, next_part, next_run, find_points, find_rows, row_at,
                                            pad_block, put_block, JOINS};
    return &calls;
}
#undef PIECE
#undef JOINS
