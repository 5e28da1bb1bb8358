/* float32 table 0 */
@ helpers: ROLLED, BY_FLOOR, EACH_OF, HIDDEN, OWN_BLOCK, BAND_ROOM, BAND_VALUES, PAD_BLOCK, PUT_BLOCK, PUT_PAST,
@   FETCH_BELOW, b1, weft_lanes, weft_geometry, weft_sample, weft_patterns, struct weft_calls;, weft_args, weft_tile,
@   weft_banding, weft_band, weft_part, weft_rows, weft_join, weft_run, weft_calls
f32 powf(f32, f32);
@ helpers: enum { LANES = 16 };, bytes, __attribute__((always_inline)) ec8c7747, fetch, __attribute__((always_inline))
@   20c4a75b, fetch_row, block_of, blocks_of, ints, CONVERSION, fill_f32, widen_u8_f32
#undef OWN_MATH
#undef FMAF
#undef FMAD
@ helpers: OWN_MATH
union word_f32 { f32 value; u32 word; };
union word_f64 { f64 value; u64 word; };
struct hyperbolic_f32 { f32 odd, even, up, down; };
struct hyperbolic_f64 { f64 odd, even, up, down; };
struct pair_f32 { f32 high, low; };
struct pair_f64 { f64 high, low; };
@ helpers: exp2_rest, chosen_f32, log2_pair_f32, block_pow_f32
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    const f32 c_0 = *(const f32_m *)&args->literals[0]; /* 255.0 */
    ALIGNED u8_m w_0[BLOCK];
    ALIGNED f32_m x_1[BLOCK], w_2[BLOCK];
    ALIGNED u64 slots[3][BLOCK]; /* values kept between loops */
    f32_m *const v_1 = (f32_m *)slots[0];
    f32_m *const v_3 = (f32_m *)slots[1];
    f32_m *const v_5 = (f32_m *)slots[2];
    BAND_ROOM(2, sizeof(f32_m), 0, 1)
@ headline.c, 5 lines: while (band.more && args->calls->next_band(args, &band)) { /* rows that lie beside each other */ ... p[k] = start[k] + row * step[k]; /* where the row of each begins */
            const int long_row = column1 - column0 >= BLOCK;
            const i64 last = long_row ? column1 - BLOCK : column1; /* where the last block begins */
            const f32 a_1 = *(const f32_m *)p[1]; /* gamma */
            fill_f32(x_1, a_1);
            const i64 head = band.head[row & 63]; /* elements of a short first block */
            for (i64 i = column0, m = head ? head : blocks_of(column1 - column0); i < column1; i += m, m = blocks_of(column1 - i)) { /* m < BLOCK: computed as a block, m are stored */
                const i64 back = RARE(i > last) ? i - last : 0;
                i -= back;
                const u8_m *x_0 = (const u8_m *)p[0] + i; /* 0 to 255 */
                PAD_BLOCK(x_0, w_0, !long_row, 0)
                f32_m *const o_2 = (f32_m *)p[2] + i; /* table 0 */
                const int n_2 = m >= BLOCK && streams(args, o_2);
                f32_m *y_2 = m < BLOCK || n_2 ? OWN_BLOCK(w_2) : o_2;
                for (i64 k = 0; k < m; k += BLOCK, x_0 += BLOCK, y_2 += n_2 ? 0 : BLOCK) {
                    widen_u8_f32(v_1, x_0);
                    INDEPENDENT
                    for (int j = 0; j < BLOCK; j++) {
                        const f32 t_1 = v_1[j];
                        const f32 t_3 = t_1 / c_0;
                        v_3[j] = t_3;
                    }
                    block_pow_f32(v_5, v_3, x_1);
                    INDEPENDENT
                    for (int j = 0; j < BLOCK; j++) {
                        const f32 t_5 = v_5[j];
                        const f32 t_6 = c_0 * t_5;
                        y_2[j] = t_6;
                    }
                    fetch(x_0, args->ahead, sizeof *x_0);
                    PUT_PAST(&o_2[k], n_2, w_2)
                }
                PUT_BLOCK(o_2, w_2, back, 0, w_2)
                i += back;
            }
        }
    }
}
/* uint8 out */
@ sizes: BLOCK = 64, ACCESSES = 4
@ helpers: ROLLED, BY_FLOOR, EACH_OF, HIDDEN, OWN_BLOCK, BAND_ROOM, BAND_VALUES, PAD_BLOCK, PUT_BLOCK, PUT_PAST,
@   FETCH_BELOW, b1, weft_lanes, weft_geometry, weft_sample, weft_patterns, struct weft_calls;, weft_args, weft_tile,
@   weft_banding, weft_band, weft_part, weft_rows, weft_join, weft_run, weft_calls, rintf, enum { LANES = 16 };, bytes,
@   __attribute__((always_inline)) ec8c7747, fetch, __attribute__((always_inline)) 20c4a75b, fetch_row, block_of,
@   blocks_of, ints, CONVERSION, optimize, lookup_f32, roundsat_f32_u8, whole_f32_u8
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    ALIGNED u8_m w_0[BLOCK];
    ALIGNED f32_m w_2[BLOCK + 1152];
    struct weft_patterns kept_2 = {{0}, 0, 0, 0, 0, 0}; /* what w_2 has */
    ALIGNED u8_m w_3[BLOCK];
    ALIGNED u64 slots[2][BLOCK]; /* values kept between loops */
    f32_m *const v_1 = (f32_m *)slots[0];
    f32_m *const v_3 = (f32_m *)slots[1];
    BAND_ROOM(3, sizeof(u8_m), 0, 1)
@ headline.c, 5 lines: while (band.more && args->calls->next_band(args, &band)) { /* rows that lie beside each other */ ... p[k] = start[k] + row * step[k]; /* where the row of each begins */
            const f32_m *const repeats_2 = (const f32_m *)args->calls->repeated(w_2, &kept_2, s, p[2], s->strides[2 * stride + groups], sizeof(f32_m), BLOCK, column0 + band.head[row & 63]); /* gain */
            const i64 span = kept_2.span, advance = kept_2.advance;
@ headline.c, 6 lines: i64 phase = column0 % span; ... const i64 pace = m < BLOCK ? m % span : advance;
                u8_m *const o_3 = (u8_m *)p[3] + i; /* out */
                const int n_3 = m >= BLOCK && streams(args, o_3);
                u8_m *y_3 = m < BLOCK || n_3 ? OWN_BLOCK(w_3) : o_3;
                for (i64 k = 0; k < m; k += BLOCK, x_0 += BLOCK, y_3 += n_3 ? 0 : BLOCK) {
                    const f32_m *const x_2 = repeats_2 + phase;
                    lookup_f32(v_1, (const f32_m *)sample->bases[1] /* table 0 */, x_0);
                    INDEPENDENT
                    for (int j = 0; j < BLOCK; j++) {
                        const f32 t_1 = v_1[j];
                        const f32 a_2 = x_2[j];
                        const f32 t_3 = t_1 * a_2;
                        v_3[j] = t_3;
                    }
                    narrow_f32_u8(y_3, v_3);
                    fetch(x_0, args->ahead, sizeof *x_0);
                    phase += phase + pace < span ? pace : pace - span;
                    PUT_PAST(&o_3[k], n_3, w_3)
                }
                PUT_BLOCK(o_3, w_3, 0, 0, w_3)
            }
        }
    }
}
