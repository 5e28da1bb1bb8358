/* The functions with which kernels in C join what they reduce: templates/shared/joins.c for each row of joins.def, for
 * each width of vectors. */
#include "runtime/kernels/kernels.h"
#include "templates/shared/levels.h"

#include <string.h>

#define MAY_ALIAS __attribute__((may_alias))
#define SEPARATE __attribute__((noinline))
#define ALIGNED __attribute__((aligned(64)))
#if defined __clang__
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#define ROLLED _Pragma("clang loop unroll(disable)")
#define EACH(j, count) INDEPENDENT for (int j = 0; j < count; j++)
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#define ROLLED _Pragma("GCC unroll 1")
#define EACH(j, count) INDEPENDENT ROLLED for (int j = 0; j < count; j++)
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
#pragma GCC optimize("O3")
#endif
#endif
#define OWN(name) name

#define TYPE(name, type) typedef type name; typedef type name##_m MAY_ALIAS;
TYPE(b1, _Bool)
TYPE(i8, signed char)
TYPE(u8, unsigned char)
TYPE(i16, short)
TYPE(u16, unsigned short)
TYPE(i32, int)
TYPE(u32, unsigned)
TYPE(i64, long long)
TYPE(u64, unsigned long long)
TYPE(f32, float)
TYPE(f64, double)

