/**
 * Process of a bench that sends requests to the API, and measures the latency of each. It sends them as fast as the API
 * answers, or at a steady rate.
 */
import { Pool } from 'undici'
import { answerCalls } from './calls.ts'
import { summary } from './numbers.ts'

export interface Drive {
  urls: string[]
  /**
   * Bodies of POST requests, which are used in turn like the URLs. `{n}` is replaced by the number of the request.
   * Without bodies, GET requests are sent.
   */
  bodies?: string[]
  count: number
  /** Largest number of requests in flight. Each connection sends its next request after the previous answer. */
  connections?: number
  /**
   * Requests per second, whether or not earlier ones were answered. If no connection is free, a request waits, and its
   * latency includes the wait.
   */
  perSecond?: number
}

const calls = {
  async drive({ urls, bodies, count, perSecond, connections = perSecond ? 128 : 32 }: Drive) {
    const pool = new Pool(new URL(urls[0]!).origin, { connections, pipelining: 1 })
    const times: number[] = []
    const refused: Record<number, number> = {}
    const paths = urls.map((url) => {
      const { pathname, search } = new URL(url)
      return pathname + search
    })
    let next = 0
    async function one(number: number) {
      const began = performance.now()
      const body = bodies?.[number % bodies.length]
      const answer = await pool.request({
        path: paths[number % paths.length]!,
        method: body === undefined ? 'GET' : 'POST',
        ...(body === undefined
          ? {}
          : { headers: { 'content-type': 'application/json' }, body: body.replace('{n}', String(number)) }),
      })
      await answer.body.dump()
      times.push(performance.now() - began)
      if (answer.statusCode !== 200) refused[answer.statusCode] = (refused[answer.statusCode] ?? 0) + 1
    }
    const began = performance.now()
    if (perSecond === undefined) {
      const lane = async () => {
        while (next < count) await one(next++)
      }
      await Promise.all(Array.from({ length: connections }, lane))
    } else {
      const all: Promise<void>[] = []
      while (next < count) {
        const due = began + (next * 1_000) / perSecond - performance.now()
        if (due > 1) await new Promise((resolve) => setTimeout(resolve, due))
        all.push(one(next++))
      }
      await Promise.all(all)
    }
    const ms = performance.now() - began
    await pool.close()
    if (Object.keys(refused).length > 0) throw new Error(`answered with ${JSON.stringify(refused)}`)
    return { ms, ...summary(times) }
  },
}
export type Driver = typeof calls
answerCalls(calls)
