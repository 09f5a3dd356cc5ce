/**
 * The only file that listens to stanzas. The library confirms what comes before anything of it is durable, so its listeners for the kinds
 * the network wants an answer for are detached here, right after the socket is made, and a table says what is done in their place: which
 * stanzas a row is about, in which line they wait, the steps in their order, and how the network is answered. The answer is the last of
 * all: when a step fails nothing is answered, the connection is cut, and the network sends the stanza again.
 */
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { escalateTrap } from '../../baileys/thread/trap.ts'

/** What the library listened to with handlers of its own. */
export const DETACHED = ['CB:message', 'CB:receipt', 'CB:notification', 'CB:call', 'CB:ack,class:message'] as const

/** Kinds the network keeps until they are answered. */
export const ANSWERED = ['message', 'receipt', 'notification', 'call'] as const
export type Answered = (typeof ANSWERED)[number]

export interface Match {
  tag: string
  /** These attributes, with these values. */
  attrs?: Readonly<Record<string, string>>
  /** Its first child. */
  child?: string
  /** The server of `from`. */
  from?: string
}

/** `count`: nothing but numbers. `intercept`: an effect in memory, or one that may come twice. `translate`: what it means. `commit`: on disk. */
export type Phase = 'count' | 'intercept' | 'translate' | 'commit'

export interface Step<Outcome = unknown> {
  phase: Phase
  name: string
  /** Its result is an outcome: it took the stanza, the steps behind it are left out, and the answer goes by it. Undefined: it did not. */
  decides: boolean
  /** A failure means that the stanza has to come again. */
  run(node: BinaryNode): Outcome | undefined | Promise<Outcome | undefined>
}

export interface Answer<Outcome = unknown> {
  name: string
  send(node: BinaryNode, outcome: Outcome | undefined): void | Promise<void>
}

export interface Line {
  name: string
  /** Those of one key are taken one after the other, in the order they came. Undefined: at once. */
  key(node: BinaryNode): string | undefined
  /** How many may wait; what comes then is answered, and nothing else is done about it. */
  most?: number
}

export interface Route<Outcome = unknown> {
  of: Match
  line: Line
  steps: readonly Step<Outcome>[]
  answer: Answer<Outcome>
}

export type Table = readonly Route<never>[]

/** For a route whose steps say nothing that the answer asks for, and for one with an outcome of its own. */
export const route = <Outcome>(of: Match, line: Line, steps: readonly Step<Outcome>[], answer: Answer<Outcome>): Route<never> =>
  ({ of, line, steps, answer }) as unknown as Route<never>

/** One that has an effect, and one that says what became of the stanza. */
export const step = (phase: Phase, name: string, run: (node: BinaryNode) => unknown): Step<never> =>
  ({ phase, name, decides: false, run }) as Step<never>
export const decide = <Outcome>(phase: Phase, name: string, run: Step<Outcome>['run']): Step<Outcome> => ({
  phase,
  name,
  decides: true,
  run,
})

/** Nothing waits for it, and it waits for nothing. */
export const AT_ONCE: Line = { name: 'at once', key: () => undefined }
/** One after the other, whatever they are about. */
export const oneByOne = (name: string, most?: number): Line => ({
  name,
  key: () => name,
  ...(most === undefined ? {} : { most }),
})
export const NO_ANSWER: Answer = { name: 'nothing', send() {} }

export interface RouterDeps {
  /** A stanza the network wants an answer for has come. What is returned is called when it is through, whatever became of it. */
  came(kind: Answered): () => void
  /** Whether what an `intercept` step failed at is to come again. Counts. */
  isWorthAnother(stanza: string): boolean
  /** Nothing is taken any more; the connection has to be cut. */
  onFailure(error: Error, about: { route: string; step: string }): void
  /** A stanza could not be taken however often it came: it is answered. */
  onGivenUp(error: Error, about: { route: string; step: string }): void
  /** More wait in a line than may: one is answered unread. */
  onOverflow(line: string): void
  /** The answer could not be written: mostly because the connection has just gone. */
  onUnanswered(error: Error): void
}

