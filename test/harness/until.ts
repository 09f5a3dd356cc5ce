/** Interval between two requests, in ms. */
const LOOK = 20

/**
 * Repeats the request until the answer matches, because nothing reports that data of the network have arrived. At the
 * deadline the test fails with the last answer.
 */
export async function until<T>(ask: () => Promise<T>, fits: (answer: T) => boolean, ms = 20_000): Promise<T> {
  for (const end = Date.now() + ms; ; ) {
    const answer = await ask()
    if (fits(answer)) return answer
    if (Date.now() > end) throw new Error(`not within ${ms} ms, still ${JSON.stringify(answer)}`)
    await new Promise((resolve) => setTimeout(resolve, LOOK))
  }
}
