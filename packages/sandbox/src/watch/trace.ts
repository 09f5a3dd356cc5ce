import type { BinaryNode } from '../wire/node.ts'
import { matches, type StanzaFacts, type StanzaMatch } from './match.ts'
import { type StanzaJson, toJson } from './stanza-json.ts'

/** One stanza after the handshake, in the format of `wire-check`. */
export interface TraceLine {
  t: number
  conn: string
  from: 'client' | 'server'
  account: string | null
  node: StanzaJson
  /**
   * Set if the control API caused this answer, or if WhatsApp Web is not known to receive such a refusal. Such an
   * answer is no evidence of how the real network answers.
   */
  ordered?: true
}

/** An action in app state that was decrypted. `client`: a linked device wrote it. `server`: the phone wrote it. */
export interface OpenedAction {
  from: 'client' | 'server'
  index: string[]
  version: number
  collection: string
  valueFields: string[]
}

export interface Watcher {
  match: StanzaMatch
  take(line: TraceLine): void
  action?(action: OpenedAction): void
}

export interface Trace {
  saw(facts: StanzaFacts, item: BinaryNode, isOrdered?: boolean): void
  opened(action: () => OpenedAction): void
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
