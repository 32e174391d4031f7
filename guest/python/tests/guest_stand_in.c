/* The three calls of the guest library that the Python side makes, without any walls: what the
 * zygote's tests load, so that they need neither root nor the C++ build. Forks twice, as the real
 * one does: the zygote's child stands for PID 1, and its child returns as the kernel. */
#include <sys/mman.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int read_all(int fd, void* to, size_t count, int* signalled) {
    size_t done = 0;
    while (done < count) {
        ssize_t n = read(fd, (char*)to + done, count - done);
        if (n > 0) { done += (size_t)n; continue; }
        if (n < 0 && errno == EINTR) {
            if (done == 0 && signalled) { *signalled = 1; return -1; }
            continue;
        }
        return -1;
    }
    return 0;
}

int64_t atoll_kernel_receive(int fd, uint8_t* type, uint8_t** data) {
    static uint8_t* buffer;
    uint8_t header[5];
    int signalled = 0;
    if (read_all(fd, header, 5, &signalled)) return signalled ? -2 : -1;
    uint32_t length;
    memcpy(&length, header, 4);
    buffer = realloc(buffer, length ? length : 1);
    if (!buffer || read_all(fd, buffer, length, 0)) return -1;
    *type = header[4];
    *data = buffer;
    return length;
}

int atoll_kernel_send(int fd, uint8_t type, const uint8_t* data, size_t length) {
    uint8_t header[5];
    uint32_t short_length = (uint32_t)length;
    memcpy(header, &short_length, 4);
    header[4] = type;
    for (int part = 0; part < 2; ++part) {
        const uint8_t* at = part ? data : header;
        size_t left = part ? length : 5;
        while (left) {
            ssize_t n = write(fd, at, left);
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) return -1;
            at += n;
            left -= (size_t)n;
        }
    }
    return 0;
}

/* Control: one byte asks for a kernel; its link, stdout and stderr come along as descriptors. */
int atoll_zygote_serve(int control) {
    for (;;) {
        char byte;
        char space[CMSG_SPACE(3 * sizeof(int))];
        struct iovec part = {&byte, 1};
        struct msghdr message = {0};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = space;
        message.msg_controllen = sizeof space;
        ssize_t n = recvmsg(control, &message, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return -1;
        int fds[3];
        memcpy(fds, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fds);
        pid_t first = fork();
        if (first == 0) {
            if (fork() == 0) {
                close(control);
                dup2(fds[1], 1);
                dup2(fds[2], 2);
                close(fds[1]);
                close(fds[2]);
                return fds[0];
            }
            for (int i = 0; i < 3; ++i) close(fds[i]);
            while (wait(NULL) > 0) {}
            _exit(0);
        }
        for (int i = 0; i < 3; ++i) close(fds[i]);
    }
}

void *atoll_arena_alloc(void *context, size_t bytes) {
    (void)context;
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

void atoll_arena_free(void *context, void *at, size_t bytes) {
    (void)context;
    munmap(at, bytes);
}

void atoll_fill_object_holes(void *(*allocate)(size_t)) {
    (void)allocate;
}
