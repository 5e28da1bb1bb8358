/* bfloat16 out0, float16 out1, float16 a, float16 out3 */
@ sizes: BLOCK = 64, ACCESSES = 7
@ helpers: ROLLED, BY_FLOOR, EACH_OF, HIDDEN, OWN_BLOCK, BAND_ROOM, BAND_VALUES, PAD_BLOCK, PUT_BLOCK, PUT_PAST,
@   FETCH_BELOW, b1, weft_lanes, weft_geometry, weft_sample, weft_patterns, struct weft_calls;, weft_args, weft_tile,
@   weft_banding, weft_band, weft_part, weft_rows, weft_join, weft_run, weft_calls, fabsf, enum { LANES = 16 };, bytes,
@   __attribute__((always_inline)) ec8c7747, fetch, __attribute__((always_inline)) 20c4a75b, fetch_row, block_of,
@   blocks_of, ints, CONVERSION, decode_f16_f32 af7f57f3, unpack_f16_f32 fc3ba9f8, encode_f32_f16 0cf16d4c,
@   rounded_f32_f16 89162b5c
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    ALIGNED f16_m w_0[BLOCK];
    ALIGNED bf16_m w_1[BLOCK], w_2[BLOCK], w_3[BLOCK];
    ALIGNED f16_m w_4[BLOCK], w_5[BLOCK], w_6[BLOCK];
    ALIGNED u64 slots[7][BLOCK]; /* values kept between loops */
    f32_m *const v_1 = (f32_m *)slots[0];
    bf16_m *const v_8 = (bf16_m *)slots[1];
    f16_m *const v_9 = (f16_m *)slots[2];
    f32_m *const v_2 = (f32_m *)slots[3];
    f16_m *const v_3 = (f16_m *)slots[4];
    f32_m *const v_10 = (f32_m *)slots[5];
    f16_m *const v_11 = (f16_m *)slots[6];
    BAND_ROOM(3, sizeof(bf16_m), 0, 0)
@ headline.c, 5 lines: while (band.more && args->calls->next_band(args, &band)) { /* rows that lie beside each other */ ... p[k] = start[k] + row * step[k]; /* where the row of each begins */
            const int long_row = column1 - column0 >= BLOCK;
            const i64 last = long_row ? column1 - BLOCK : column1; /* where the last block begins */
            const i64 head = band.head[row & 63]; /* elements of a short first block */
            for (i64 i = column0, m = head ? head : blocks_of(column1 - column0); i < column1; i += m, m = blocks_of(column1 - i)) { /* m < BLOCK: computed as a block, m are stored */
                const i64 back = RARE(i > last) ? i - last : 0;
                i -= back;
                const f16_m *x_0 = (const f16_m *)p[0] + i; /* x */
                PAD_BLOCK(x_0, w_0, !long_row, 0)
                const bf16_m *x_1 = (const bf16_m *)p[1] + i; /* y */
                PAD_BLOCK(x_1, w_1, !long_row, 0)
                const bf16_m *x_2 = (const bf16_m *)p[2] + i; /* z */
                PAD_BLOCK(x_2, w_2, !long_row, 0)
                bf16_m *const o_3 = (bf16_m *)p[3] + i; /* out0 */
                const int n_3 = m >= BLOCK && streams(args, o_3);
                bf16_m *y_3 = m < BLOCK || n_3 ? OWN_BLOCK(w_3) : o_3;
                f16_m *const o_4 = (f16_m *)p[4] + i; /* out1 */
                const int n_4 = m >= BLOCK && streams(args, o_4);
                f16_m *y_4 = m < BLOCK || n_4 ? OWN_BLOCK(w_4) : o_4;
                f16_m *const o_5 = (f16_m *)p[5] + i; /* a */
                const int n_5 = m >= BLOCK && streams(args, o_5);
                f16_m *y_5 = m < BLOCK || n_5 ? OWN_BLOCK(w_5) : o_5;
                f16_m *const o_6 = (f16_m *)p[6] + i; /* out3 */
                const int n_6 = m >= BLOCK && streams(args, o_6);
                f16_m *y_6 = m < BLOCK || n_6 ? OWN_BLOCK(w_6) : o_6;
                for (i64 k = 0; k < m; k += BLOCK, x_0 += BLOCK, x_1 += BLOCK, x_2 += BLOCK, y_3 += n_3 ? 0 : BLOCK, y_4 += n_4 ? 0 : BLOCK, y_5 += n_5 ? 0 : BLOCK, y_6 += n_6 ? 0 : BLOCK) {
                    INDEPENDENT
                    for (int j = 0; j < BLOCK; j++) {
                        const bf16 a_1 = x_1[j];
                        const bf16 t_5 = a_1 ^ 0x8000;
                        const bf16 a_2 = x_2[j];
                        const bf16 t_7 = (t_5 & 0x7fff) | (a_2 & 0x8000);
                        const bf16 t_8 = t_7 ^ 0x8000;
                        v_8[j] = t_8;
                        const f16 a_0 = x_0[j];
                        const f16 t_9 = a_0;
                        v_9[j] = t_9;
                    }
                    unpack_f16_f32(v_1, x_0);
                    INDEPENDENT
                    for (int j = 0; j < BLOCK; j++) {
                        const f32 t_1 = v_1[j];
                        const f32 t_2 = fabsf(t_1);
                        v_2[j] = t_2;
                        const f32 t_10 = t_2 * t_1;
                        v_10[j] = t_10;
                    }
                    pack_f32_f16(v_3, v_2);
                    pack_f32_f16(v_11, v_10);
                    INDEPENDENT
                    for (int j = 0; j < BLOCK; j++) {
                        const bf16 t_8 = v_8[j];
                        const f16 t_9 = v_9[j];
                        const f16 t_3 = v_3[j];
                        const f16 t_11 = v_11[j];
                        y_3[j] = t_8;
                        y_4[j] = t_9;
                        y_5[j] = t_3;
                        y_6[j] = t_11;
                    }
                    PUT_PAST(&o_3[k], n_3, w_3)
                    PUT_PAST(&o_4[k], n_4, w_4)
                    PUT_PAST(&o_5[k], n_5, w_5)
                    PUT_PAST(&o_6[k], n_6, w_6)
                }
                PUT_BLOCK(o_3, w_3, back, 0, w_3)
                PUT_BLOCK(o_4, w_4, back, 0, w_4)
                PUT_BLOCK(o_5, w_5, back, 0, w_5)
                PUT_BLOCK(o_6, w_6, back, 0, w_6)
                i += back;
            }
        }
    }
}
