/**
 * Sends the queries of one thread on one connection, apart from commits and queries about who owns the store. No query
 * waits for the answers to earlier ones.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { StorageFailure } from '../../../domain/storage-failure.ts'
import { KEY_LIMIT } from '../../contract.ts'
import { texts, uuids } from './arrays.ts'
import { codeOf, DISK_FULL } from './error-codes.ts'
import { connect, type Link, type Question } from './link.ts'
import { placeOf } from './places.ts'
import type { Target } from './target.ts'

const READ_STEP = 1_000

const GET = `SELECT k.n, s.value FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS k(scope, key, n)
JOIN svc_state s ON s.scope = k.scope AND s.key = k.key COLLATE "C"`

/**
 * Error codes with which the server ends the connection: it stops, restarts, or lacks resources other than disk space.
 */
const ENDING = /^(57P|08|53(?!100))/

/**
 * Creates the reads of one thread. `ask` sends a query again if the connection breaks, so a query that changes rows
 * must have the same result when it is repeated.
 */
export function createReads(target: Target, { silenceMs, patienceMs }: { silenceMs: number; patienceMs: number }) {
  let link: Promise<Link> | undefined
  let current: Link | undefined
  let isClosed = false
  let asked: { key: string; resolve(value: Uint8Array | undefined): void; reject(error: unknown): void }[] = []

  function linked(): Promise<Link> {
    if (current?.isUp() === false) link = current = undefined
    link ??= connect(target, { isPipelined: true, name: 'reader' }).then(
      (made) => {
        current = made
        return made
      },
      (error: unknown) => {
        link = undefined
        throw error
      },
    )
    return link
  }

  async function ask(question: Question): Promise<unknown[][]> {
    const until = performance.now() + patienceMs
    for (let wait = 20; ; wait = Math.min(2 * wait, 500)) {
      if (isClosed) throw new StorageFailure('The store is closed.')
      const used = await linked().catch((error: unknown) => ({ error }))
      const answer = 'error' in used ? used : await used.ask(question, silenceMs).catch((error: unknown) => ({ error }))
      if (!('error' in answer)) return answer.rows
      const isBroken = 'error' in used || !used.isUp() || ENDING.test(codeOf(answer.error) ?? '')
      if (isBroken && !('error' in used)) used.drop()
      if (!isBroken || performance.now() + wait > until) {
        throw new StorageFailure('The database could not carry out a request.', {
          cause: answer.error,
          isFull: codeOf(answer.error) === DISK_FULL,
        })
      }
      await pause(wait)
    }
  }

  function askAll() {
    const all = asked
    asked = []
    for (let from = 0; from < all.length; from += READ_STEP) {
      const these = all.slice(from, from + READ_STEP)
      const places = these.map(({ key }) => placeOf(key))
      ask({
        name: 'get',
        text: GET,
        values: [uuids(places.map(({ scope }) => scope)), texts(places.map(({ key }) => key))],
      }).then(
        (rows) => {
          const found = new Map(rows as [number, Uint8Array][])
          for (const [index, { resolve }] of these.entries()) resolve(found.get(index + 1))
        },
        (error: unknown) => {
          for (const { reject } of these) reject(error)
        },
      )
    }
  }

  return {
    ask,
    async get(key: string): Promise<Uint8Array | undefined> {
      // No record can have such a key. Callers may ask for one nevertheless, because other people choose parts of keys
      // (message ids).
      if (key.length === 0 || key.length > KEY_LIMIT || /[^!-~]/.test(key)) return undefined
      return new Promise((resolve, reject) => {
        if (asked.length === 0) setImmediate(askAll)
        asked.push({ key, resolve, reject })
      })
    },
    async close() {
      isClosed = true
      const open = await link?.catch(() => undefined)
      await open?.end()
    },
  }
}
