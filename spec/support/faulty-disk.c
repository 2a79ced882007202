/*
 * A disk that fails as it is told to: loaded before the C library (LD_PRELOAD), it stands between a process and the files
 * of one folder. What it does is read from a file that both map, FAULTS_CONTROL, an array of 32-bit numbers:
 *
 *   0 errno of writes            4 microseconds that each sync takes longer
 *   1 errno of syncs             5 octets that one write takes at most, 0 for any
 *   2 errno of reads             6 writes that are let through before the first one fails
 *   3 errno of opening for       7 not 0: where a sync fails, what was written since the one before is
 *     writing, of truncating,      lost, and the next sync says nothing of it
 *     removing and renaming
 *
 * A negative delay of syncs lasts until another one is told. From place 8 on it counts what it failed: writes, syncs, reads, openings, shortened writes, lost writes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITES, SYNCS, READS, OPENS, DELAY, SHORT, PASSES, LOSES, FAILED_WRITES, FAILED_SYNCS, FAILED_READS, FAILED_OPENS,
       SHORTENED, LOST, PLACES };

static volatile int32_t none[PLACES];
static volatile int32_t *control = none;
static char folder[PATH_MAX];
static size_t folder_length;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* One write that was not synced yet, and what stood there before; the latest comes first. */
struct unsynced {
  struct unsynced *next;
  dev_t device;
  ino_t inode;
  off_t offset;
  size_t length;
  char before[];
};
static struct unsynced *unsynced;

#define REAL(name, type) static type real; if (!real) real = (type)dlsym(RTLD_NEXT, name)
typedef int (*open_type)(const char *, int, ...);
typedef int (*openat_type)(int, const char *, int, ...);
typedef ssize_t (*pread_type)(int, void *, size_t, off_t);
typedef ssize_t (*pwrite_type)(int, const void *, size_t, off_t);
typedef ssize_t (*read_type)(int, void *, size_t);
typedef ssize_t (*write_type)(int, const void *, size_t);
typedef ssize_t (*writev_type)(int, const struct iovec *, int);
typedef ssize_t (*pwritev_type)(int, const struct iovec *, int, off_t);
typedef int (*sync_type)(int);
typedef int (*truncate_type)(int, off_t);
typedef int (*path_type)(const char *);
typedef int (*paths_type)(const char *, const char *);

static void set_up(void) {
  const char *file = getenv("FAULTS_CONTROL");
  const char *of = getenv("FAULTS_FOLDER");
  if (file == NULL || of == NULL) return;
  folder_length = strlen(of);
  if (folder_length >= sizeof folder) return;
  memcpy(folder, of, folder_length);
  REAL("open", open_type);
  int handle = real(file, O_RDWR | O_CLOEXEC);
  if (handle < 0) return;
  void *mapped = mmap(NULL, PLACES * sizeof(int32_t), PROT_READ | PROT_WRITE, MAP_SHARED, handle, 0);
  close(handle);
  if (mapped != MAP_FAILED) control = mapped;
}

static int32_t told(int place) {
  pthread_once(&once, set_up);
  return control[place];
}

static void count(int place) { __atomic_add_fetch((int32_t *)&control[place], 1, __ATOMIC_SEQ_CST); }

static int is_path_ours(const char *path) {
  if (folder_length == 0 || path == NULL) return 0;
  return strncmp(path, folder, folder_length) == 0 && (path[folder_length] == '/' || path[folder_length] == 0);
}

static int is_ours(int handle) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return is_path_ours(path);
}

static int fails(int place, int counted) {
  int error = told(place);
  if (error == 0) return 0;
  count(counted);
  errno = error;
  return 1;
}

/* Whether a write fails now: some may be let through first. */
static int write_fails(void) {
  if (told(WRITES) == 0) return 0;
  if (__atomic_sub_fetch((int32_t *)&control[PASSES], 1, __ATOMIC_SEQ_CST) >= 0) return 0;
  control[PASSES] = 0;
  return fails(WRITES, FAILED_WRITES);
}

static int is_at_work(void) { return told(WRITES) || told(SHORT) || told(LOSES); }

static size_t shortened(size_t length) {
  size_t most = (size_t)told(SHORT);
  if (most == 0 || length <= most) return length;
  count(SHORTENED);
  return most;
}

static void remember(int handle, size_t length, off_t offset) {
  if (!told(LOSES)) return;
  REAL("pread64", pread_type);
  struct stat status;
  struct unsynced *entry = malloc(sizeof *entry + length);
  if (entry == NULL || fstat(handle, &status) != 0) { free(entry); return; }
  /* Beyond the end, and where nobody may read, it was zeros. */
  memset(entry->before, 0, length);
  if (real(handle, entry->before, length, offset) < 0) memset(entry->before, 0, length);
  *entry = (struct unsynced){ .device = status.st_dev, .inode = status.st_ino, .offset = offset, .length = length };
  pthread_mutex_lock(&mutex);
  entry->next = unsynced;
  unsynced = entry;
  pthread_mutex_unlock(&mutex);
}

