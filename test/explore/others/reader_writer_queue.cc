/* SPDX-License-Identifier: MIT */
/*
 * reader_writer_queue -- moodycamel::ReaderWriterQueue of Debian's package
 * libreaderwriterqueue-dev: one producer, one consumer.
 *
 * package: libreaderwriterqueue-dev
 * correct: nothing found
 */
#include <thread>

/* Its checks for wrong use store a flag at each attempt: a consumer that waits
 * would never come to the same state again. */
#define NDEBUG
#include <readerwriterqueue/readerwriterqueue.h>
#undef NDEBUG
#include <cassert>

int main()
{
    moodycamel::ReaderWriterQueue<int> queue(2);
    std::thread producer([&] {
        for (int i = 1; i <= 3; i++)
            queue.enqueue(i);
    });

    for (int i = 1; i <= 3;) {
        int item;

        if (queue.try_dequeue(item)) {
            assert(item == i);
            i++;
        } else {
            std::this_thread::yield();
        }
    }
    producer.join();
}