/* Each row's names are its own: they have its number, and the width. */
#define JOIN_NAMES(name, kind, level) name##_##kind##_##level
#define JOIN_NAMED(name, kind, level) JOIN_NAMES(name, kind, level)
#define NAMED(name) JOIN_NAMED(name, KIND, LEVEL)
#define OWN_JOIN(kind) JOIN_NAMED(joined, kind, LEVEL)
#define OWN_PLACE(kind) JOIN_NAMED(placed, kind, LEVEL)
#define acc_t NAMED(acc_t)
#define acc_v NAMED(acc_v)
#define tree_t NAMED(tree_t)
#define tree_v NAMED(tree_v)
#define stage_t NAMED(stage_t)
#define stage_v NAMED(stage_v)
#define half_v NAMED(half_v)
#define out_t NAMED(out_t)
#define INNER NAMED(INNER)
#define MAX_LANES NAMED(MAX_LANES)
#define ORDERED NAMED(ORDERED)
#define HALF NAMED(HALF)
#define SIDE NAMED(SIDE)
#define PER_VECTOR NAMED(PER_VECTOR)
#define join_acc NAMED(join_acc)
#define join_tree NAMED(join_tree)
#define LANE_COUNT NAMED(LANE_COUNT)
#define fill_lanes NAMED(fill_lanes)
#define row_word NAMED(row_word)
#define row_words NAMED(row_words)
#define PER_REGISTER NAMED(PER_REGISTER)
#define ROW_REGISTERS NAMED(ROW_REGISTERS)
#define some_of NAMED(some_of)
#define load_some NAMED(load_some)
#define unread_words NAMED(unread_words)
#define absent_words NAMED(absent_words)
#define last_words NAMED(last_words)
#define join_words NAMED(join_words)
#define half_words NAMED(half_words)
#define row_floats NAMED(row_floats)
#define LANES NAMED(LANES)
#define row_beside NAMED(row_beside)
#define row_bits NAMED(row_bits)
#define load_words NAMED(load_words)
#define both_of NAMED(both_of)
#define raw_words NAMED(raw_words)
#define unordered_words NAMED(unordered_words)
#define begin_beside NAMED(begin_beside)
#define meet_beside NAMED(meet_beside)
#define exact_words NAMED(exact_words)
#define bits_of_words NAMED(bits_of_words)
#define words_of_bytes NAMED(words_of_bytes)
#define keep_beside NAMED(keep_beside)
#define exact_results NAMED(exact_results)
#define join_either NAMED(join_either)
#define few_words NAMED(few_words)
#define join_lanes_at NAMED(join_lanes_at)
#define many_words NAMED(many_words)
#define join_registers NAMED(join_registers)
#define words_of_rows NAMED(words_of_rows)
#define join_some_rows NAMED(join_some_rows)
#define join_short_rows NAMED(join_short_rows)
#define join_rows_of_lanes NAMED(join_rows_of_lanes)
#define join_long NAMED(join_long)
#define join_raw NAMED(join_raw)
#define join_four NAMED(join_four)
#define extreme_raw NAMED(extreme_raw)
#define meet_nans NAMED(meet_nans)
#define begin_raw NAMED(begin_raw)
#define end_raw NAMED(end_raw)
#define keys_of NAMED(keys_of)
#define join_pair NAMED(join_pair)
#define join_floats NAMED(join_floats)
#define place_extremes NAMED(place_extremes)
#define place_nans NAMED(place_nans)
#define place_rows NAMED(place_rows)
#define place_bits NAMED(place_bits)
#define place_words NAMED(place_words)
#define place_registers NAMED(place_registers)
#define lanes_of NAMED(lanes_of)
#define join_short NAMED(join_short)
#define bits_of NAMED(bits_of)
#define last_bits NAMED(last_bits)
#define true_bytes NAMED(true_bytes)
#define join_bits NAMED(join_bits)
#define join_long_bits NAMED(join_long_bits)
#define BYTES_MOST NAMED(BYTES_MOST)
#define pairs_of NAMED(pairs_of)
#define word_at NAMED(word_at)
#define sum_of NAMED(sum_of)
#define add_few NAMED(add_few)
#define add_words NAMED(add_words)
#define join_bytes NAMED(join_bytes)
#define key_of NAMED(key_of)
#define of_key NAMED(of_key)
#define near NAMED(near)
#define begin_lanes NAMED(begin_lanes)
#define plant_lanes NAMED(plant_lanes)
#define harvest NAMED(harvest)
#define fold_whole NAMED(fold_whole)
#define rest_of NAMED(rest_of)
#define fold_run NAMED(fold_run)
#define pair NAMED(pair)
#define join_lanes NAMED(join_lanes)
#define join_points NAMED(join_points)
#define join_block NAMED(join_block)
#define fold_few NAMED(fold_few)
#define fold_block NAMED(fold_block)
#define fold_blocks NAMED(fold_blocks)
#define end_rows NAMED(end_rows)
#define join_beside NAMED(join_beside)
#define join_blocks NAMED(join_blocks)
#define finish_point NAMED(finish_point)
#define join_side NAMED(join_side)
#define join_rows NAMED(join_rows)
#define join_sixteen NAMED(join_sixteen)
#define join_eights NAMED(join_eights)
#define keep NAMED(keep)
#define place_of NAMED(place_of)
#define fold_four NAMED(fold_four)
#define this_join NAMED(joined)
#define FEW NAMED(FEW)
#define PIECE NAMED(PIECE)
#define MANY_KEYS NAMED(MANY_KEYS)
#define FEW_KEYS NAMED(FEW_KEYS)
#define FLIP NAMED(FLIP)
#define places_of_keys NAMED(places_of_keys)
#define least_of_few NAMED(least_of_few)
#define least_of_short NAMED(least_of_short)
#define least_of_eights NAMED(least_of_eights)
#define least_of_many NAMED(least_of_many)
#define extreme_byte NAMED(extreme_byte)
#define extreme_of_sixteen NAMED(extreme_of_sixteen)
#define extreme_of_some NAMED(extreme_of_some)
#define extreme_of_few NAMED(extreme_of_few)
#define join_extreme_bytes NAMED(join_extreme_bytes)
#define comes_before NAMED(comes_before)
#define place_short NAMED(place_short)
#define place_of_lines NAMED(place_of_lines)
#define place_packed NAMED(place_packed)
#define extreme_lanes NAMED(extreme_lanes)
#define extreme_one NAMED(extreme_one)
#define magnitude NAMED(magnitude)
#define extreme_of NAMED(extreme_of)
#define extremes_of NAMED(extremes_of)
#define first_of_few NAMED(first_of_few)
#define equal_bits NAMED(equal_bits)
#define first_equal NAMED(first_equal)
#define place_of_run NAMED(place_of_run)
#define begin_place NAMED(begin_place)
#define fold_place NAMED(fold_place)
#define place_points NAMED(place_points)
#define place_beside NAMED(place_beside)
#define plant_place NAMED(plant_place)
#define finish_place NAMED(finish_place)
#define this_place NAMED(placed)

#if defined SEVERAL_WIDTHS
PUSH("avx2")
#define LEVEL 32
#define JOINS joins_32
#define PLACES places_32
#include "joins_rows.h"
#undef LEVEL
#undef JOINS
#undef PLACES
POP

PUSH("avx512f,avx512bw,avx512vl,avx512dq")
#define LEVEL 64
#define JOINS joins_64
#define PLACES places_64
#include "joins_rows.h"
#undef LEVEL
#undef JOINS
#undef PLACES
POP
#endif

#define LEVEL 16
#define JOINS joins_16
#define PLACES places_16
#include "joins_rows.h"
