/** How often it is asked, in ms. */
const LOOK = 20

/** Asks again until the answer fits: what the network tells comes behind its answers, and nobody is told when. The deadline ends the test with the last answer. */
export async function until<T>(ask: () => Promise<T>, fits: (answer: T) => boolean, ms = 20_000): Promise<T> {
  for (const end = Date.now() + ms; ; ) {
    const answer = await ask()
    if (fits(answer)) return answer
    if (Date.now() > end) throw new Error(`not within ${ms} ms, still ${JSON.stringify(answer)}`)
    await new Promise((resolve) => setTimeout(resolve, LOOK))
  }
}
