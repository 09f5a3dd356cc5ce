// Holds traces against the specification of the wire: `node .ci/wire-check.mjs FOLDER [--extra]`, where tests ran with SVC_SANDBOX_TRACE=FOLDER.
// The specification and its reader lie outside the project (`../shared`); where they are not, it says so and is content.
// --extra lists what the specification does not know, too: nothing wrong by itself.
// `from client` is what the gateway sends, a risk on the real network; `from server` what the simulator sends, its fidelity.
import { createReadStream, existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'

/**
 * Violations that are known and stay, each with its reason: `{ from, operation, path, why }`. A row that nothing matches any more is told,
 * so that it goes.
 */
const KNOWN = [
  {
    from: 'server',
    operation: 'FetchMissingPreKeys -> Success',
    path: 'iq/list/user/device/pqkey',
    why: 'only for clients that ask with pqsupport; an optional mixin, as in the answer to FetchKeyBundles',
  },
  {
    from: 'server',
    operation: 'FetchMissingPreKeys -> Success',
    path: 'iq/list/user/device/device-identity',
    why: 'a phone has none, only linked devices do; an optional mixin, as in the answer to FetchKeyBundles',
  },
  {
    from: 'client',
    operation: 'GetInviteGroupInfo',
    path: 'iq@to',
    why: 'the query for the link of a group goes to the group and has no code; the specification lists only the look-up by code, for which it is taken',
  },
  {
    from: 'client',
    operation: 'GetInviteGroupInfo',
    path: 'iq/invite@code',
    why: 'the query for the link of a group goes to the group and has no code; the specification lists only the look-up by code, for which it is taken',
  },
  {
    from: 'server',
    operation: 'GetInviteGroupInfo -> Success',
    path: 'iq/group',
    why: 'the query for the link of a group goes to the group and has no code; the specification lists only the look-up by code, for which it is taken',
  },
  {
    from: 'server',
    operation: 'ActiveIQ',
    path: 'iq',
    why: 'a test has the network refuse every query of a login',
  },
  {
    from: 'server',
    operation: 'GetBlockList -> InternalServerError',
    path: 'iq/error@code',
    why: 'a test has the network refuse every query of a login',
  },
  {
    from: 'server',
    operation: 'GetExperimentConfig -> ErrorRetry',
    path: 'iq/error@text',
    why: 'a test has the network refuse every query of a login',
  },
]

const say = (line) => process.stdout.write(`${line}\n`)

/** One JSON value per line; the last line of a file may be cut off, because its process was killed. */
async function readLines(file, take) {
  let broken
  let number = 0
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1
    if (broken !== undefined) throw new Error(`${file}:${broken} is not JSON`)
    if (line === '') continue
    let value
    try {
      value = JSON.parse(line)
    } catch {
      broken = number
      continue
    }
    take(value, `${file.split('/').at(-1)}:${number}`, line)
  }
}

function show({ severity, from, operation, path, problem, count, example }) {
  say(`${severity} ${from} | ${operation} | ${path} | ${problem} | ${count}\n    ${example}`)
}

async function main(folder, more) {
  const shared = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'shared')
  const tool = join(shared, 'tools', 'wire-check.mjs')
  if (!existsSync(tool)) {
    say('wire: there is no specification here (../shared); the traces are not checked')
    return 0
  }
  const { Checker, loadSpec } = await import(pathToFileURL(tool).href)
  const checker = new Checker(loadSpec(join(shared, 'spec')))
  const files = readdirSync(folder).sort()
  for (const file of files.filter((name) => name.endsWith('.jsonl')))
    await readLines(join(folder, file), (line, where) => checker.take(line, where))
  const { client, server } = checker.counts
  for (const file of files.filter((name) => name.endsWith('.appstate')))
    await readLines(join(folder, file), (action, where, line) => checker.takeAction(action, where, line))
  const settings = checker.counts.lines - client - server

  const of = (severity) => checker.groups.filter((one) => one.severity === severity)
  const isKnown = (one) =>
    KNOWN.some(({ from, operation, path }) => one.from === from && one.operation === operation && one.path === path)
  const violations = of('VIOLATION')
  const fresh = violations.filter((one) => !isKnown(one))
  const stale = KNOWN.filter((row) => !violations.some((one) => row.path === one.path && row.operation === one.operation))
  for (const one of fresh) show(one)
  if (more) for (const one of [...of('UNKNOWN'), ...of('EXTRA')]) show(one)
  for (const { operation, path } of stale) say(`known, and seen no more: ${operation} | ${path}`)
  const seen = [...checker.seen.keys()]
  const operations = seen.filter((name) => name.startsWith('client iq ')).length
  const mex = seen.filter((name) => name.startsWith('client mex ')).length
  const started = seen.filter((name) => name.startsWith('server ') && !/ -> | ack |\(unpaired\)|\(unknown\)/.test(name)).length
  say(
    `wire: ${client} stanzas of the gateway, ${server} of the network, ${settings} settings; ` +
      `${operations} queries and ${mex} mex operations of the specification, ${started} kinds that the network started, ${seen.length} kinds in all; ` +
      `${fresh.length} violations, ${violations.length - fresh.length} known, ${of('UNKNOWN').length} unknown, ${of('EXTRA').length} extra`,
  )
  if (client + server === 0) {
    say('wire: nothing was traced, which cannot be right')
    return 1
  }
  return fresh.length > 0 ? 1 : 0
}

process.exitCode = await main(process.argv[2] ?? '.', process.argv.includes('--extra'))
