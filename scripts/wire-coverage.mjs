// Shows how much of the protocol the tests cover: `node scripts/wire-coverage.mjs [TRACES] [--write]`. TRACES is the
// folder that was SVC_SANDBOX_TRACE during a test run. The script counts the kinds of stanzas that the server may send
// unasked, and the operations of the specification. The specification is outside the repository (`../shared`). Without
// it, the kinds are read from the committed list, which --write updates.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const LIST = join(root, 'test/unit/connection/server-kinds.json')
const shared = join(root, '..', 'shared')
const tool = join(shared, 'tools', 'wire-check.mjs')
const say = (line) => process.stdout.write(`${line}\n`)
const traces = process.argv.slice(2).find((each) => !each.startsWith('--'))

/**
 * Child elements that only clients send, by the tag of the stanza. They are excluded, because the specification's trees
 * of these stanzas contain both directions.
 */
const OURS = { ib: ['offline_batch', 'unified_session'] }
/** Tags whose kinds are distinguished by the child element. Other tags have kinds by type, or only one kind. */
const BY_CHILD = new Set(['notification', 'ib', 'stream:error', 'iq'])

/** Returns the name of a kind of stanza, `tag type child`, with a dash for each part that is absent. */
const kind = (tag, type, child) => [tag, type ?? '-', child ?? '-'].join(' ')

function valuesOf(attr) {
  if (!attr) return [undefined]
  if (attr.value !== undefined) return [attr.value]
  return attr.enumValues ?? [undefined]
}

/** Returns every kind of stanza that the server may send unasked, as the specification describes them. */
function kindsOf(spec) {
  const kinds = new Set()
  for (const [tag, forms] of spec.server)
    for (const { name, node } of forms) {
      // This is the general form of a notification, and no kind of its own.
      if (name === 'GenericNotification') continue
      const children = (node.children ?? [])
        .map((child) => child.tag)
        .filter((child) => child !== '*' && !OURS[tag]?.includes(child))
      const attrs = node.attrs ?? {}
      const types = tag === 'iq' ? valuesOf(attrs.xmlns) : tag === 'failure' ? valuesOf(attrs.reason) : valuesOf(attrs.type)
      for (const type of tag === 'message' || tag === 'presence' || tag === 'status' ? [undefined] : types)
        for (const child of BY_CHILD.has(tag) && children.length > 0 ? children : [undefined])
          kinds.add(kind(tag, tag === 'iq' || attrs.type || attrs.reason ? type : undefined, child))
    }
  return [...kinds].sort()
}

const kindOf = ([tag, attrs, content]) => {
  const child = Array.isArray(content) ? content[0]?.[0] : undefined
  const type = tag === 'iq' ? attrs.xmlns : tag === 'failure' ? attrs.reason : attrs.type
  const isPlain = tag === 'message' || tag === 'presence' || tag === 'status'
  return kind(tag, isPlain ? undefined : type, BY_CHILD.has(tag) ? child : undefined)
}

function* linesOf(folder) {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.jsonl')))
    for (const line of readFileSync(join(folder, name), 'utf8').split('\n')) {
      try {
        if (line) yield JSON.parse(line)
      } catch {
        // The last line of a killed process may be incomplete, so it is ignored.
      }
    }
}

const { Checker, loadSpec } = existsSync(tool) ? await import(pathToFileURL(tool).href) : {}
const spec = loadSpec?.(join(shared, 'spec'))
if (spec && process.argv.includes('--write')) writeFileSync(LIST, `${JSON.stringify(kindsOf(spec), null, 2)}\n`)
const kinds = spec ? kindsOf(spec) : JSON.parse(readFileSync(LIST, 'utf8'))

const table = join(root, '.built/workers/shard/stanzas/stanza-table.js')
if (existsSync(table)) {
  const { stanzaTable } = await import(pathToFileURL(table).href)
  const { rowOf } = await import(pathToFileURL(join(root, '.built/workers/shard/connection/socket/stanza-router.js')).href)
  const rows = stanzaTable(new Proxy({}, { get: () => () => {} }))
  const named = kinds.filter((each) => {
    const row = rowOf(rows, nodeOf(each))
    return row && !row.isRest
  })
  say(`wire: of ${kinds.length} kinds that the server may start, the router's table names ${named.length}`)
  for (const each of kinds.filter((one) => !named.includes(one))) say(`  not named: ${each}`)
}

function nodeOf(name) {
  const [tag, type, child] = name.split(' ').map((part) => (part === '-' ? undefined : part))
  const key = tag === 'iq' ? 'xmlns' : tag === 'failure' ? 'reason' : 'type'
  const attrs = { ...(type ? { [key]: type } : {}), ...(tag === 'iq' ? { type: child ? 'set' : 'get' } : {}) }
  return { tag, attrs, ...(child ? { content: [{ tag: child, attrs: {} }] } : {}) }
}

if (traces) {
  const produced = new Set()
  const checker = spec && new Checker(spec)
  for (const folder of [traces, join(traces, 'library')].filter(existsSync))
    for (const line of linesOf(folder)) {
      if (line.from === 'server') produced.add(kindOf(line.node))
      if (folder === traces) checker?.take(line)
    }
  const missing = kinds.filter((each) => !produced.has(each))
  say(`wire: of ${kinds.length} kinds that the server may start, the simulator produced ${kinds.length - missing.length}`)
  say(`  not produced: ${missing.join(', ')}`)
  if (checker) {
    const queries = [...spec.queries].flatMap(([place, forms]) => forms.map(({ name }) => `iq ${place} ${name}`))
    const others = [...spec.client.values()].flatMap((forms) => forms.filter(({ isSoft }) => !isSoft).map(({ name }) => name))
    const used = (names) => names.filter((name) => checker.seen.has(`client ${name}`))
    const mex = Object.keys(spec.mex).map((name) => `mex ${name}`)
    for (const [what, names] of Object.entries({ queries, 'other stanzas of clients': others, 'mex operations': mex }))
      say(
        `wire: of ${names.length} ${what} of the specification the gateway used ${used(names).length}: ${used(names).join(', ')}`,
      )
  }
}
