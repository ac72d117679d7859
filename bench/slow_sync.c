/*
 * A slower disk for the benchmark: every sync takes so many microseconds more,
 * the raw ones and those of the store alike.
 *
 *   gcc -O2 -shared -fPIC -o slow_sync.so bench/slow_sync.c -ldl
 *   SLOW_SYNC_MICROS=500 LD_PRELOAD=./slow_sync.so \
 *       target/release/mnemon-bench --only remember_16_threads
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static int slowly(const char *name, int file) {
    int (*sync)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    const char *micros = getenv("SLOW_SYNC_MICROS");
    long nanos = micros ? atol(micros) * 1000 : 0;
    struct timespec pause = {nanos / 1000000000, nanos % 1000000000};
    int outcome = sync(file);
    nanosleep(&pause, NULL);
    return outcome;
}

int fdatasync(int file) { return slowly("fdatasync", file); }

int fsync(int file) { return slowly("fsync", file); }
