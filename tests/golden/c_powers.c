/* int32 out0, int32 out1 */
@ helpers: ROLLED, BY_FLOOR, EACH_OF, HIDDEN, OWN_BLOCK, BAND_ROOM, BAND_VALUES, PAD_BLOCK, PUT_BLOCK, PUT_PAST,
@   FETCH_BELOW, b1, weft_lanes, weft_geometry, weft_sample, weft_patterns, struct weft_calls;, weft_args, weft_tile,
@   weft_banding, weft_band, weft_part, weft_rows, weft_join, weft_run, weft_calls, enum { LANES = 16 };, bytes,
@   __attribute__((always_inline)) ec8c7747, fetch, __attribute__((always_inline)) 20c4a75b, fetch_row, block_of,
@   blocks_of
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    const i32 c_0 = *(const i32_m *)&args->literals[0]; /* 16 */
    ALIGNED i32_m w_0[BLOCK], w_1[BLOCK], w_2[BLOCK];
    BAND_ROOM(1, sizeof(i32_m), 0, 0)
@ headline.c, 5 lines: while (band.more && args->calls->next_band(args, &band)) { /* rows that lie beside each other */ ... p[k] = start[k] + row * step[k]; /* where the row of each begins */
            const int long_row = column1 - column0 >= BLOCK;
            const i64 last = long_row ? column1 - BLOCK : column1; /* where the last block begins */
            const i64 head = band.head[row & 63]; /* elements of a short first block */
            for (i64 i = column0, m = head ? head : blocks_of(column1 - column0); i < column1; i += m, m = blocks_of(column1 - i)) { /* m < BLOCK: computed as a block, m are stored */
                const i64 back = RARE(i > last) ? i - last : 0;
                i -= back;
                const i32_m *x_0 = (const i32_m *)p[0] + i; /* x */
                PAD_BLOCK(x_0, w_0, !long_row, 0)
                i32_m *const o_1 = (i32_m *)p[1] + i; /* out0 */
                const int n_1 = m >= BLOCK && streams(args, o_1);
                i32_m *y_1 = m < BLOCK || n_1 ? OWN_BLOCK(w_1) : o_1;
                i32_m *const o_2 = (i32_m *)p[2] + i; /* out1 */
                const int n_2 = m >= BLOCK && streams(args, o_2);
                i32_m *y_2 = m < BLOCK || n_2 ? OWN_BLOCK(w_2) : o_2;
                for (i64 k = 0; k < m; k += BLOCK, x_0 += BLOCK, y_1 += n_1 ? 0 : BLOCK, y_2 += n_2 ? 0 : BLOCK) {
                    INDEPENDENT
                    for (int j = 0; j < BLOCK; j++) {
                        const i32 a_0 = x_0[j];
                        const i32 t_2 = (i32)(a_0 >> 4);
                        const i32 t_3 = (i32)(a_0 & 15);
                        y_1[j] = t_2;
                        y_2[j] = t_3;
                    }
                    fetch(x_0, args->ahead, sizeof *x_0);
                    PUT_PAST(&o_1[k], n_1, w_1)
                    PUT_PAST(&o_2[k], n_2, w_2)
                }
                PUT_BLOCK(o_1, w_1, back, 0, w_1)
                PUT_BLOCK(o_2, w_2, back, 0, w_2)
                i += back;
            }
        }
    }
}
/* uint8 out2 */
@ sizes: BLOCK = 64, ACCESSES = 10
@ helpers: ROLLED, BY_FLOOR, EACH_OF, HIDDEN, OWN_BLOCK, BAND_ROOM, BAND_VALUES, PAD_BLOCK, PUT_BLOCK, PUT_PAST,
@   FETCH_BELOW, b1, weft_lanes, weft_geometry, weft_sample, weft_patterns, struct weft_calls;, weft_args, weft_tile,
@   weft_banding, weft_band, weft_part, weft_rows, weft_join, weft_run, weft_calls, enum { LANES = 16 };, bytes,
@   __attribute__((always_inline)) ec8c7747, fetch, __attribute__((always_inline)) 20c4a75b, fetch_row, block_of,
@   blocks_of, quotient_u16, floored_u16, divisor_u16, floordiv_u16, saturate_u16_u8
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    const i16 c_0 = *(const i16_m *)&args->literals[0]; /* 2 */
    const i16 c_1 = *(const i16_m *)&args->literals[1]; /* 4 */
    const u16 c_2 = *(const u16_m *)&args->literals[2]; /* 9 */
    ALIGNED u8_m w_2[BLOCK + 64], w_5[BLOCK + 64], w_8[BLOCK + 64], w_9[BLOCK];
    BAND_ROOM(9, sizeof(u8_m), 0, 0)
