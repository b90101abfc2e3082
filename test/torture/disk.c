/* A disk that can be cut off and can fail, for a process that loads this before the C library. It writes down what is
   written to the database's files and what is synced, and fails the calls that the test's control file names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILES_MAX 1024
#define NAME_MAX_BYTES 64

/* What test/torture/disk.ts writes, in the same order; all are numbers of 8 bytes. */
struct control {
  int64_t calls;     /* storage calls so far; ours to count */
  int64_t fail_from; /* the first call that fails; 0: none does */
  int64_t fail_to;   /* the first one after it that works again */
  int64_t error;     /* the errno of a call that fails; below 0: the signal that ends the process before it */
  int64_t short_by;  /* the first write that fails is cut in half; only then calls fail */
  int64_t kinds;     /* which calls count: a sum of the KIND_s */
  int64_t deaf;      /* syncs of the log beside the database do nothing */
};

enum { KIND_WRITE = 1, KIND_SYNC = 2, KIND_READ = 4 };
enum { RECORD_WRITE = 1, RECORD_TRUNCATE, RECORD_SYNC, RECORD_CREATE, RECORD_UNLINK, RECORD_SYNC_DIRECTORY };

struct record {
  uint32_t kind;
  uint32_t bytes;
  int64_t offset;
  char name[NAME_MAX_BYTES];
};

static struct control *control;
static int journal = -1;
static const char *directory;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
/* By descriptor, the name of the file below the directory; "." is the directory itself. */
static char *names[FILES_MAX];

static int (*real_open)(const char *, int, ...);
static int (*real_close)(int);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_pread)(int, void *, size_t, off_t);
static int (*real_ftruncate)(int, off_t);
static int (*real_fsync)(int);
static int (*real_unlink)(const char *);

static void *next(const char *name) { return dlsym(RTLD_NEXT, name); }

__attribute__((constructor)) static void begin(void) {
  real_open = next("open64");
  real_close = next("close");
  real_pwrite = next("pwrite64");
  real_pread = next("pread64");
  real_ftruncate = next("ftruncate64");
  real_fsync = next("fsync");
  real_unlink = next("unlink");
  directory = getenv("TORTURE_DIRECTORY");
  const char *path = getenv("TORTURE_CONTROL");
  if (path != NULL) {
    int file = real_open(path, O_RDWR | O_CLOEXEC);
    void *page = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file < 0 || page == MAP_FAILED) abort();
    control = page;
    real_close(file);
  }
  path = getenv("TORTURE_JOURNAL");
  if (path != NULL) journal = real_open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

/* The name below the directory; NULL: the path is none of the database's. SQLite rebuilds the -shm file, so it is none. */
static const char *name_of(const char *path) {
  if (directory == NULL || path == NULL) return NULL;
  size_t length = strlen(directory);
  if (strncmp(path, directory, length) != 0) return NULL;
  if (path[length] == 0) return ".";
  const char *name = path + length + 1;
  if (strstr(name, ".db") == NULL || strlen(name) >= NAME_MAX_BYTES) return NULL;
  return strcmp(name + strlen(name) - 4, "-shm") == 0 ? NULL : name;
}

static const char *name_at(int file) { return file >= 0 && file < FILES_MAX ? names[file] : NULL; }

static void write_down(uint32_t kind, const char *name, int64_t offset, const void *data, size_t bytes) {
  if (journal < 0) return;
  struct record record = {kind, (uint32_t)bytes, offset, {0}};
  strncpy(record.name, name, NAME_MAX_BYTES - 1);
  struct iovec parts[] = {{&record, sizeof record}, {(void *)data, bytes}};
  pthread_mutex_lock(&one_at_a_time);
  if (writev(journal, parts, data == NULL ? 1 : 2) < (ssize_t)sizeof record) abort();
  pthread_mutex_unlock(&one_at_a_time);
}

