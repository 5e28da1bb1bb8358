/* Shared libraries that are looked for at run time and never linked. */
#ifndef WEFT_LIBRARY_H
#define WEFT_LIBRARY_H

/* The path an open library was loaded from, as long as it is open; "" when the loader does not say. */
const char *library_path(void *library);

#endif
