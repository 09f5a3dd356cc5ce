/**
 * The process that sends the requests of `asking.ts`. It is separate, so that the work of its parent with large bodies
 * does not delay the requests.
 */
const urls = process.argv.slice(3)
let times: number[] = []
const open = new Set<Promise<unknown>>()
let beat = 0

setInterval(() => {
  const begun = performance.now()
  const url = urls[beat++ % urls.length]!
  const asked = fetch(url)
    .then(async (response) => {
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`answered with ${response.status}`)
    })
    .then(
      () => times.push(performance.now() - begun),
      () => times.push(Number.POSITIVE_INFINITY),
    )
    .finally(() => open.delete(asked))
  open.add(asked)
}, Number(process.argv[2]))

/** Answers each message of the parent with the latencies of all requests that were sent since the previous message. */
process.on('message', async () => {
  await Promise.all(open)
  process.send!(times)
  times = []
})
process.on('disconnect', () => process.exit())
