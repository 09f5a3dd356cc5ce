/** Process of `asking.ts`: sends requests at a steady rate, undisturbed by its parent's work with large bodies. */
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

/** Every message requests the times since the last one; a request counts for the period in which it was sent. */
process.on('message', async () => {
  await Promise.all(open)
  process.send!(times)
  times = []
})
process.on('disconnect', () => process.exit())
