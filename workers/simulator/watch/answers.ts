import type { BinaryNode } from '../wire/node.ts'
import { matches, type StanzaFacts, type StanzaMatch } from './match.ts'
import type { StanzaJson } from './stanza-json.ts'

export type AnswerAction =
  /** The network answers as ever: a rule before others lets queries through. */
  | 'pass'
  /** No answer is sent. */
  | 'nothing'
  /** `inside`: elements of the error, such as the field that was refused. */
  | { error: [code: number, text: string, inside?: StanzaJson[]] }
  /** Elements of the result. */
  | { result: StanzaJson[] }

export interface AnswerInput {
  /** Of the query. */
  match: StanzaMatch
  do: AnswerAction
  /** For so many queries; until it is removed, when absent. */
  times?: number | undefined
  /** Lets so many queries fall through before it acts. */
  skip?: number | undefined
  /** The network does what was asked as well; only its answer is replaced. */
  apply?: boolean | undefined
}

export interface AnswerRule {
  do: AnswerAction
  apply: boolean
}

export interface Answers {
  add(input: AnswerInput): { id: string }
  /** False: there is no such rule. */
  remove(id: string): boolean
  clear(): void
  /** The newest rule that matches, which is used up by it; undefined: the network's own answer. */
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
