/* The names that Weft makes up for generated code: a pattern for each kind, where %d is a number and %s a word.
 *
 * Each pattern begins differently, and no type, macro, helper, library function or other name in templates/ or grammar/
 * matches one. So a generated name differs from all others, however many there are of its kind.
 * tests/large/test_names.py reads this file and checks that. In templates/kernel/access_*.h, $ is the number. */
#ifndef WEFT_COMPILER_EMIT_GENERATED_NAMES_H
#define WEFT_COMPILER_EMIT_GENERATED_NAMES_H

/* In a kernel. Numbers are those of instructions, accesses, literals or faults. */
#define NAME_LOAD "a_%d"               /* the element that an access loads */
#define NAME_LITERAL "c_%d"
#define NAME_VALUE "t_%d"              /* what an instruction computes */
#define NAME_FAULT "f_%d"
#define NAME_KEPT "v_%d"               /* the values of all elements of a block */
#define NAME_FILLED "z_%d"             /* a block filled with a literal */
#define NAME_READ "x_%d"               /* the block that an access loads */
#define NAME_WRITTEN "y_%d"            /* the block that an access stores */
#define NAME_BUFFER "w_%d"             /* the memory of such a block if it is not used in place */
#define NAME_PLACE "o_%d"              /* the position in the tensor */
#define NAME_ADDRESS "p_%d"
#define NAME_STREAMED "n_%d"           /* whether it is written past the caches */
#define NAME_RECIPROCAL "r_%d"         /* of a divisor, for each element of its period */
#define NAME_ROW "from_%d"             /* the row that a buffer holds */
#define NAME_REPEATS "repeats_%d"      /* where the row's pattern is */
#define NAME_REPEATED_ROW "row_%d"     /* the row that a load repeats */
#define NAME_TAIL "tail_%d"            /* its last elements */
#define NAME_KEPT_ROWS "kept_%d"       /* rows whose patterns a buffer has, and of which geometry they are */
#define NAME_PHASE "phase_%d"
#define NAME_TURN "turn_%d"
#define NAME_NEXT "next_%d"            /* bytes to the next tile; where rows slide, the next row */
#define NAME_PACE "pace_%d"            /* bytes from that row to the one behind it */
#define NAME_LAID "laid_%d"            /* whether transposed rows went straight to the result */
#define NAME_MORE "more_%d"            /* whether a piece of a row is gathered */
#define NAME_GROUP "group_%d"          /* its first group, how many there are, and those of the tile */
#define NAME_MANY "many_%d"
#define NAME_BEGIN "begin_%d"
#define NAME_END "end_%d"
#define NAME_FIRST "at_%d"             /* where the elements of its first group are, and how far those of the next */
#define NAME_JUMP "jump_%d"
#define NAME_PITCH "pitch_%d"          /* elements from row to row of a tile of groups */
#define NAME_PARTS "parts_%d"          /* places where groups are read, and how many of each are fetched for a row */
#define NAME_SHARE "share_%d"
#define NAME_BEGUN "begun_%d_%d"       /* where rows slide: a value of so many rows before, for each column; */
#define NAME_BEFORE "before_%d_%d"     /* those of a block; */
#define NAME_EARLIER "e_%d_%d"         /* that of an element; */
#define NAME_AFTER "after_%d_%d"       /* where what takes the block's place goes; */
#define NAME_SPARE "spare_%d_%d"       /* of fewer elements than a block, at first */
#define NAME_ORDER "order_%d"          /* how parts of vectors are ordered to make groups */
#define NAME_COLUMN "column_%d"        /* where a row is whose groups are one element each */

/* Beside a kernel: functions for an operation on a type, and replacements of library functions. */
#define NAME_BLOCK_FUNCTION "block_%s_%s"
#define NAME_ROW_FUNCTION "single_%s_%s"
#define NAME_OWN_FUNCTION "own_%s"

/* The function that is compiled is called weft_kernel. Kernels that are kept have a suffix. */
#define NAME_ENTRY "weft_kernel"
#define NAME_KEPT_ENTRY NAME_ENTRY "_%s"

/* In a text of several kernels on a GPU: what kernel number %d defines, and its arguments. */
#define NAME_CHAINED "chained_%d_%s"
#define NAME_PARAMETERS "parameters_%d"

/* In a source made ahead of time. The first word is the name of the kernel in the text. Numbers are those of its loops,
 * and within a loop those of classes or constants. */
#define NAME_GUARD "WEFT_KERNELS_%s_H" /* of a header, named after its file */
#define NAME_TABLES "weft_tables_%s"
#define NAME_OPERANDS "operands_%s"
#define NAME_FORMS "forms_%s"          /* of results */
#define NAME_REPLACES "replaces_%s"
#define NAME_TEMPORARIES "temporaries_%s"
#define NAME_LOOPS "loops_%s"
#define NAME_NOTES "notes_%s"
#define NAME_EXTENTS "extents_%s"
#define NAME_SHAPE "shape_%s_%d"
#define NAME_HOST "host_%s_%s"         /* a helper of what the host computes of numbers */
#define NAME_CLASSES "classes_%s_%d"
#define NAME_ACCESSES "accesses_%s_%d"
#define NAME_MAPS "maps_%s_%d"
#define NAME_AXES "axes_%s_%d_%d"      /* of a map of a loop */
#define NAME_FAULTS "faults_%s_%d"
#define NAME_JOINED "joined_%s_%d"     /* how a loop with reduced dimensions joins its values */
#define NAME_LITERALS "literals_%s_%d"
#define NAME_CONSTANT "constant_%s_%d_%d"
#define NAME_LOOP "loop_%s_%d_%s"      /* the last word stands for its accesses */
#define NAME_JOINING "join_%s_%d"      /* one that joins what lies in memory, by the number of how it joins */
#define NAME_CODES "codes_%s_%d_%d"
#define NAME_CODE "code_%s_%d_%d_%s"   /* for an architecture */

#define NAME_NUMBER "d_%d"             /* in plain functions: a number that a call computes, */
#define NAME_VALUES "values_%d"        /* values of the elements of a block */

/* In the same sources: shapes in functions whose parameters have the text's names; a name of Weft's own that a function
 * of the text also has; and what is compiled for an instruction set (spelled in templates/aot). */
#define NAME_GIVEN_SHAPE "weft_shape_%d"
#define NAME_MOVED "weft_own_%s"
#define NAME_AT_LEVEL "weft_v%d_%s"

#endif
