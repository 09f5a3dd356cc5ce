import type { BinaryNode } from '../wire/node.ts'
import { matches, type StanzaFacts, type StanzaMatch } from './match.ts'
import { type StanzaJson, toJson } from './stanza-json.ts'

/**
 * One stanza after the handshake, in the format that `wire-check` reads. `wire-check` itself does not use `account`.
 */
export interface TraceLine {
  /** Time in ms since 1970. */
  t: number
  conn: string
  from: 'client' | 'server'
  account: string | null
  node: StanzaJson
  /**
   * Set if the control API caused the answer (`/answers`, a fault), or if WhatsApp Web is not known to receive a refusal of this structure. Such an
   * answer does not show how the real network answers.
   */
  ordered?: true
}

/** An app state action that the phone decrypted (`client`: a linked device wrote it) or wrote itself (`server`). */
export interface OpenedAction {
  from: 'client' | 'server'
  index: string[]
  version: number
  collection: string
  /** Names of the fields in the value. The list is empty if the action was removed. */
  valueFields: string[]
}

export interface Watcher {
  match: StanzaMatch
  take(line: TraceLine): void
  action?(action: OpenedAction): void
}

export interface Trace {
  /** Reports a stanza to the observers. It does no work if there are none. */
  saw(facts: StanzaFacts, item: BinaryNode, isOrdered?: boolean): void
  opened(action: () => OpenedAction): void
  /** Adds an observer. Returns a function that removes it. */
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
