/* See help.h. */
#include "cli/help.h"

#define VALUES                                                                                     \
    "A value is a literal (1.5, true, [1, 2, 3]), a file (.npy, file.npz:KEY, .png,\n"             \
    ".jpg, .ppm), or - for a .npy on standard input. An .npz, a directory of files\n"             \
    "or a quoted pattern ('photos/*.jpg') is a batch: samples of one dtype and one\n"             \
    "rank, of any shapes, in the archive's order or that of their names.\n"                       \
    "name:uint8=VALUE converts a literal and checks files; name@HWC=VALUE names the\n"            \
    "dimensions. A picture is (height, width, channels), as stored: EXIF turns none.\n"            \
    "bfloat16 in a .npy is a void of two bytes and needs name:bfloat16=VALUE.\n"

const char help_overall[] = "usage: weft COMMAND [ARGUMENT ...]\n"
                            "\n"
                            "Compiles array expressions into one fused kernel and runs it.\n"
                            "\n"
                            "  run     compute an expression or a .weft file\n"
                            "  show    print what the compiler makes of it, stage by stage\n"
                            "  check   parse, type and shape it; run nothing\n"
                            "  build   make C sources of the kernels in a .weft file\n"
                            "  cache   show or remove the kernels kept on disk\n"
                            "  ops     list every operation of the language\n"
                            "  doctor  what Weft finds on this machine, and what is missing\n"
                            "\n"
                            "'weft COMMAND --help' says more. Try:\n"
                            "  weft run 'clamp(img * gain, 0, 255)' 'img=[10, 100, 200]' gain=1.5\n"
                            "\n"
                            "Exit status: 0 done, 1 the result could not be made, 2 wrong usage.\n";

const char help_run[] =
    "usage: weft run EXPR | FILE.weft[:kernel] [name=value ...]\n"
    "                [-o PATH | -o name=PATH ...]\n"
    "\n"
    "Computes a program. Without -o the results are printed, long ones shortened.\n"
    "\n" VALUES "\n"
    "  -o, --output PATH        write the only result; the extension tells the kind:\n"
    "                           .npy, .npz, .png; - is .npy on stdout. A batch goes\n"
    "                           to an .npz, under its input's keys, or, if it is of\n"
    "                           pictures, to a directory, new or empty: PNG files\n"
    "                           under its input's names\n"
    "  -o, --output name=PATH   write one of several results, or a binding\n"
    "      --math strict|fast   strict (default): every operation rounds once;\n"
    "                           fast: may contract, reorder and approximate\n"
    "      --tier TIER          exact (default): libtcc's kernel runs until the C\n"
    "                           compiler is done, where both give the same bits;\n"
    "                           fast: always; none: never\n"
    "      --target TARGET      c: on the host; cuda: on the first GPU, which copies\n"
    "                           values there and results back; auto (default): where\n"
    "                           the data are, so what comes from files runs in C\n"
    "      --threads N          at most N threads, to compute and to read and write\n"
    "                           pictures; default: OpenMP's choice\n"
    "      --time               print compile time, run time, threads and GB/s\n"
    "  -q, --quiet              no warnings\n"
    "      --                   before an expression that begins with '-'\n"
    "\n"
    "Environment: WEFT_CC names the C compiler, WEFT_CFLAGS further flags for it;\n"
    "WEFT_CACHE as in 'weft cache --help'; WEFT_TARGET is the default target;\n"
    "CUDA_HOME is where NVRTC is looked for first; OMP_NUM_THREADS.\n"
    "\n"
    "Example:\n"
    "  weft run 'uint8(img * gain)' img=photo.png gain=1.5 -o brighter.png\n"
    "  weft run 'uint8(img * gain)' img=photos/ gain=1.5 -o brighter/\n";

const char help_show[] =
    "usage: weft show EXPR | FILE.weft[:kernel] [name=type|value ...]\n"
    "                 [--stage STAGE] [--arch ARCH]\n"
    "\n"
    "Prints what the compiler makes of a program. A type is written as in the\n"
    "language, uint8[480, 640, 3]@HWC; of a value only type and shape count, of a\n"
    "batch those of its first sample.\n"
    "\n"
    "      --stage STAGE        tokens, ast, types, groups, ir, c, asm, cuda, ptx,\n"
    "                           sass or all (default): those that this machine can\n"
    "                           make. ptx and sass want NVRTC, sass also cuobjdump\n"
    "                           or nvdisasm of the CUDA toolkit; none wants a GPU\n"
    "      --arch sm_90         the GPU that cuda, ptx and sass are for; default: the\n"
    "                           first one of this machine, else sm_90\n"
    "      --math strict|fast   as for 'weft run'\n"
    "  -q, --quiet              no warnings\n"
    "\n"
    "Example:\n"
    "  weft show 'a * b + 1' 'a=float32[480, 640, 3]' 'b=float32[3]' --stage c\n"
    "  weft show 'a * b' 'a=float32[640, 3]' 'b=float32[3]' --stage ptx\n";

