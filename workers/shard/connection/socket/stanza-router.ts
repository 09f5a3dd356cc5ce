/**
 * Handles the received stanzas. A table has a row for each kind: the matching stanzas, the mutex for which they wait,
 * the steps, and the answer. If a step fails, the connection is closed without an answer, and the network sends the
 * stanza again. A step that has failed too often is skipped.
 */
import type { BinaryNode } from '@whiskeysockets/baileys'
import { escalateTrap } from '../../baileys/thread/trap.ts'
import type { NetworkSocket } from '../../network/network-socket.ts'
import { envelopeOf } from '../../wire/envelope.ts'
import { describeMatch, fits, type Match } from '../../wire/match.ts'

/** Kinds of stanzas that the network keeps until they are answered. */
export const ANSWERED = ['message', 'receipt', 'notification', 'call'] as const
export type Answered = (typeof ANSWERED)[number]

/**
 * Effect of a step:
 * - `count`: only counts
 * - `intercept`: changes only memory, or may be repeated
 * - `translate`: interprets the stanza
 * - `commit`: writes to disk
 */
export type Phase = 'count' | 'intercept' | 'translate' | 'commit'

export class Following<Outcome> {
  readonly outcome: Promise<Outcome>
  constructor(outcome: Promise<Outcome>) {
    this.outcome = outcome
  }
}

export interface Step<Outcome = unknown> {
  phase: Phase
  name: string
  /**
   * If true, the result decides the answer and later steps are skipped. If the result is undefined, the step did not
   * handle the stanza.
   */
  decides: boolean
  run(node: BinaryNode): Outcome | undefined | Promise<Outcome | Following<Outcome> | undefined>
}

export interface Answer<Outcome = unknown> {
  name: string
  send(node: BinaryNode, outcome: Outcome | undefined): void | Promise<void>
}

export interface Mutex {
  name: string
  /** Stanzas with the same key are handled one after the other. Undefined if the stanza need not wait. */
  key(node: BinaryNode): string | undefined
  /** If set, the handling of a stanza begins while the commit of the stanza before it is still being written. */
  overlaps?: true
  most?: number
}

export interface Route<Outcome = unknown> {
  of: Match
  line: Mutex
  steps: readonly Step<Outcome>[]
  answer: Answer<Outcome>
  /** Set for a row that takes the stanzas of its tag that no other row matches. They are counted as unknown. */
  isRest?: true
}

export type Table = readonly Route<never>[]

export const route = <Outcome>(of: Match, line: Mutex, steps: readonly Step<Outcome>[], answer: Answer<Outcome>): Route<never> =>
  ({ of, line, steps, answer }) as unknown as Route<never>

export const rest = (of: Match, answer: Answer): Route<never> =>
  ({ of, line: AT_ONCE, steps: [], answer, isRest: true }) as unknown as Route<never>

export const step = (phase: Phase, name: string, run: (node: BinaryNode) => unknown): Step<never> =>
  ({ phase, name, decides: false, run }) as Step<never>
export const decide = <Outcome>(phase: Phase, name: string, run: Step<Outcome>['run']): Step<Outcome> => ({
  phase,
  name,
  decides: true,
  run,
})

export const AT_ONCE: Mutex = { name: 'at once', key: () => undefined }
export const oneByOne = (name: string, most?: number): Mutex => ({
  name,
  key: () => name,
  ...(most === undefined ? {} : { most }),
})
export const NO_ANSWER: Answer = { name: 'nothing', send() {} }

export interface RouterDeps {
  came(kind: Answered): () => void
  /**
   * Decides after a failed step, other than a `commit` step, whether the stanza is delivered again. Counts the attempt.
   */
  isWorthAnother(stanza: string): boolean
  onFailure(error: Error, about: { route: string; step: string }): void
  /**
   * Called when a step has failed at each delivery of a stanza. The step is skipped and the stanza is answered, so that
   * the network does not deliver it again.
   */
  onGivenUp(error: Error, about: { route: string; step: string }): void
  onOverflow(line: string): void
  /** Called with a stanza that no row matches, or only a row with `isRest`. */
  onUnknown(node: BinaryNode): void
  onUnanswered(error: Error): void
}

export interface Router {
  /**
   * Handles stanzas from now on. Call it in the turn of the event loop in which the socket is created, before anything
   * can arrive.
   */
  serve(table: Table): void
  take(node: BinaryNode): Promise<void>
  before(fits: (node: BinaryNode) => boolean): (() => Promise<void>) | undefined
  /** Must be called when the connection has ended. From then on, no step begins and nothing is answered. */
  fence(): void
}

