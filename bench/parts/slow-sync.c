/*
 * Library that is preloaded into a service (`bench/disks.ts`). Each fdatasync and fsync waits for SYNC_MS milliseconds,
 * and then calls the real function, so a file has the same contents as without the library.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

#define SYNC(name)                                                        \
  int name(int file) {                                                    \
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, #name);             \
    struct timespec left = {0, SYNC_MS * 1000000L};                       \
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) != 0) {      \
    }                                                                     \
    return real(file);                                                    \
  }
SYNC(fdatasync)
SYNC(fsync)
