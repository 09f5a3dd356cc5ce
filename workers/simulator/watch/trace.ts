import type { BinaryNode } from '../wire/node.ts'
import { matches, type StanzaFacts, type StanzaMatch } from './match.ts'
import { type StanzaJson, toJson } from './stanza-json.ts'

/** One stanza after the handshake, as `wire-check` reads it; `account` is for people. */
export interface TraceLine {
  /** Milliseconds since 1970. */
  t: number
  conn: string
  from: 'client' | 'server'
  account: string | null
  node: StanzaJson
  /** The network was told to answer so (`/answers`, a fault), or refuses in a form that no specification has: it says nothing about how the network answers. */
  ordered?: true
}

/** A setting of an account as the phone opened it (`client`: a linked device wrote it) or wrote it (`server`). */
export interface OpenedAction {
  from: 'client' | 'server'
  index: string[]
  version: number
  collection: string
  /** Fields of its value; none when it was removed. */
  valueFields: string[]
}

export interface Watcher {
  match: StanzaMatch
  take(line: TraceLine): void
  action?(action: OpenedAction): void
}

export interface Trace {
  /** Costs nothing without observers. */
  saw(facts: StanzaFacts, item: BinaryNode, isOrdered?: boolean): void
  opened(action: () => OpenedAction): void
  /** Returns how to stop. */
  watch(watcher: Watcher): () => void
  readonly watchers: number
}

export function createTrace(): Trace {
  const watchers = new Set<Watcher>()
  return {
    saw(facts, item, isOrdered = false) {
      if (watchers.size === 0) return
      let line: TraceLine | undefined
      for (const watcher of watchers) {
        if (!matches(watcher.match, facts, item)) continue
        const { conn, from, account = null } = facts
        line ??= { t: Date.now(), conn, from, account, node: toJson(item), ...(isOrdered ? { ordered: true } : {}) }
        watcher.take(line)
      }
    },
    opened(action) {
      const wanted = [...watchers].filter((watcher) => watcher.action)
      if (wanted.length === 0) return
      const opened = action()
      for (const watcher of wanted) watcher.action?.(opened)
    },
    watch(watcher) {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    get watchers() {
      return watchers.size
    },
  }
}
