/* SPDX-License-Identifier: MIT */
/*
 * bounded_queue -- A bounded queue with std::mutex and two conditions.
 *
 * correct: nothing found
 * broken: assertion failed|deadlock|lost wake-up
 */
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

class Queue
{
  public:
    void push(int item)
    {
        std::unique_lock<std::mutex> lock(mutex_);
#ifdef BROKEN
        if (count_ == 1)
            room_.wait(lock);
#else
        room_.wait(lock, [this] { return count_ < 1; });
#endif
        assert(count_ == 0);
        item_ = item;
        count_ = 1;
        items_.notify_one();
    }
    int pop()
    {
        std::unique_lock<std::mutex> lock(mutex_);
        items_.wait(lock, [this] { return count_ > 0; });
        count_ = 0;
        room_.notify_one();
        return item_;
    }

  private:
    std::mutex mutex_;
    std::condition_variable room_, items_;
    int item_ = 0, count_ = 0;
};

int main()
{
    Queue queue;
    std::thread a([&] { queue.push(1); });
    std::thread b([&] { queue.push(2); });
    int sum = queue.pop();

    sum += queue.pop();
    a.join();
    b.join();
    assert(sum == 3);
}
