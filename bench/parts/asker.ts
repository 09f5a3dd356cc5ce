/** This separate process sends the requests, so that the parent's work with large bodies does not disturb them. */
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

/**
 * The answer to a message of the parent contains the latencies of all requests that were sent since the previous
 * message.
 */
process.on('message', async () => {
  await Promise.all(open)
  process.send!(times)
  times = []
})
process.on('disconnect', () => process.exit())