type RoutedSocket = Pick<NetworkSocket, 'ws'>

export function routeStanzas({ ws }: RoutedSocket, deps: RouterDeps): Router {
  const byTag = new Map<string, Route[]>()
  /**
   * For each key: `begun` resolves when the next task may begin, `done` when all tasks are done. `count` is the number
   * of tasks. Neither promise rejects.
   */
  const lines = new Map<string, { begun: Promise<void> | undefined; done: Promise<void> | undefined; count: number }>()
  const underWay = new Map<BinaryNode, Promise<void>>()
  let isFenced = false

  async function run(row: Route, node: BinaryNode, letNext = () => {}): Promise<void> {
    let outcome: unknown
    for (const { phase, name, decides, run } of row.steps) {
      if (isFenced) return
      try {
        const running = run(node)
        let result = running instanceof Promise ? await running : running
        if (result instanceof Following) {
          letNext()
          result = (await result.outcome) as unknown
        }
        if (decides) outcome = result
      } catch (thrown) {
        if (isFenced) return
        const error = thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown })
        escalateTrap(error)
        const about = { route: describeMatch(row.of), step: name }
        const { id, from } = envelopeOf(node)
        if (phase === 'commit' || deps.isWorthAnother(`${about.route} ${name} ${from} ${id}`)) {
          isFenced = true
          return deps.onFailure(error, about)
        }
        deps.onGivenUp(error, about)
      }
      if (outcome !== undefined) break
    }
    await answer(row, node, outcome)
  }

  async function answer(row: Route, node: BinaryNode, outcome: unknown): Promise<void> {
    if (isFenced || !ws.isOpen) return
    try {
      await row.answer.send(node, outcome)
    } catch (thrown) {
      deps.onUnanswered(thrown instanceof Error ? thrown : new Error(String(thrown)))
    }
  }

  async function inLine(row: Route, node: BinaryNode): Promise<void> {
    const { name, key, overlaps = false, most = Number.POSITIVE_INFINITY } = row.line
    const id = key(node)
    if (id === undefined) return run(row, node)
    const line = lines.get(id) ?? { begun: undefined, done: undefined, count: 0 }
    if (line.count >= most) {
      deps.onOverflow(name)
      return answer(row, node, undefined)
    }
    line.count++
    lines.set(id, line)
    const before = overlaps ? line.begun : line.done
    const earlier = line.done
    let letNext = () => {}
    line.begun = new Promise((resolve) => {
      letNext = resolve
    })
    const work = () => run(row, node, letNext)
    const mine = (before ? before.then(work) : work()).finally(() => {
      letNext()
      if (--line.count === 0) lines.delete(id)
    })
    line.done = earlier ? earlier.then(() => mine) : mine
    await mine
  }

  async function take(node: BinaryNode): Promise<void> {
    if (isFenced) return
    const row = byTag.get(node.tag)?.find(({ of }) => fits(of, node))
    if (!row || row.isRest) deps.onUnknown(node)
    if (!row) return
    if (!isAnswered(node.tag)) return inLine(row, node)
    const through = deps.came(node.tag)
    const taking = inLine(row, node)
    underWay.set(node, taking)
    try {
      await taking
    } finally {
      underWay.delete(node)
      through()
    }
  }

  return {
    serve(table) {
      for (const row of table as unknown as readonly Route[]) byTag.set(row.of.tag, [...(byTag.get(row.of.tag) ?? []), row])
      ws.on('frame', (node: BinaryNode) => void take(node))
    },
    take,
    before(fits) {
      const earlier = [...underWay].filter(([node]) => fits(node)).map(([, taking]) => taking)
      return earlier.length === 0 ? undefined : async () => void (await Promise.all(earlier))
    },
    fence() {
      isFenced = true
    },
  }
}

const isAnswered = (tag: string): tag is Answered => (ANSWERED as readonly string[]).includes(tag)

export const rowOf = (table: Table, node: BinaryNode): Route<never> | undefined => table.find(({ of }) => fits(of, node))

export const describeTable = (table: Table): string[] =>
  table.map(({ of, line, steps, answer }) =>
    [
      describeMatch(of),
      line.name,
      steps.map(({ phase, name }) => `${phase} ${name}`).join(', ') || 'nothing',
      `answer ${answer.name}`,
    ].join(' | '),
  )
