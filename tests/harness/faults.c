/* Makes the server's kernel say no, for tests: loaded into it with LD_PRELOAD.
 * While the file that ATOLL_TEST_NO_WATCHES names is there, this user has no epoll watch left. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

int epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event) {
    const char *file = getenv("ATOLL_TEST_NO_WATCHES");
    if (operation == EPOLL_CTL_ADD && file && access(file, F_OK) == 0) {
        errno = ENOSPC;
        return -1;
    }
    return (int)syscall(SYS_epoll_ctl, epoll, operation, fd, event);
}
