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

/** Each message from the parent asks for the latencies since the last message. A request counts for the period in which it was sent. */
process.on('message', async () => {
  await Promise.all(open)
  process.send!(times)
  times = []
})
process.on('disconnect', () => process.exit())
