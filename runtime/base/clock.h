/* A clock for durations. */
#ifndef WEFT_RUNTIME_BASE_CLOCK_H
#define WEFT_RUNTIME_BASE_CLOCK_H

/* Seconds since some moment in the past. They never run backwards. */
double clock_seconds(void);

#endif
