/* float64 out */
@ sizes: BLOCK = 64, ACCESSES = 2
@ helpers: ROLLED, BY_FLOOR, EACH_OF, HIDDEN, OWN_BLOCK, BAND_ROOM, BAND_VALUES, PAD_BLOCK, PUT_BLOCK, PUT_PAST,
@   FETCH_BELOW, b1, weft_lanes, weft_geometry, weft_sample, weft_patterns, struct weft_calls;, weft_args, weft_tile,
@   weft_banding, weft_band, weft_part, weft_rows, weft_join, weft_run, weft_calls, enum { LANES = 16 };, bytes,
@   __attribute__((always_inline)) ec8c7747, fetch, __attribute__((always_inline)) 20c4a75b, fetch_row, block_of,
@   blocks_of
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    const unsigned long long *const literals = args->literals;
    ALIGNED f64_m w_0[BLOCK], w_1[BLOCK];
    BAND_ROOM(1, sizeof(f64_m), 0, 0)
@ headline.c, 5 lines: while (band.more && args->calls->next_band(args, &band)) { /* rows that lie beside each other */ ... p[k] = start[k] + row * step[k]; /* where the row of each begins */
            const int long_row = column1 - column0 >= BLOCK;
            const i64 last = long_row ? column1 - BLOCK : column1; /* where the last block begins */
            const i64 head = band.head[row & 63]; /* elements of a short first block */
            for (i64 i = column0, m = head ? head : blocks_of(column1 - column0); i < column1; i += m, m = blocks_of(column1 - i)) { /* m < BLOCK: computed as a block, m are stored */
                const i64 back = RARE(i > last) ? i - last : 0;
                i -= back;
                const f64_m *x_0 = (const f64_m *)p[0] + i; /* x */
                PAD_BLOCK(x_0, w_0, !long_row, 0)
                f64_m *const o_1 = (f64_m *)p[1] + i; /* out */
                const int n_1 = m >= BLOCK && streams(args, o_1);
                f64_m *y_1 = m < BLOCK || n_1 ? OWN_BLOCK(w_1) : o_1;
                for (i64 k = 0; k < m; k += BLOCK, x_0 += BLOCK, y_1 += n_1 ? 0 : BLOCK) {
                    INDEPENDENT
                    for (int j = 0; j < BLOCK; j++) {
                        const f64 a_0 = x_0[j];
                        const f64 t_2 = a_0 + *(const f64_m *)&literals[0];
                        const f64 t_4 = t_2 + *(const f64_m *)&literals[1];
                        const f64 t_6 = t_4 + *(const f64_m *)&literals[2];
                        const f64 t_8 = t_6 + *(const f64_m *)&literals[3];
                        const f64 t_10 = t_8 + *(const f64_m *)&literals[4];
                        const f64 t_12 = t_10 + *(const f64_m *)&literals[5];
                        const f64 t_14 = t_12 + *(const f64_m *)&literals[6];
                        const f64 t_16 = t_14 + *(const f64_m *)&literals[7];
                        const f64 t_18 = t_16 + *(const f64_m *)&literals[8];
                        const f64 t_20 = t_18 + *(const f64_m *)&literals[9];
                        const f64 t_22 = t_20 + *(const f64_m *)&literals[10];
                        const f64 t_24 = t_22 + *(const f64_m *)&literals[11];
                        const f64 t_26 = t_24 + *(const f64_m *)&literals[12];
                        const f64 t_28 = t_26 + *(const f64_m *)&literals[13];
                        const f64 t_30 = t_28 + *(const f64_m *)&literals[14];
                        const f64 t_32 = t_30 + *(const f64_m *)&literals[15];
                        const f64 t_34 = t_32 + *(const f64_m *)&literals[16];
                        const f64 t_36 = t_34 + *(const f64_m *)&literals[17];
                        const f64 t_38 = t_36 + *(const f64_m *)&literals[18];
                        const f64 t_40 = t_38 + *(const f64_m *)&literals[19];
                        const f64 t_42 = t_40 + *(const f64_m *)&literals[20];
                        const f64 t_44 = t_42 + *(const f64_m *)&literals[21];
                        const f64 t_46 = t_44 + *(const f64_m *)&literals[22];
                        const f64 t_48 = t_46 + *(const f64_m *)&literals[23];
                        const f64 t_50 = t_48 + *(const f64_m *)&literals[24];
                        const f64 t_52 = t_50 + *(const f64_m *)&literals[25];
                        const f64 t_54 = t_52 + *(const f64_m *)&literals[26];
                        const f64 t_56 = t_54 + *(const f64_m *)&literals[27];
                        const f64 t_58 = t_56 + *(const f64_m *)&literals[28];
                        const f64 t_60 = t_58 + *(const f64_m *)&literals[29];
                        const f64 t_62 = t_60 + *(const f64_m *)&literals[30];
                        const f64 t_64 = t_62 + *(const f64_m *)&literals[31];
                        const f64 t_66 = t_64 + *(const f64_m *)&literals[32];
                        const f64 t_68 = t_66 + *(const f64_m *)&literals[33];
                        const f64 t_70 = t_68 + *(const f64_m *)&literals[34];
                        const f64 t_72 = t_70 + *(const f64_m *)&literals[35];
                        const f64 t_74 = t_72 + *(const f64_m *)&literals[36];
                        const f64 t_76 = t_74 + *(const f64_m *)&literals[37];
                        const f64 t_78 = t_76 + *(const f64_m *)&literals[38];
                        const f64 t_80 = t_78 + *(const f64_m *)&literals[39];
                        const f64 t_82 = t_80 + *(const f64_m *)&literals[40];
                        const f64 t_84 = t_82 + *(const f64_m *)&literals[41];
                        const f64 t_86 = t_84 + *(const f64_m *)&literals[42];
                        const f64 t_88 = t_86 + *(const f64_m *)&literals[43];
                        const f64 t_90 = t_88 + *(const f64_m *)&literals[44];
                        const f64 t_92 = t_90 + *(const f64_m *)&literals[45];
                        const f64 t_94 = t_92 + *(const f64_m *)&literals[46];
                        const f64 t_96 = t_94 + *(const f64_m *)&literals[47];
                        const f64 t_98 = t_96 + *(const f64_m *)&literals[48];
                        const f64 t_100 = t_98 + *(const f64_m *)&literals[49];
                        const f64 t_102 = t_100 + *(const f64_m *)&literals[50];
                        const f64 t_104 = t_102 + *(const f64_m *)&literals[51];
                        const f64 t_106 = t_104 + *(const f64_m *)&literals[52];
                        const f64 t_108 = t_106 + *(const f64_m *)&literals[53];
                        const f64 t_110 = t_108 + *(const f64_m *)&literals[54];
                        const f64 t_112 = t_110 + *(const f64_m *)&literals[55];
                        const f64 t_114 = t_112 + *(const f64_m *)&literals[56];
                        const f64 t_116 = t_114 + *(const f64_m *)&literals[57];
                        const f64 t_118 = t_116 + *(const f64_m *)&literals[58];
                        const f64 t_120 = t_118 + *(const f64_m *)&literals[59];
                        const f64 t_122 = t_120 + *(const f64_m *)&literals[60];
                        const f64 t_124 = t_122 + *(const f64_m *)&literals[61];
                        const f64 t_126 = t_124 + *(const f64_m *)&literals[62];
                        const f64 t_128 = t_126 + *(const f64_m *)&literals[63];
                        const f64 t_130 = t_128 + *(const f64_m *)&literals[64];
                        const f64 t_132 = t_130 + *(const f64_m *)&literals[65];
                        y_1[j] = t_132;
                    }
                    fetch(x_0, args->ahead, sizeof *x_0);
                    PUT_PAST(&o_1[k], n_1, w_1)
                }
                PUT_BLOCK(o_1, w_1, back, 0, w_1)
                i += back;
            }
        }
    }
}
