/** Codes that an owner has approved. A redeemed code stays until it expires, so that a second use of it is detected. */
import { type Clock, MINUTE } from '../domain/clock.ts'
import type { Log } from '../domain/log.ts'
import type { Op } from '../storage/contract.ts'
import type { MainRecords, Memory, StoredRecords } from '../storage/main-records/main-records.ts'
import { keys } from '../storage/record-keys.ts'
import type { Repository } from '../storage/repository.ts'
import type { StoredCode } from './records.ts'

export const CODE_LIFE = MINUTE
/** Maximum number of codes. If there are more, the oldest code of the workspace with the most codes is removed. */
const MAX_CODES = 1_000
const PRUNE_EVERY = MINUTE
/** Milliseconds by which the clock of another service may be ahead, or this clock before it was corrected. */
const MAX_LEAD = MINUTE

export interface StoredCodesDeps {
  main: Pick<MainRecords, 'load' | 'change'>
  records: Repository<StoredCode>
  clock: Clock
  log: Log
}

export function createStoredCodes({ main, records, clock, log }: StoredCodesDeps) {
  const codes = new Map<string, StoredCode>()
  const useless = new Set<string>()
  let timer: NodeJS.Timeout | undefined

  const idIn = (key: string) => key.slice(keys.oauthCodes.length)
  const keyOf = (id: string) => keys.oauthCodes + id
  const removal = (id: string): Op => records.remove(keyOf(id))
  const memory: Memory = {
    put: (key, bytes) => void codes.set(idIn(key), records.decode(key, bytes)),
    remove: (key) => void codes.delete(idIn(key)),
  }

  function fill(found: StoredRecords) {
    for (const [key, bytes] of found) {
      try {
        const code = records.decode(key, bytes)
        // A clock was ahead when the code was written, so the age of the code is unknown.
        if (code.until > clock.now() + CODE_LIFE + MAX_LEAD) useless.add(idIn(key))
        else codes.set(idIn(key), code)
      } catch (err) {
        log.error({ err }, 'a code of OAuth could not be read, so nobody can use it')
        useless.add(idIn(key))
      }
    }
  }

  const isOver = ({ until }: StoredCode) => until <= clock.now()
  const ended = () => [...codes].flatMap(([id, code]) => (isOver(code) ? id : []))

  function oldestOfMost(): string[] {
    if (codes.size < MAX_CODES) return []
    const byOwner = new Map<string, [string, StoredCode][]>()
    for (const entry of codes) {
      const { workspace } = entry[1]
      byOwner.set(workspace, byOwner.get(workspace) ?? [])
      byOwner.get(workspace)!.push(entry)
    }
    const [most = []] = [...byOwner.values()].sort((one, other) => other.length - one.length)
    return most
      .sort(([, one], [, other]) => one.until - other.until)
      .slice(0, 1)
      .map(([id]) => id)
  }

  async function prune(also: ReadonlySet<string> = new Set()): Promise<void> {
    if (ended().length + also.size > 0) await main.change(() => ({ ops: [...also, ...ended()].map(removal) }))
  }
  const pruneLogged = (also?: ReadonlySet<string>) =>
    prune(also).catch((err: unknown) => log.error({ err }, 'ended codes of OAuth could not be removed'))

  return {
    async load(): Promise<void> {
      await main.load('oauthCodes', memory, fill)
      await pruneLogged(useless)
      timer = setInterval(() => void pruneLogged(), PRUNE_EVERY).unref()
    },

    /** Returns a code; undefined if there is none or it has ended. */
    find(id: string): StoredCode | undefined {
      const code = codes.get(id)
      return code && !isOver(code) ? code : undefined
    },

    adding: (id: string, code: StoredCode): Op[] => [
      ...[...new Set([...ended(), ...oldestOfMost()])].map(removal),
      records.encode(keyOf(id), code),
    ],
    changing: (id: string, code: StoredCode): Op => records.encode(keyOf(id), code),
    removals: (isMeant: (code: StoredCode) => boolean): Op[] =>
      [...codes].flatMap(([id, code]) => (isMeant(code) ? [removal(id)] : [])),

    stop: () => clearInterval(timer),
  }
}