/* Forgets the unsynced writes of a file, or takes them back. */
static void settle(int handle, int is_lost) {
  REAL("pwrite64", pwrite_type);
  struct stat status;
  if (fstat(handle, &status) != 0) return;
  pthread_mutex_lock(&mutex);
  for (struct unsynced **at = &unsynced; *at != NULL;) {
    struct unsynced *entry = *at;
    if (entry->device != status.st_dev || entry->inode != status.st_ino) { at = &entry->next; continue; }
    if (is_lost && real(handle, entry->before, entry->length, entry->offset) >= 0) count(LOST);
    *at = entry->next;
    free(entry);
  }
  pthread_mutex_unlock(&mutex);
}

ssize_t pwrite64(int handle, const void *octets, size_t length, off_t offset) {
  REAL("pwrite64", pwrite_type);
  if (!is_at_work() || !is_ours(handle)) return real(handle, octets, length, offset);
  if (write_fails()) return -1;
  length = shortened(length);
  remember(handle, length, offset);
  return real(handle, octets, length, offset);
}
ssize_t pwrite(int handle, const void *octets, size_t length, off_t offset) {
  return pwrite64(handle, octets, length, offset);
}

ssize_t write(int handle, const void *octets, size_t length) {
  REAL("write", write_type);
  if (!is_at_work() || !is_ours(handle)) return real(handle, octets, length);
  if (write_fails()) return -1;
  length = shortened(length);
  off_t offset = lseek(handle, 0, SEEK_CUR);
  if (offset >= 0) remember(handle, length, offset);
  return real(handle, octets, length);
}

ssize_t writev(int handle, const struct iovec *parts, int count_of_parts) {
  REAL("writev", writev_type);
  if (is_at_work() && is_ours(handle) && write_fails()) return -1;
  return real(handle, parts, count_of_parts);
}
ssize_t pwritev64(int handle, const struct iovec *parts, int count_of_parts, off_t offset) {
  REAL("pwritev64", pwritev_type);
  if (is_at_work() && is_ours(handle) && write_fails()) return -1;
  return real(handle, parts, count_of_parts, offset);
}
ssize_t pwritev(int handle, const struct iovec *parts, int count_of_parts, off_t offset) {
  return pwritev64(handle, parts, count_of_parts, offset);
}

static int synced(int handle, sync_type real) {
  /* What was written before the faults ended is synced by this one, and not lost any more. */
  int has_unsynced = __atomic_load_n(&unsynced, __ATOMIC_SEQ_CST) != NULL;
  if (!(told(SYNCS) || told(DELAY) || has_unsynced) || !is_ours(handle)) return real(handle);
  while (told(DELAY) < 0) usleep(1000);
  if (told(DELAY)) usleep((useconds_t)told(DELAY));
  if (fails(SYNCS, FAILED_SYNCS)) {
    int error = errno;
    settle(handle, told(LOSES));
    errno = error;
    return -1;
  }
  int result = real(handle);
  if (result == 0) settle(handle, 0);
  return result;
}
int fsync(int handle) {
  REAL("fsync", sync_type);
  return synced(handle, real);
}
int fdatasync(int handle) {
  REAL("fdatasync", sync_type);
  return synced(handle, real);
}

ssize_t pread64(int handle, void *octets, size_t length, off_t offset) {
  REAL("pread64", pread_type);
  if (told(READS) && is_ours(handle) && fails(READS, FAILED_READS)) return -1;
  return real(handle, octets, length, offset);
}
ssize_t pread(int handle, void *octets, size_t length, off_t offset) { return pread64(handle, octets, length, offset); }
ssize_t read(int handle, void *octets, size_t length) {
  REAL("read", read_type);
  if (told(READS) && is_ours(handle) && fails(READS, FAILED_READS)) return -1;
  return real(handle, octets, length);
}

static int open_fails(const char *path, int flags) {
  int writes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT);
  return writes && told(OPENS) && is_path_ours(path) && fails(OPENS, FAILED_OPENS);
}
#define MODE(flags, last) \
  mode_t mode = 0; \
  if ((flags) & (O_CREAT | O_TMPFILE)) { va_list list; va_start(list, last); mode = va_arg(list, mode_t); va_end(list); }

int open64(const char *path, int flags, ...) {
  MODE(flags, flags);
  REAL("open64", open_type);
  return open_fails(path, flags) ? -1 : real(path, flags, mode);
}
int open(const char *path, int flags, ...) {
  MODE(flags, flags);
  REAL("open", open_type);
  return open_fails(path, flags) ? -1 : real(path, flags, mode);
}
int openat64(int at, const char *path, int flags, ...) {
  MODE(flags, flags);
  REAL("openat64", openat_type);
  return open_fails(path, flags) ? -1 : real(at, path, flags, mode);
}
int openat(int at, const char *path, int flags, ...) {
  MODE(flags, flags);
  REAL("openat", openat_type);
  return open_fails(path, flags) ? -1 : real(at, path, flags, mode);
}

int ftruncate64(int handle, off_t length) {
  REAL("ftruncate64", truncate_type);
  if (told(OPENS) && is_ours(handle) && fails(OPENS, FAILED_OPENS)) return -1;
  return real(handle, length);
}
int ftruncate(int handle, off_t length) { return ftruncate64(handle, length); }
int unlink(const char *path) {
  REAL("unlink", path_type);
  if (told(OPENS) && is_path_ours(path) && fails(OPENS, FAILED_OPENS)) return -1;
  return real(path);
}
int rename(const char *from, const char *to) {
  REAL("rename", paths_type);
  if (told(OPENS) && is_path_ours(to) && fails(OPENS, FAILED_OPENS)) return -1;
  return real(from, to);
}
