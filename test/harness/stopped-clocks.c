/*
 * Library that is preloaded into a process, whose clocks are then behind those of the machine, as if it ran in a virtual
 * machine that was paused. CLOCKS_BEHIND is the path of a file with a number of 64 bits: by how many ns they are behind.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL
static volatile int64_t *behind;

__attribute__((constructor)) static void map_file(void) {
  const char *path = getenv("CLOCKS_BEHIND");
  int file = path ? open(path, O_RDONLY) : -1;
  if (file < 0) return;
  void *mapped = mmap(0, sizeof *behind, PROT_READ, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) behind = mapped;
  close(file);
}

static void add(struct timespec *time, int64_t ns) {
  int64_t total = time->tv_sec * SECOND + time->tv_nsec + ns;
  time->tv_sec = total / SECOND;
  time->tv_nsec = total % SECOND;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = syscall(SYS_clock_gettime, clock, time);
  /* The clocks of processor time stop by themselves while a process is stopped. */
  if (result == 0 && behind && clock != CLOCK_PROCESS_CPUTIME_ID && clock != CLOCK_THREAD_CPUTIME_ID) add(time, -*behind);
  return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  struct timespec precise;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &precise);
  time->tv_sec = precise.tv_sec;
  time->tv_usec = precise.tv_nsec / 1000;
  return 0;
}

/* The caller has computed the time from the clocks above, and the real function compares it with those of the machine. */
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
  int (*real)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *) =
      (int (*)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *))dlsym(RTLD_NEXT, "pthread_cond_timedwait");
  struct timespec shifted = *until;
  if (behind) add(&shifted, *behind);
  return real(condition, mutex, &shifted);
}
