/**
 * The official MCP inspector, in its command-line mode, lists the tools, sends a text, and shows why another text was
 * refused.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ROOT } from '../harness/checkout.ts'
import type { Instance } from '../harness/gateway.ts'
import { startWorld, type World } from '../harness/world.ts'

const ME = '5511999990000'
const ANA = '5511988880001'

const inspector = fileURLToPath(
  new URL('test/inspector/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js', ROOT),
)

/** Whether this version of Node is 22.19 or later, which the inspector needs (`engines` in its package). */
function isNewEnough([major = 0, minor = 0]: number[]): boolean {
  return major > 22 || (major === 22 && minor >= 19)
}
const { nodeAtHand } = (await import(new URL('scripts/node-runtime.mjs', ROOT).href)) as {
  nodeAtHand(major: number): string | undefined
}
const node = isNewEnough(process.versions.node.split('.').map(Number)) ? process.execPath : nodeAtHand(24)

function reasonToSkip(): string | false {
  if (!existsSync(inspector)) return 'the inspector is not installed: npm ci --prefix test/inspector'
  return node === undefined && 'the inspector needs Node 22.19 or later: node scripts/other-node.mjs fetches one'
}

describe('the inspector on the command line', { skip: reasonToSkip() }, () => {
  let world: World
  let instance: Instance
  before(async () => {
    world = await startWorld({ own: true })
    await world.sandbox.createContact(ANA, { name: 'Ana' })
    instance = await world.gateway.connected(world.sandbox, ME, world.receiver)
  })
  after(() => world?.stop())

  interface Shown {
    code: number
    stdout: string
    stderr: string
  }

  function inspect(...asked: string[]): Promise<Shown> {
    const server = [
      '--server-url',
      `${world.gateway.baseUrl}/mcp`,
      '--transport',
      'http',
      '--header',
      `Authorization: Bearer ${instance.token}`,
    ]
    // `HOME` is a temporary folder, because the inspector stores a list of known servers in its home folder.
    const options = { cwd: world.dir, env: { HOME: world.dir }, maxBuffer: 16 * 2 ** 20 }
    return new Promise((resolve) => {
      execFile(node!, [inspector, '--cli', ...server, ...asked], options, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr })
      })
    })
  }
  const called = (name: string, fields: Record<string, string>) => {
    // The inspector would send a text of digits as a number. So every value is given as JSON.
    const pairs = Object.entries(fields).map(([field, value]) => `${field}=${JSON.stringify(value)}`)
    return inspect('--method', 'tools/call', '--tool-name', name, '--tool-arg', ...pairs)
  }

  test('lists the tools, whose schemas every client can read', async () => {
    // The option `--strict` makes the inspector end with a special exit code if there is a schema that some clients
    // cannot read.
    const { code, stdout, stderr } = await inspect('--method', 'tools/list', '--strict')
    assert.deepEqual([code, stderr.trim()], [0, ''])
    const { tools } = JSON.parse(stdout) as { tools: { name: string; inputSchema: { required?: string[] } }[] }
    assert.equal(tools.length, 62)
    assert.deepEqual(tools.find(({ name }) => name === 'send_text')?.inputSchema.required, ['phone', 'message'])
  })

  test('sends a text, which arrives', async () => {
    const { code, stdout, stderr } = await called('send_text', { phone: ANA, message: 'Hello from a shell' })
    assert.equal(code, 0, stderr)
    const sent = (JSON.parse(stdout) as { structuredContent: { status: string; message_id: string } }).structuredContent
    assert.equal(sent.status, 'queued')
    const id = sent.message_id
    await world.receiver.waitFor('delivery', ({ type, message_id }) => type === 'delivery' && message_id === id)
    assert.deepEqual(
      (await world.sandbox.inbox(ANA)).map(({ id, text }) => [id, text]),
      [[id, 'Hello from a shell']],
    )
  })

  test('says why a call was refused', async () => {
    const { code, stdout } = await called('send_text', { phone: 'nobody', message: 'Hello' })
    const { isError, content } = JSON.parse(stdout) as { isError: boolean; content: { text: string }[] }
    assert.deepEqual([code, isError, JSON.parse(content[0]!.text).error.code], [5, true, 'invalid_phone'])
  })
})
