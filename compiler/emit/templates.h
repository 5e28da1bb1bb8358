/* The files of templates/ as texts. The build makes templates.c from them (embed.py). */
#ifndef WEFT_COMPILER_EMIT_TEMPLATES_H
#define WEFT_COMPILER_EMIT_TEMPLATES_H

extern const char weft_template_aot[];
extern const char weft_template_aot_check[];
extern const char weft_template_aot_plan[];
extern const char weft_template_aot_run[];
extern const char weft_template_aot_support[];
extern const char weft_template_aot_h[];
extern const char weft_template_aot_cuda_driver[];
extern const char weft_template_aot_cuda_gpus[];
extern const char weft_template_aot_cuda_plan[];
extern const char weft_template_aot_cuda_launch[];
extern const char weft_template_chunks[];
extern const char weft_template_launch_args[];
extern const char weft_template_launch_args_h[];
extern const char weft_template_slice[];
extern const char weft_template_slice_h[];
extern const char weft_template_walk[];
extern const char weft_template_walk_h[];
extern const char weft_template_grouping[];
extern const char weft_template_grouping_h[];
extern const char weft_template_gather[];
extern const char weft_template_lanes[];
extern const char weft_template_lanes_h[];
extern const char weft_template_tensor[];
extern const char weft_template_traffic[];
extern const char weft_template_bands[], weft_template_ends[], weft_template_calls[], weft_template_levels[];
extern const char weft_template_angles[];
extern const char weft_template_tuning_c[];
extern const char weft_template_tuning_cuda[];
extern const char weft_template_dialect[];
extern const char weft_template_args[];
extern const char weft_template_args_cuda[];
extern const char weft_template_kernel[];
extern const char weft_template_plain[];
extern const char weft_template_reduce[];
extern const char weft_template_put_c[];
extern const char weft_template_put_cuda[];
extern const char weft_template_short_rows[];
extern const char weft_template_short_c[];
extern const char weft_template_join_c[], weft_template_joins[];
extern const char weft_template_search_c[];
extern const char weft_template_kernel_cuda[];
extern const char weft_template_reduce_cuda[];
extern const char weft_template_chain_cuda[];
extern const char weft_template_prelude_c[];
extern const char weft_template_numbered_c[];
extern const char weft_template_shuffle_c[];
extern const char weft_template_transpose_c[];
extern const char weft_template_weigh_c[];
extern const char weft_template_math_c[];
extern const char weft_template_prelude_cuda[];
extern const char weft_template_access_c[];
extern const char weft_template_access_cuda[];
extern const char weft_template_page[];

#endif
