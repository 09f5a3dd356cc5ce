/**
 * Makes one call to a simulated service that gives prepared answers, and reports how the client repeats the request.
 * Pauses are recorded, but take no time, because the timers are replaced. So the program runs in its own process.
 */
import { createClient, type InstanceClient, SvcError } from 'svc-client'

/** An answer of the service: its HTTP status, its error code, and `Retry-After`. With `cut`, the connection breaks. */
export type Answer = 'cut' | readonly [status: number, code?: string, retryAfter?: number]

export interface Rule {
  /** The answers to the attempts, in order. The last one is given to all further attempts. */
  answers: readonly Answer[]
  call: 'read' | 'send' | 'create'
}

export interface Followed {
  /** Pauses in ms, one before each repetition. */
  pauses: number[]
  /** How the call ended: `answered`, or the code or the name of the error. */
  ended: string
  keys: number
}

const CALLS: Record<Rule['call'], (instance: InstanceClient) => Promise<unknown>> = {
  read: (instance) => instance.status(),
  send: (instance) => instance.sendText({ phone: '5511988887777', message: 'Hello' }),
  create: (instance) => instance.groups.create({ name: 'Lunch', phones: ['5511988887777'] }),
}

export async function follow({ answers, call }: Rule): Promise<Followed> {
  const { setTimeout } = globalThis
  const pauses: number[] = []
  const keys = new Set<string | null>()
  let asked = 0
  const instance = createClient({
    baseUrl: 'http://127.0.0.1:9',
    async fetch(_url, init) {
      keys.add(new Headers(init?.headers).get('Idempotency-Key'))
      const answer = answers[Math.min(asked, answers.length - 1)] ?? 'cut'
      asked += 1
      if (answer === 'cut') throw new TypeError('the connection was cut')
      const [status, code, retryAfter] = answer
      const headers: Record<string, string> = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }
      const body = code === undefined ? { status: 'queued' } : { error: { code, message: 'No.' } }
      return new Response(JSON.stringify(body), { status, headers })
    },
  }).instance({ id: 'an-id', token: 'a-token' })
  Math.random = () => 0
  globalThis.setTimeout = ((end: () => void, ms: number) => {
    pauses.push(ms)
    return setTimeout(end, 0)
  }) as typeof setTimeout
  try {
    const ended = await CALLS[call](instance).then(
      () => 'answered',
      (error: Error) => (error instanceof SvcError ? error.code : error.name),
    )
    return { pauses, ended, keys: keys.size }
  } finally {
    globalThis.setTimeout = setTimeout
  }
}
