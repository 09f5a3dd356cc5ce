/** Thread of `media-stall.ts`: asks at a steady beat, undisturbed by what its parent does with large bodies. */
import { parentPort, workerData } from 'node:worker_threads'

const { urls, everyMs } = workerData as { urls: string[]; everyMs: number }
let times: number[] = []
let beat = 0

setInterval(() => {
  const due = performance.now()
  const url = urls[beat++ % urls.length]!
  fetch(url)
    .then((response) => response.arrayBuffer())
    .then(
      () => times.push(performance.now() - due),
      () => times.push(Number.POSITIVE_INFINITY),
    )
}, everyMs)

/** Every message asks for the times since the last one. */
parentPort!.on('message', () => {
  parentPort!.postMessage(times)
  times = []
})
