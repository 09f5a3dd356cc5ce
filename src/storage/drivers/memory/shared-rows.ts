/**
 * Gives the other threads of the process access to the rows of one thread, over a `BroadcastChannel`. A request is
 * answered in one turn of the event loop, so a batch is atomic.
 */
import { randomUUID } from 'node:crypto'
import { BroadcastChannel } from 'node:worker_threads'
import { NoStore } from '../../store-backend.ts'
import type { SortedRows } from './sorted-rows.ts'

interface Question {
  from: string
  number: number
  ask: keyof SortedRows
  input: unknown[]
}

type Answer = { number: number } & ({ result: unknown } | { error: unknown })

const questionsOf = (store: string) => `svc-rows-${store}`
const answersOf = (client: string) => `svc-rows-of-${client}`

/** Milliseconds within which the thread that holds the rows must answer the first request. */
const FOUND_WITHIN = 10_000

export function shareRows(store: string, rows: SortedRows): () => void {
  const questions = new BroadcastChannel(questionsOf(store))
  const clients = new Map<string, BroadcastChannel>()
  questions.unref()
  questions.onmessage = (message: unknown) => {
    const { from, number, ask, input } = (message as { data: Question }).data
    let client = clients.get(from)
    if (client === undefined) {
      client = new BroadcastChannel(answersOf(from))
      client.unref()
      clients.set(from, client)
    }
    client.postMessage(answerOf(rows, number, ask, input))
  }
  return () => {
    questions.close()
    for (const client of clients.values()) client.close()
  }
}

function answerOf(rows: SortedRows, number: number, ask: keyof SortedRows, input: unknown[]): Answer {
  try {
    return { number, result: (rows[ask] as (...input: unknown[]) => unknown)(...input) }
  } catch (error) {
    return { number, error }
  }
}

export type Asked = {
  [Name in keyof SortedRows]: (...input: Parameters<SortedRows[Name]>) => Promise<ReturnType<SortedRows[Name]>>
}

export interface RemoteRows extends Asked {
  close(): void
}

export async function openSharedRows(store: string): Promise<RemoteRows> {
  const client = randomUUID()
  const questions = new BroadcastChannel(questionsOf(store))
  const answers = new BroadcastChannel(answersOf(client))
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: unknown): void }>()
  let asked = 0
  // A thread may end while the store is open, but not while a request is pending.
  questions.unref()
  answers.unref()
  answers.onmessage = (message: unknown) => {
    const { data } = message as { data: Answer }
    const { resolve, reject } = waiting.get(data.number)!
    waiting.delete(data.number)
    if (waiting.size === 0) answers.unref()
    if ('error' in data) reject(data.error)
    else resolve(data.result)
  }
  const close = () => {
    questions.close()
    answers.close()
  }

  const asking = <Name extends keyof SortedRows>(ask: Name) =>
    ((...input: unknown[]) =>
      new Promise((resolve, reject) => {
        const number = ++asked
        waiting.set(number, { resolve, reject })
        answers.ref()
        questions.postMessage({ from: client, number, ask, input } satisfies Question)
      })) as Asked[Name]

  const rows = {
    get: asking('get'),
    commit: asking('commit'),
    page: asking('page'),
    count: asking('count'),
    size: asking('size'),
    close,
  }
  let late: NodeJS.Timeout | undefined
  const isLate = new Promise<never>((_, reject) => {
    late = setTimeout(() => {
      close()
      reject(new NoStore('The store is in the memory of another process; only that process can use it.'))
    }, FOUND_WITHIN)
  })
  await Promise.race([rows.size(), isLate]).finally(() => clearTimeout(late))
  return rows
}
