/** Process of `asking.ts`: asks at a steady beat, undisturbed by what its parent does with large bodies. */
const urls = process.argv.slice(3)
let times: number[] = []
let beat = 0

setInterval(() => {
  const begun = performance.now()
  const url = urls[beat++ % urls.length]!
  fetch(url)
    .then((response) => response.arrayBuffer())
    .then(
      () => times.push(performance.now() - begun),
      () => times.push(Number.POSITIVE_INFINITY),
    )
}, Number(process.argv[2]))

/** Every message asks for the times since the last one. */
process.on('message', () => {
  process.send!(times)
  times = []
})
process.on('disconnect', () => process.exit())
