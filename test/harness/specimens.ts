/**
 * Builds an example of each kind of stanza that the server may send without a request, from the description of the
 * protocol in `../shared`. Without that folder, no examples are built.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ROOT } from './checkout.ts'

/** The JSON form in which the sandbox accepts stanzas. */
export type StanzaJson = [tag: string, attrs: Record<string, string>, content?: StanzaJson[] | string | { b64: string }]

interface Value {
  type: string
  value?: string
  enumValues?: readonly (string | number)[]
  min?: number
  optional?: boolean
  direction?: string
}

interface Tree {
  tag: string
  attrs?: Record<string, Value>
  children?: Tree[]
  content?: Value
  min?: number
}

interface Spec {
  server: Map<string, { name: string; node: Tree }[]>
}

interface Tool {
  loadSpec(folder: string): Spec
  Checker: new (spec: Spec) => { take(line: unknown, where: string): void; groups: { severity: string }[] }
}

const shared = join(fileURLToPath(ROOT), '..', 'shared')

/** Reads the description of the protocol. Resolves with undefined if the description is not on this machine. */
async function read(): Promise<{ spec: Spec; isSpecified(node: StanzaJson): boolean } | undefined> {
  const tool = join(shared, 'tools', 'wire-check.mjs')
  if (!existsSync(tool)) return undefined
  const { loadSpec, Checker } = (await import(pathToFileURL(tool).href)) as Tool
  const spec = loadSpec(join(shared, 'spec'))
  return {
    spec,
    isSpecified(node) {
      const checker = new Checker(spec)
      checker.take({ t: 0, conn: 'a', from: 'server', node }, 'specimen')
      return checker.groups.every(({ severity }) => severity !== 'VIOLATION' && severity !== 'UNKNOWN')
    },
  }
}

const TIME = '1795360566'

/**
 * Returns the examples by kind. The name of a kind is `tag type child`, with a dash for each part that is absent.
 * `person`: the number and the LID of the sender.
 */
export async function specimens(
  kinds: readonly string[],
  person: { pn: string; lid: string },
): Promise<ReadonlyMap<string, StanzaJson>> {
  const known = await read()
  const found = new Map<string, StanzaJson>()
  for (const kind of known ? kinds : []) {
    const [tag = '', type, child] = kind.split(' ').map((part) => (part === '-' ? undefined : part))
    const forms = (known!.spec.server.get(tag) ?? []).filter(
      ({ name, node }) => name !== 'GenericNotification' && fits(node, type, child),
    )
    const made = forms.map(({ node }) => specimen(node, person, child))
    for (const [, attrs] of made)
      Object.assign(attrs, { ...(type ? { type } : {}), id: 'SPECIMEN', from: attrs.from ?? person.pn, t: TIME })
    const right = made.find((node) => known!.isSpecified(node))
    if (right) found.set(kind, right)
  }
  return found
}

function fits({ attrs, children = [] }: Tree, type: string | undefined, child: string | undefined): boolean {
  const { value, enumValues = [] } = attrs?.type ?? {}
  const types = value === undefined ? enumValues.map(String) : [value]
  return (type === undefined || types.includes(type)) && (child === undefined || children.some(({ tag }) => tag === child))
}

const comesIn = ({ direction }: Value) => direction !== 'out'

/**
 * Builds a stanza from its description. `only`: the tag of the children that the stanza gets; by default it gets every
 * required child.
 */
function specimen(tree: Tree, person: { pn: string; lid: string }, only?: string): StanzaJson {
  const required = Object.entries(tree.attrs ?? {}).filter(([, value]) => comesIn(value) && !value.optional)
  const attrs = Object.fromEntries(required.map(([name, value]) => [name, written(value, person)]))
  const wanted = (tree.children ?? []).filter(({ tag, min = 1 }) => (only === undefined ? tag !== '*' && min > 0 : tag === only))
  const children = [...new Map(wanted.map((each) => [each.tag, each])).values()].flatMap((each) =>
    Array.from({ length: Math.max(each.min ?? 1, 1) }, () => specimen(each, person)),
  )
  if (children.length > 0) return [tree.tag, attrs, children]
  return tree.content && !tree.content.optional ? [tree.tag, attrs, contentOf(tree.content)] : [tree.tag, attrs]
}

function written({ type, value, enumValues, min = 1 }: Value, { pn, lid }: { pn: string; lid: string }): string {
  if (value !== undefined) return value
  if (enumValues?.length) return String(enumValues[0])
  if (type === 'int' || type === 'longInt') return String(Math.max(min, 1))
  if (type === 'time') return TIME
  if (type === 'bool') return 'true'
  if (type === 'groupJid') return '120363000000000180@g.us'
  if (type === 'newsletterJid') return '120363000000000181@newsletter'
  if (type === 'broadcastJid') return 'status@broadcast'
  if (type === 'lidUserJid' || type === 'lidDeviceJid') return lid
  return /jid$/i.test(type) ? pn : 'X1'
}

function contentOf({ type, enumValues, min = 1 }: Value): string | { b64: string } {
  if (enumValues?.length) return String(enumValues[0])
  const length = Math.max(min, 1)
  return type === 'string' ? 'x'.repeat(length) : { b64: Buffer.alloc(length, 1).toString('base64') }
}
