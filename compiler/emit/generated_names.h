/* The names that Weft makes up for what it generates: a pattern for each kind, %d a number, %s a word.
 *
 * Each pattern begins in a way of its own, and no type, macro, helper, library function or other name that stands
 * in templates/ or grammar/ matches one. So a name is told apart from all others however many there are of its
 * kind; tests/large/test_names.py reads this file and checks it. In templates/access_*.h the number is $. */
#ifndef WEFT_GENERATED_NAMES_H
#define WEFT_GENERATED_NAMES_H

/* In a kernel: numbers are those of instructions, of accesses, literals or faults. */
#define NAME_LOAD "a_%d"               /* the element that an access loads */
#define NAME_LITERAL "c_%d"
#define NAME_VALUE "t_%d"              /* what an instruction computes */
#define NAME_FAULT "f_%d"
#define NAME_KEPT "v_%d"               /* a value of all elements of a block */
#define NAME_FILLED "z_%d"             /* a literal, once for each element of a block */
#define NAME_READ "x_%d"               /* the block that an access loads */
#define NAME_WRITTEN "y_%d"            /* the block that it stores */
#define NAME_BUFFER "w_%d"             /* where such a block lies that is not used in place */
#define NAME_PLACE "o_%d"              /* where in the tensor */
#define NAME_ADDRESS "p_%d"
#define NAME_STREAMED "n_%d"           /* whether it is written past the caches */
#define NAME_ROW "from_%d"             /* the row that a buffer holds */
#define NAME_PHASE "phase_%d"
#define NAME_TURN "turn_%d"

/* Beside a kernel: functions for an operation and a type, and in place of a library function. */
#define NAME_BLOCK_FUNCTION "block_%s_%s"
#define NAME_ROW_FUNCTION "single_%s_%s"
#define NAME_OWN_FUNCTION "own_%s"

/* What is compiled is called weft_kernel; kept kernels are told apart. */
#define NAME_ENTRY "weft_kernel"
#define NAME_KEPT_ENTRY NAME_ENTRY "_%s"

/* In a source that is compiled ahead of time: the first word is the name of the kernel in the text, numbers are
 * those of its loops, and within a loop of its classes or constants. */
#define NAME_GUARD "WEFT_KERNELS_%s_H" /* of a header, after its file */
#define NAME_TABLES "weft_tables_%s"
#define NAME_OPERANDS "operands_%s"
#define NAME_FORMS "forms_%s"          /* of results */
#define NAME_REPLACES "replaces_%s"
#define NAME_TEMPORARIES "temporaries_%s"
#define NAME_PARTS "parts_%s"
#define NAME_NOTES "notes_%s"
#define NAME_EXTENTS "extents_%s"
#define NAME_SHAPE "shape_%s_%d"
#define NAME_CLASSES "classes_%s_%d"
#define NAME_ACCESSES "accesses_%s_%d"
#define NAME_MAPS "maps_%s_%d"
#define NAME_AXES "axes_%s_%d_%d"      /* of a map of a loop */
#define NAME_FAULTS "faults_%s_%d"
#define NAME_LITERALS "literals_%s_%d"
#define NAME_CONSTANT "constant_%s_%d_%d"
#define NAME_LOOP "loop_%s_%d_%s"      /* the last word is for its accesses */
#define NAME_CODES "codes_%s_%d_%d"
#define NAME_CODE "code_%s_%d_%d_%s"   /* for an architecture */

/* There, in functions whose parameters have the text's names; a name of ours that a function of the text has; and
 * what is compiled for an instruction set, which templates/aot.c spells. */
#define NAME_GIVEN_SHAPE "weft_shape_%d"
#define NAME_MOVED "weft_own_%s"
#define NAME_AT_LEVEL "weft_v%d_%s"

#endif