const char help_check[] =
    "usage: weft check EXPR | FILE.weft[:kernel] [name=type|value ...]\n"
    "\n"
    "Parses, types and shapes a program, or every kernel of a file; runs nothing.\n"
    "Prints one line per result. Of a picture or a batch only headers are read; an\n"
    "extent that differs from sample to sample is printed as ?.\n"
    "\n"
    "  -q, --quiet              no warnings\n"
    "\n"
    "Example:\n"
    "  weft check 'a / b' 'a=uint8[480, 640, 3]' 'b=float32[3]'\n";

const char help_build[] =
    "usage: weft build FILE.weft -o DIR [--bundle NAME] [--isa LEVELS] [--openmp]\n"
    "                  [--depfile PATH] [--check | --list]\n"
    "\n"
    "Makes a C header and a C source of each kernel in a file: DIR/KERNEL.h and\n"
    "DIR/KERNEL.c. They depend on the C library and libm alone, not on Weft; the\n"
    "header says what to call, also from C++. Parameters need types with dimensions,\n"
    "as in float32[h, w, 3]. The same file gives the same texts, on every machine.\n"
    "All files appear or, when anything is wrong, none; DIR is made if need be.\n"
    "\n"
    "  -o, --output DIR         where the files go\n"
    "      --target c           what to make\n"
    "      --bundle NAME        one pair, DIR/NAME.h and DIR/NAME.c, for all kernels\n"
    "      --isa LEVELS         loops for x86-64-v2, x86-64-v3, x86-64-v4 (with commas\n"
    "                           between) besides those for what the source is compiled\n"
    "                           for; the best that the processor has runs\n"
    "      --openmp             large work takes several threads, where the source is\n"
    "                           compiled with -fopenmp\n"
    "      --depfile PATH       also write what the files depend on, for make or ninja\n"
    "      --check              write nothing; fail when a file is missing or differs\n"
    "                           from what would be written\n"
    "      --list               write nothing; print the paths that would be written\n"
    "  -q, --quiet              no warnings\n"
    "\n"
    "Example:\n"
    "  weft build filters.weft -o generated && cc -O2 -c generated/blur.c\n";

const char help_cache[] =
    "usage: weft cache path | list | verify | prune [--size SIZE] | clear\n"
    "\n"
    "Compiled kernels are kept on disk for later processes.\n"
    "\n"
    "  path      print the directory\n"
    "  list      print each kernel's key, last use, size and compiler\n"
    "  verify    read and check every kernel; name those that are damaged, and exit\n"
    "            with 1 if there are any. They stay until they are wanted again, and\n"
    "            are then compiled anew\n"
    "  prune     remove kernels used longest ago when there is more than SIZE, and\n"
    "            what processes that died left behind\n"
    "  clear     remove all kernels\n"
    "\n"
    "      --size SIZE   bytes, or with K, M, G or T behind; default 256M\n"
    "  -q, --quiet       no warnings\n"
    "\n"
    "Environment: WEFT_CACHE names the directory, empty for none (default: weft in\n"
    "XDG_CACHE_HOME, else ~/.cache/weft); WEFT_CACHE_SIZE is the default size.\n"
    "\n"
    "Example:\n"
    "  weft cache prune --size 64M\n";

const char help_ops[] =
    "usage: weft ops [--format text|md|json]\n"
    "\n"
    "Lists every operation: its names, parameters, accuracy, meaning and type.\n"
    "\n"
    "Example:\n"
    "  weft ops --format json\n";

const char help_doctor[] =
    "usage: weft doctor [--format text|json]\n"
    "\n"
    "Says what Weft finds on this machine: C compilers and libtcc, each tried on a\n"
    "small kernel, vector functions, the kernel cache, NVRTC, the CUDA driver and\n"
    "its GPUs; what is missing, and how to get it. Takes about a second. Exit\n"
    "status: 0 programs can run, 1 they cannot.\n"
    "\n"
    "Example:\n"
    "  weft doctor --format json\n";
