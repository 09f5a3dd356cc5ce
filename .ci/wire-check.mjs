// Holds traces against the specification of the wire: `node .ci/wire-check.mjs FOLDER [--extra]`, where tests ran with SVC_SANDBOX_TRACE=FOLDER.
// The specification and its reader lie outside the project (`../shared`); where they are not, it says so and is content.
// `from client` is what the gateway sends, a risk on the real network; `from server` what the simulator sends, its fidelity. Of what the
// gateway sends everything counts that the specification does not know, unless a row of SENT has the reason; FOLDER/library has conversations
// of the library itself, of which only violations count. --extra lists what the simulator sends beyond the specification, too.
import { createReadStream, existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'

/**
 * Violations that are known and stay, each with its reason: `{ from, operation, path, problem, why }`. A row that no longer matches anything is reported,
 * so that it is removed.
 */
const KNOWN = [
  {
    from: 'client',
    operation: 'GetNewsletterMessages',
    path: 'iq@count',
    problem: 'is missing',
    why: 'the count of <messages>, which the extractor repeats at the root; other clients have it there alone',
  },
  {
    from: 'client',
    operation: 'RevokeRequestCode',
    path: 'iq/revoke/participant',
    problem: 'is missing',
    why: 'test/simulator/queries.test.ts sends it to see that the network refuses it; the gateway never sends this query',
  },
  {
    from: 'server',
    operation: 'GetNewsletterMessages -> ClientError',
    path: 'iq/error@text',
    why: 'the tree merges six refusals and has the text of the first',
  },
  {
    from: 'server',
    operation: 'FetchMissingPreKeys -> Success',
    path: 'iq/list/user/device/pqkey',
    problem: 'is missing',
    why: 'only for clients that ask with pqsupport; an optional mixin, as in the answer to FetchKeyBundles',
  },
  {
    from: 'server',
    operation: 'FetchMissingPreKeys -> Success',
    path: 'iq/list/user/device/device-identity',
    problem: 'is missing',
    why: 'a phone has none, only linked devices do; an optional mixin, as in the answer to FetchKeyBundles',
  },
]

/** An attribute or node of a form, as the specification writes them. */
const is = (value) => ({ type: 'literal', value })
const group = { type: 'groupJid' }
const tree = (tag, attrs = {}, children = []) => ({ tag, attrs, children, min: 1, max: 1 })
const iq = (type, attrs, ...children) => tree('iq', { id: { type: 'stanzaId' }, type: is(type), ...attrs }, children)
const code = { code: { type: 'string' } }
const REFUSED = {
  variant: 'Error',
  node: iq('error', { from: { type: 'jid' } }, tree('error', { code: { type: 'int' }, text: { type: 'string' } })),
}

/**
 * Forms of queries that the specification does not contain, written like its own entries after what whatsmeow and zapo send. Each query is checked
 * against its form like any other; a form excuses no other query.
 */
const FORMS = [
  {
    name: 'GetGroupLink',
    node: iq('get', { xmlns: is('w:g2'), to: group }, tree('invite')),
    answers: [{ variant: 'Success', node: iq('result', { from: group }, tree('invite', code)) }, REFUSED],
  },
  {
    name: 'RenewGroupLink',
    node: iq('set', { xmlns: is('w:g2'), to: group }, tree('invite')),
    answers: [{ variant: 'Success', node: iq('result', { from: group }, tree('invite', code)) }, REFUSED],
  },
  {
    name: 'JoinByLink',
    node: iq('set', { xmlns: is('w:g2'), to: is('g.us') }, tree('invite', code)),
    answers: [
      { variant: 'Joined', node: iq('result', { from: { type: 'jid' } }, tree('group', { jid: group })) },
      { variant: 'Asked', node: iq('result', { from: { type: 'jid' } }, tree('membership_approval_request', { jid: group })) },
      REFUSED,
    ],
  },
  {
    // How many one-time keys the network has; the library and whatsmeow ask for it at a login.
    name: 'CountPreKeys',
    node: iq('get', { xmlns: is('encrypt'), to: is('s.whatsapp.net') }, tree('count')),
    answers: [
      { variant: 'Success', node: iq('result', { from: { type: 'jid' } }, tree('count', { value: { type: 'int' } })) },
      REFUSED,
    ],
  },
  {
    // A linked device logs out.
    name: 'RemoveCompanionDevice',
    node: iq(
      'set',
      { xmlns: is('md'), to: is('s.whatsapp.net') },
      tree('remove-companion-device', { jid: { type: 'jid' }, reason: { type: 'string' } }),
    ),
    answers: [{ variant: 'Success', node: iq('result', { from: { type: 'jid' } }) }, REFUSED],
  },
  {
    // The trusted-contact token that we give to somebody.
    name: 'GiveTrustedContactTokens',
    node: iq(
      'set',
      { xmlns: is('privacy'), to: is('s.whatsapp.net') },
      tree('tokens', {}, [
        { ...tree('token', { jid: { type: 'jid' }, t: { type: 'int' }, type: is('trusted_contact') }), max: null },
      ]),
    ),
    answers: [{ variant: 'Success', node: iq('result', { from: { type: 'jid' } }) }, REFUSED],
  },
]

/**
 * Stanzas of the gateway that the specification does not have, each with its reason. A query as a whole has no path; its operation is namespace,
 * kind and first child.
 */
const SENT = [
  {
    operation: /^iq (usync|w:m|w:sync:app:state|w:biz:catalog|w:profile:picture|fb:thrift_iq|disappearing_mode|status) /,
    why: 'namespaces that are not in the specification, or only with other kinds of queries (its README, limits)',
  },
  {
    operation: /^iq w:g2 set (leave|member_add_mode)$/,
    why: 'not in the specification (its README, limits): as whatsmeow and zapo leave a group, and say who may add',
  },
  {
    operation: /^iq w:g2 get sub_groups$/,
    why: 'only where GraphQL does not answer for the groups of a community: as the library asks',
  },
  {
    operation: /^mex UpdateGroupProperty$/,
    path: 'variables.update.allow_non_admin_sub_group_creation',
    why: 'only where the setting itself is refused: the specification has the mutation and not its properties; as the phone names it',
  },
  {
    operation: /^iq w:biz [gs]et business_profile$/,
    why: 'profiles of businesses are not in the specification: as zapo and earlier web clients',
  },
  {
    operation: /^iq tos [gs]et request$/,
    why: 'terms about channels: the specification has other forms of terms only; as zapo',
  },
  ...['type', 'jid', 'before'].map((name) => ({
    operation: /^GetNewsletterMessages$/,
    path: `iq/messages@${name}`,
    why: 'a mixin that the extractor left out: which channel, and before which post; zapo sends it',
  })),
  ...['newsletter_id', 'type', 'value'].map((name) => ({
    operation: /^mex UpdateNewsletterUserSetting$/,
    path: `variables.input.${name}`,
    why: 'the specification has the input and not what is in it; as zapo (a list of settings was refused in captured answers)',
  })),
  ...['settings.reaction_codes', 'reaction_codes'].map((name) => ({
    operation: /^mex UpdateNewsletter$/,
    path: `variables.updates.${name}`,
    why: 'the specification has the settings and not what is in them: as the answer names them, then as zapo',
  })),
  {
    operation: /^mex (8823471724422422|35452404184358876|29766401636284406|9864994326891137)$/,
    path: 'query@query_id',
    why: 'numbers of older builds, asked when the network does not know or does not take the newer one',
  },
  {
    operation: /^iq privacy [gs]et privacy$/,
    why: 'the specification has privacy lists alone, and not the settings themselves (its README, limits): as the library and whatsmeow',
  },
  { operation: /^receipt server-error encrypt rmr$/, why: 'asks the phone for a file again, as whatsmeow does' },
  {
    operation: /^receipt retry$/,
    path: 'receipt/keys/type',
    why: 'the kind of keys, as whatsmeow and the library send it; the parser of the web client does not read it',
  },
  {
    operation: /^call$/,
    path: 'call/reject@count',
    why: 'the tree is of the parser; whatsmeow rejects with it, and the network takes it',
  },
  {
    operation: /^message /,
    path: 'message/cstoken',
    why: 'stands for the token of trust of who gave none; as whatsmeow and zapo (docs/wire-facts.md 2)',
  },
  {
    operation: /^message from-is-newsletter$/,
    path: 'message@media_id',
    why: 'the handle that the upload of a file for a channel answered with; whatsmeow sends it beside the post',
  },
  {
    operation: /^message from-is-newsletter$/,
    path: 'message/plaintext@mediatype',
    why: 'the network refuses media in a channel without it with 479',
  },
  {
    operation: /^message from-is-not-newsletter$/,
    path: 'message/biz/interactive/native_flow@v',
    why: 'no client draws the buttons without it (interactive.md 1.3); zapo sends it, too',
  },
  {
    operation: /^UpdateBlockList$/,
    path: 'iq/item@pn_jid',
    why: 'a mixin that the extractor left out: the answers of the same operation have it, and zapo sends it',
  },
  {
    operation: /^UpdateBlockList$/,
    path: 'iq/item@unknown_identifier',
    why: 'a mixin that the extractor left out: the answers of the same operation have it, and zapo sends it',
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
  const spec = loadSpec(join(shared, 'spec'))
  for (const form of FORMS) {
    const { xmlns, type } = form.node.attrs
    const key = `${xmlns.value} ${type.value}`
    spec.queries.set(key, [...(spec.queries.get(key) ?? []), form])
  }
  const checker = new Checker(spec)
  const traces = (name) => readdirSync(name).filter((file) => file.endsWith('.jsonl'))
  // An answer that a test ordered shows how the gateway takes it, not how the network answers.
  let ordered = 0
  const take = (line, where) => {
    if (line.ordered) ordered += 1
    else checker.take(line, where)
  }
  for (const file of traces(folder).sort()) await readLines(join(folder, file), take)
  // Stanzas of the gateway, before the library's own conversations are added to the same counts.
  const ours = checker.groups.filter((one) => one.from === 'client' && one.severity !== 'VIOLATION' && one.severity !== 'DOUBT')
  const library = join(folder, 'library')
  if (existsSync(library)) for (const file of traces(library).sort()) await readLines(join(library, file), take)
  const { client, server } = checker.counts
  for (const place of [folder, library].filter(existsSync))
    for (const file of readdirSync(place)
      .filter((name) => name.endsWith('.appstate'))
      .sort())
      await readLines(join(place, file), (action, where, line) => checker.takeAction(action, where, line))
  const settings = checker.counts.lines - client - server

  const of = (severity) => checker.groups.filter((one) => one.severity === severity)
  const isKnown = (one) => KNOWN.some(({ why: _, ...row }) => Object.entries(row).every(([name, value]) => one[name] === value))
  const isRow = (one) => (row) => row.operation.test(one.operation) && (row.path ?? '') === one.path
  const violations = of('VIOLATION')
  const fresh = [...violations.filter((one) => !isKnown(one)), ...ours.filter((one) => !SENT.some(isRow(one)))]
  const stale = [
    ...KNOWN.filter((row) => !violations.some((one) => row.path === one.path && row.operation === one.operation)),
    ...(ours.length === 0 ? [] : SENT.filter((row) => !ours.some((one) => isRow(one)(row)))),
  ]
  for (const one of fresh) show(one)
  if (more) for (const one of [...of('UNKNOWN'), ...of('EXTRA')]) if (one.from === 'server') show(one)
  for (const { operation, path } of stale) say(`known, and seen no more: ${operation} | ${path ?? ''}`)
  const seen = [...checker.seen.keys()]
  const isOwn = (name) => FORMS.some((form) => name.endsWith(` ${form.name}`))
  const operations = seen.filter((name) => name.startsWith('client iq ') && !isOwn(name)).length
  const mex = seen.filter((name) => name.startsWith('client mex ')).length
  const started = seen.filter((name) => name.startsWith('server ') && !/ -> | ack |\(unpaired\)|\(unknown\)/.test(name)).length
  say(
    `wire: ${client} stanzas of the gateway, ${server} of the network, ${settings} settings; ` +
      `${operations} queries and ${mex} mex operations of the specification, ${started} kinds that the network started, ${seen.length} kinds in all; ` +
      `${violations.filter((one) => !isKnown(one)).length} violations, ${violations.filter(isKnown).length} known; ` +
      `${ours.length} kinds of ours that it does not know, ${ours.filter((one) => !SENT.some(isRow(one))).length} of them without a reason; ` +
      `${of('UNKNOWN').length} unknown, ${of('EXTRA').length} extra on both sides; ${ordered} answers that tests ordered are not compared`,
  )
  if (client + server === 0) {
    say('wire: nothing was traced, which cannot be right')
    return 1
  }
  return fresh.length > 0 ? 1 : 0
}

process.exitCode = await main(process.argv[2] ?? '.', process.argv.includes('--extra'))
