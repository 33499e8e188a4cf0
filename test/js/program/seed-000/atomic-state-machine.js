const { Worker, isMainThread, workerData } = require("worker_threads");

/* ===========================
   STATES
=========================== */

const INIT = 0;
const RUNNING = 1;
const DRAINING = 2;
const CLOSED = 3;

/* ===========================
   ATOMIC STATE MACHINE
=========================== */

class AtomicService {
  constructor(view) {
    this.view = view;
  }

  get state() {
    return Atomics.load(this.view, 0);
  }

  start() {
    if (Atomics.compareExchange(this.view, 0, INIT, RUNNING) === INIT) {
      console.log("🟢 Service started");
      return true;
    }
    return false;
  }

  tryEnter() {
    if (this.state !== RUNNING) return false;
    Atomics.add(this.view, 1, 1);
    if (this.state !== RUNNING) {
      Atomics.sub(this.view, 1, 1);
      return false;
    }
    return true;
  }

  exit() {
    const remaining = Atomics.sub(this.view, 1, 1) - 1;
    if (remaining === 0 && this.state === DRAINING) {
      this.close();
    }
  }

  drain() {
    if (
      Atomics.compareExchange(this.view, 0, RUNNING, DRAINING) === RUNNING
    ) {
      console.log("🟡 Service draining");
      if (Atomics.load(this.view, 1) === 0) {
        this.close();
      }
      return true;
    }
    return false;
  }

  close() {
    if (
      Atomics.compareExchange(this.view, 0, DRAINING, CLOSED) === DRAINING
    ) {
      console.log("🔴 Service closed");
      Atomics.notify(this.view, 0);
    }
  }

  awaitClosed() {
    while (this.state !== CLOSED) {
      Atomics.wait(this.view, 0, this.state);
    }
  }
}

/* ===========================
   MAIN THREAD
=========================== */

if (isMainThread) {
  /**
   * layout:
   * [0] → state
   * [1] → active jobs
   */
  const sab = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * 2);
  const view = new Int32Array(sab);
  const service = new AtomicService(view);

  service.start();

  for (let i = 0; i < 4; i++) {
    new Worker(__filename, {
      workerData: { sab, id: i }
    });
  }

  // simulate shutdown
  setTimeout(() => {
    service.drain();
  }, 1000);

  service.awaitClosed();
  console.log("\n✅ Main thread exiting cleanly\n");

/* ===========================
   WORKER THREAD
=========================== */

} else {
  const { sab, id } = workerData;
  const view = new Int32Array(sab);
  const service = new AtomicService(view);

  if (!service.tryEnter()) {
    console.log(`⛔ Worker ${id} rejected`);
    return;
  }

  console.log(`🧵 Worker ${id} started work`);

  // simulate work
  const delay = Math.random() * 1500;
  setTimeout(() => {
    console.log(`🧵 Worker ${id} finished`);
    service.exit();
  }, delay);
}
