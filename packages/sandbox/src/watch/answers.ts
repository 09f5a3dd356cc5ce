import type { BinaryNode } from '../wire/node.ts'
import { matches, type StanzaFacts, type StanzaMatch } from './match.ts'
import type { StanzaJson } from './stanza-json.ts'

export type AnswerAction =
  /** The network sends its normal answer, and applies no other rule. */
  | 'pass'
  /** The network sends no answer. */
  | 'nothing'
  /** The network refuses the query. `inside` contains elements of the error, such as the refused field. */
  | { error: [code: number, text: string, inside?: StanzaJson[]] }
  /** The network answers with a result that contains these elements. */
  | { result: StanzaJson[] }

export interface AnswerInput {
  match: StanzaMatch
  do: AnswerAction
  times?: number | undefined
  skip?: number | undefined
  /** If true, the network also carries out the query, and only its answer is replaced. */
  apply?: boolean | undefined
}

export interface AnswerRule {
  do: AnswerAction
  apply: boolean
}

export interface Answers {
  add(input: AnswerInput): { id: string }
  remove(id: string): boolean
  clear(): void
  take(facts: StanzaFacts, item: BinaryNode): AnswerRule | undefined
}

interface Entry extends AnswerRule {
  id: string
  match: StanzaMatch
  left: number
  skip: number
}

export function createAnswers(): Answers {
  let entries: Entry[] = []
  let next = 1
  return {
    add({ match, do: action, times = Number.POSITIVE_INFINITY, skip = 0, apply = false }) {
      const id = `answer-${next++}`
      entries.unshift({ id, match, do: action, left: times, skip, apply })
      return { id }
    },
    remove(id) {
      const before = entries.length
      entries = entries.filter((entry) => entry.id !== id)
      return entries.length < before
    },
    clear() {
      entries = []
    },
    take(facts, item) {
      for (const entry of entries) {
        if (!matches(entry.match, facts, item)) continue
        if (entry.skip > 0) {
          entry.skip -= 1
          continue
        }
        entry.left -= 1
        if (entry.left <= 0) entries = entries.filter((other) => other !== entry)
        return entry.do === 'pass' ? undefined : entry
      }
      return undefined
    },
  }
}