export interface Router {
  /** As if it had come just now. Resolves when it is through. */
  take(node: BinaryNode): Promise<void>
  /** Of the stanzas that want an answer and are not through: resolves when those of them that fit are. Undefined: none fits. */
  before(fits: (node: BinaryNode) => boolean): (() => Promise<void>) | undefined
  /** The connection has ended: nothing is taken or answered any more. */
  fence(): void
}

type RoutedSocket = Pick<WASocket, 'ws'>

/** At once after the socket was made. */
export function detachLibrary({ ws }: RoutedSocket): void {
  for (const event of DETACHED) ws.removeAllListeners(event)
}

export function routeStanzas({ ws }: RoutedSocket, table: Table, deps: RouterDeps): Router {
  const rows = table as unknown as readonly Route[]
  const names = new Map(rows.map((row) => [row, describeMatch(row.of)]))
  const byTag = new Map<string, Route[]>()
  for (const row of rows) byTag.set(row.of.tag, [...(byTag.get(row.of.tag) ?? []), row])
  /** The last in line and how many there are, by key; never rejects. */
  const lines = new Map<string, { last: Promise<void> | undefined; count: number }>()
  /** Those that want an answer and are not through. */
  const underWay = new Map<BinaryNode, Promise<void>>()
  let isFenced = false

  async function run(row: Route, node: BinaryNode): Promise<void> {
    let outcome: unknown
    for (const { phase, name, decides, run } of row.steps) {
      if (isFenced) return
      try {
        const running = run(node)
        const result = running instanceof Promise ? await running : running
        if (decides) outcome = result
      } catch (thrown) {
        if (isFenced) return
        const error = thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown })
        escalateTrap(error)
        const about = { route: names.get(row)!, step: name }
        const { id = '', from = '' } = node.attrs
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
    const { name, key, most = Number.POSITIVE_INFINITY } = row.line
    const id = key(node)
    if (id === undefined) return run(row, node)
    const line = lines.get(id) ?? { last: undefined, count: 0 }
    if (line.count >= most) {
      deps.onOverflow(name)
      return answer(row, node, undefined)
    }
    line.count++
    lines.set(id, line)
    const work = () => run(row, node)
    line.last = (line.last ? line.last.then(work) : work()).finally(() => {
      if (--line.count === 0) lines.delete(id)
    })
    await line.last
  }

  async function take(node: BinaryNode): Promise<void> {
    if (isFenced) return
    const row = byTag.get(node.tag)?.find(({ of }) => fits(of, node))
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

  for (const tag of byTag.keys()) ws.on(`CB:${tag}`, (node: BinaryNode) => void take(node))

  return {
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

const firstChild = ({ content }: BinaryNode) => (Array.isArray(content) ? content[0]?.tag : undefined)

function fits({ attrs, child, from }: Match, node: BinaryNode): boolean {
  if (child !== undefined && firstChild(node) !== child) return false
  if (from !== undefined && !node.attrs.from?.endsWith(`@${from}`)) return false
  return attrs === undefined || Object.entries(attrs).every(([name, value]) => node.attrs[name] === value)
}

const describeMatch = ({ tag, attrs = {}, child, from }: Match) =>
  [tag, ...Object.entries(attrs).map(([name, value]) => `${name}=${value}`), from && `from=@${from}`, child && `<${child}>`]
    .filter(Boolean)
    .join(' ')

/** The table as text, a line per row. */
export const describeTable = (table: Table): string[] =>
  table.map(({ of, line, steps, answer }) =>
    [
      describeMatch(of),
      line.name,
      steps.map(({ phase, name }) => `${phase} ${name}`).join(', ') || 'nothing',
      `answer ${answer.name}`,
    ].join(' | '),
  )