/* Counts the call and says whether it fails: 1, the first one that does; 2, another. */
static int fails(int kind) {
  if (control == NULL || (control->kinds & kind) == 0) return 0;
  int64_t call = __atomic_add_fetch(&control->calls, 1, __ATOMIC_SEQ_CST);
  if (control->fail_from == 0 || call < control->fail_from || call >= control->fail_to) return 0;
  if (control->error < 0) {
    kill(getpid(), (int)-control->error);
    pause();
  }
  errno = (int)control->error;
  return call == control->fail_from ? 1 : 2;
}

static int opened(int file, const char *name, int is_new) {
  if (file < 0 || file >= FILES_MAX) return file;
  free(names[file]);
  names[file] = name == NULL ? NULL : strdup(name);
  if (name != NULL && is_new) write_down(RECORD_CREATE, name, 0, NULL, 0);
  return file;
}

static int open_file(const char *path, int flags, int mode) {
  const char *name = name_of(path);
  int is_new = name != NULL && (flags & O_CREAT) != 0 && access(path, F_OK) != 0;
  return opened(real_open(path, flags, mode), name, is_new);
}

#define MODE_OF(flags)             \
  int mode = 0;                    \
  if ((flags) & O_CREAT) {         \
    va_list rest;                  \
    va_start(rest, flags);         \
    mode = va_arg(rest, int);      \
    va_end(rest);                  \
  }

int open(const char *path, int flags, ...) {
  MODE_OF(flags)
  return open_file(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  MODE_OF(flags)
  return open_file(path, flags, mode);
}

int close(int file) {
  if (file >= 0 && file < FILES_MAX) {
    free(names[file]);
    names[file] = NULL;
  }
  return real_close(file);
}

static ssize_t write_at(int file, const void *data, size_t bytes, off_t offset) {
  const char *name = name_at(file);
  int failing = name == NULL ? 0 : fails(KIND_WRITE);
  if (failing == 1 && control->short_by && bytes > 1) bytes /= 2;
  else if (failing) return -1;
  ssize_t written = real_pwrite(file, data, bytes, offset);
  if (name != NULL && written > 0) write_down(RECORD_WRITE, name, offset, data, (size_t)written);
  return written;
}

ssize_t pwrite(int file, const void *data, size_t bytes, off_t offset) { return write_at(file, data, bytes, offset); }
ssize_t pwrite64(int file, const void *data, size_t bytes, off_t offset) { return write_at(file, data, bytes, offset); }

static ssize_t read_at(int file, void *data, size_t bytes, off_t offset) {
  if (name_at(file) != NULL && fails(KIND_READ)) return -1;
  return real_pread(file, data, bytes, offset);
}

ssize_t pread(int file, void *data, size_t bytes, off_t offset) { return read_at(file, data, bytes, offset); }
ssize_t pread64(int file, void *data, size_t bytes, off_t offset) { return read_at(file, data, bytes, offset); }

static int truncate_to(int file, off_t length) {
  const char *name = name_at(file);
  if (name != NULL && fails(KIND_WRITE)) return -1;
  int result = real_ftruncate(file, length);
  if (name != NULL && result == 0) write_down(RECORD_TRUNCATE, name, length, NULL, 0);
  return result;
}

int ftruncate(int file, off_t length) { return truncate_to(file, length); }
int ftruncate64(int file, off_t length) { return truncate_to(file, length); }

static int is_log(const char *name) {
  size_t length = strlen(name);
  return length > 4 && strcmp(name + length - 4, "-wal") == 0;
}

/* What is written down is what the disk is told: no sync waits for the real one, which no test here needs. */
static int sync_file(int file, int (*sync)(int)) {
  const char *name = name_at(file);
  if (name == NULL) return sync(file);
  if (fails(KIND_SYNC)) return -1;
  if (control != NULL && control->deaf && is_log(name)) return 0;
  write_down(strcmp(name, ".") == 0 ? RECORD_SYNC_DIRECTORY : RECORD_SYNC, name, 0, NULL, 0);
  return 0;
}

int fsync(int file) { return sync_file(file, real_fsync); }
int fdatasync(int file) { return sync_file(file, real_fsync); }

int unlink(const char *path) {
  const char *name = name_of(path);
  int result = real_unlink(path);
  if (name != NULL && result == 0) write_down(RECORD_UNLINK, name, 0, NULL, 0);
  return result;
}
