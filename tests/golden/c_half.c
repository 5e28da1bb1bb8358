/* float16 out0, bfloat16 out1 */
@ sizes: BLOCK = 64, ACCESSES = 5
@ helpers: ROLLED, BY_FLOOR, EACH_OF, HIDDEN, OWN_BLOCK, BAND_ROOM, BAND_VALUES, PAD_BLOCK, PUT_BLOCK, PUT_PAST,
@   FETCH_BELOW, b1, weft_lanes, weft_geometry, weft_sample, weft_patterns, struct weft_calls;, weft_args, weft_tile,
@   weft_banding, weft_band, weft_part, weft_rows, weft_join, weft_run, weft_calls, enum { LANES = 16 };, bytes,
@   __attribute__((always_inline)) ec8c7747, fetch, __attribute__((always_inline)) 20c4a75b, fetch_row, block_of,
@   blocks_of, ints, CONVERSION, decode_f16_f32 af7f57f3, unpack_f16_f32 fc3ba9f8, decode_bf16_f32 f3a3a288,
@   unpack_bf16_f32 de849bf2, fneg_f32, to_bfloat16_f32_f32, to_float16_f32_f32, nearest_f32_f32, encode_f32_bf16
@   cc952e44, rounded_f32_bf16 7d4ce73d, fmin_f32, encode_f32_f16 0cf16d4c, rounded_f32_f16 89162b5c
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    const f32 c_0 = *(const f32_m *)&args->literals[0]; /* 0.100097656 */
    ALIGNED f16_m w_0[BLOCK];
    ALIGNED b1_m w_1[BLOCK];
    ALIGNED bf16_m w_2[BLOCK];
    ALIGNED f16_m w_3[BLOCK];
    ALIGNED bf16_m w_4[BLOCK];
    ALIGNED u64 slots[7][BLOCK]; /* values kept between loops */
    f32_m *const v_1 = (f32_m *)slots[0];
    f32_m *const v_11 = (f32_m *)slots[1];
    f32_m *const v_2 = (f32_m *)slots[2];
    f32_m *const v_3 = (f32_m *)slots[3];
    f32_m *const v_7 = (f32_m *)slots[4];
    f32_m *const v_15 = (f32_m *)slots[5];
    bf16_m *const v_16 = (bf16_m *)slots[6];
    f32_m *const v_8 = (f32_m *)slots[5];
    f16_m *const v_9 = (f16_m *)slots[2];
    BAND_ROOM(3, sizeof(f16_m), 0, 0)
@ headline.c, 5 lines: while (band.more && args->calls->next_band(args, &band)) { /* rows that lie beside each other */ ... p[k] = start[k] + row * step[k]; /* where the row of each begins */
            const int long_row = column1 - column0 >= BLOCK;
            const i64 last = long_row ? column1 - BLOCK : column1; /* where the last block begins */
            const i64 head = band.head[row & 63]; /* elements of a short first block */
            for (i64 i = column0, m = head ? head : blocks_of(column1 - column0); i < column1; i += m, m = blocks_of(column1 - i)) { /* m < BLOCK: computed as a block, m are stored */
                const i64 back = RARE(i > last) ? i - last : 0;
                i -= back;
                const f16_m *x_0 = (const f16_m *)p[0] + i; /* x */
                PAD_BLOCK(x_0, w_0, !long_row, 0)
                const b1_m *x_1 = (const b1_m *)p[1] + i; /* c */
                PAD_BLOCK(x_1, w_1, !long_row, 0)
                const bf16_m *x_2 = (const bf16_m *)p[2] + i; /* y */
                PAD_BLOCK(x_2, w_2, !long_row, 0)
                f16_m *const o_3 = (f16_m *)p[3] + i; /* out0 */
                const int n_3 = m >= BLOCK && streams(args, o_3);
                f16_m *y_3 = m < BLOCK || n_3 ? OWN_BLOCK(w_3) : o_3;
                bf16_m *const o_4 = (bf16_m *)p[4] + i; /* out1 */
                const int n_4 = m >= BLOCK && streams(args, o_4);
                bf16_m *y_4 = m < BLOCK || n_4 ? OWN_BLOCK(w_4) : o_4;
                for (i64 k = 0; k < m; k += BLOCK, x_0 += BLOCK, x_1 += BLOCK, x_2 += BLOCK, y_3 += n_3 ? 0 : BLOCK, y_4 += n_4 ? 0 : BLOCK) {
                    unpack_f16_f32(v_1, x_0);
                    unpack_bf16_f32(v_11, x_2);
                    INDEPENDENT
                    for (int j = 0; j < BLOCK; j++) {
                        const f32 t_1 = v_1[j];
                        const f32 t_2 = t_1 * t_1;
                        v_2[j] = t_2;
                        const f32 t_6 = fneg_f32(t_1);
                        const b1 a_1 = (x_1[j] != 0);
                        const f32 t_7 = a_1 ? t_1 : t_6;
                        v_7[j] = t_7;
                        const f32 t_11 = v_11[j];
                        const f32 t_12 = t_11 + t_11;
                        const f32 t_13 = to_bfloat16_f32_f32(t_12);
                        const f32 t_15 = t_13 * c_0;
                        v_15[j] = t_15;
                    }
                    nearest_f32_f32(v_3, v_2);
                    pack_f32_bf16(v_16, v_15);
                    INDEPENDENT
                    for (int j = 0; j < BLOCK; j++) {
                        const f32 t_3 = v_3[j];
                        const f32 t_1 = v_1[j];
                        const f32 t_4 = fmin_f32(t_3, t_1);
                        const f32 t_7 = v_7[j];
                        const f32 t_8 = t_4 + t_7;
                        v_8[j] = t_8;
                    }
                    pack_f32_f16(v_9, v_8);
                    INDEPENDENT
                    for (int j = 0; j < BLOCK; j++) {
                        const f16 t_9 = v_9[j];
                        const bf16 t_16 = v_16[j];
                        y_3[j] = t_9;
                        y_4[j] = t_16;
                    }
                    PUT_PAST(&o_3[k], n_3, w_3)
                    PUT_PAST(&o_4[k], n_4, w_4)
                }
                PUT_BLOCK(o_3, w_3, back, 0, w_3)
                PUT_BLOCK(o_4, w_4, back, 0, w_4)
                i += back;
            }
        }
    }
}