@ headline.c, 5 lines: while (band.more && args->calls->next_band(args, &band)) { /* rows that lie beside each other */ ... p[k] = start[k] + row * step[k]; /* where the row of each begins */
            const int long_row = column1 - column0 >= BLOCK;
            const i64 last = long_row ? column1 - BLOCK : column1; /* where the last block begins */
            const i64 head = band.head[row & 63]; /* elements of a short first block */
            for (i64 i = column0, m = head ? head : blocks_of(column1 - column0); i < column1; i += m, m = blocks_of(column1 - i)) { /* m < BLOCK: computed as a block, m are stored */
                const i64 back = RARE(i > last) ? i - last : 0;
                i -= back;
                const u8_m *x_2 = (const u8_m *)p[2] + i; /* img, of which others are read from here, too */
                PAD_BLOCK(x_2, w_2, !long_row, 6)
                const u8_m *x_5 = (const u8_m *)p[5] + i; /* img, of which others are read from here, too */
                PAD_BLOCK(x_5, w_5, !long_row, 6)
                const u8_m *x_8 = (const u8_m *)p[8] + i; /* img, of which others are read from here, too */
                PAD_BLOCK(x_8, w_8, !long_row, 6)
                u8_m *const o_9 = (u8_m *)p[9] + i; /* out2 */
                const int n_9 = m >= BLOCK && streams(args, o_9);
                u8_m *y_9 = m < BLOCK || n_9 ? OWN_BLOCK(w_9) : o_9;
                for (i64 k = 0; k < m; k += BLOCK, x_2 += BLOCK, x_5 += BLOCK, x_8 += BLOCK, y_9 += n_9 ? 0 : BLOCK) {
                    const u8_m *const x_0 = x_2 + 6; /* img */
                    const u8_m *const x_1 = x_2 + 3; /* img */
                    const u8_m *const x_3 = x_5 + 6; /* img */
                    const u8_m *const x_4 = x_5 + 3; /* img */
                    const u8_m *const x_6 = x_8 + 6; /* img */
                    const u8_m *const x_7 = x_8 + 3; /* img */
                    INDEPENDENT WRITTEN_OUT
                    for (int j = 0; j < BLOCK; j++) {
                        const u8 a_8 = x_8[j];
                        const i16 t_9 = (i16)a_8;
                        const u8 a_6 = x_6[j];
                        const i16 t_10 = (i16)a_6;
                        const i16 t_11 = (i16)((u32)t_9 + (u32)t_10);
                        const u8 a_2 = x_2[j];
                        const i16 t_12 = (i16)a_2;
                        const i16 t_13 = (i16)((u32)t_11 + (u32)t_12);
                        const u8 a_0 = x_0[j];
                        const i16 t_14 = (i16)a_0;
                        const i16 t_15 = (i16)((u32)t_13 + (u32)t_14);
                        const u8 a_7 = x_7[j];
                        const i16 t_16 = (i16)a_7;
                        const u8 a_5 = x_5[j];
                        const i16 t_17 = (i16)a_5;
                        const i16 t_18 = (i16)((u32)t_16 + (u32)t_17);
                        const u8 a_3 = x_3[j];
                        const i16 t_19 = (i16)a_3;
                        const i16 t_20 = (i16)((u32)t_18 + (u32)t_19);
                        const u8 a_1 = x_1[j];
                        const i16 t_21 = (i16)a_1;
                        const i16 t_22 = (i16)((u32)t_20 + (u32)t_21);
                        const i16 t_24 = (i16)((u32)c_0 * (u32)t_22);
                        const i16 t_25 = (i16)((u32)t_15 + (u32)t_24);
                        const u8 a_4 = x_4[j];
                        const i16 t_27 = (i16)a_4;
                        const i16 t_28 = (i16)((u32)c_1 * (u32)t_27);
                        const i16 t_29 = (i16)((u32)t_25 + (u32)t_28);
                        const i16 t_30 = (i16)((u32)t_29 + (u32)c_1);
                        const u16 t_31 = (u16)t_30;
                        const u16 t_33 = floordiv_u16(t_31, (u16)9);
                        const u8 t_34 = saturate_u16_u8(t_33);
                        y_9[j] = t_34;
                    }
                    PUT_PAST(&o_9[k], n_9, w_9)
                }
                PUT_BLOCK(o_9, w_9, back, 0, w_9)
                i += back;
            }
        }
    }
}
