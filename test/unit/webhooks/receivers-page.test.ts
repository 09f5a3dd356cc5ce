/** The README's functions for receivers do what they say, in every language that this machine has. The signatures are ours. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { sign } from '../../../src/webhooks/delivery/signature.ts'
import { ROOT } from '../../harness/checkout.ts'
import { tempDir } from '../storage/fixtures.ts'

const page = readFileSync(new URL('README.md', ROOT), 'utf8')
const receivers = page.slice(page.indexOf('### For receivers'), page.indexOf('## Configuration'))
function snippet(language: string): string {
  const found = [...receivers.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].filter(([, name]) => name === language)
  assert.equal(found.length, 1, `one snippet in ${language}`)
  return found[0]![2]!
}

const SECRET = 'whsec_Zk3v1r0b8mQ5nT7yW2xC4dE6fG9hJ1kL'
const BODY = Buffer.from('{"type":"received","text":{"message":"olá 👋"}}')
const CHANGED = Buffer.from('{"type":"received","text":{"message":"olé 👋"}}')
/** [what, body, header, is genuine] */
const cases = (): [string, Buffer, string, boolean][] => {
  const now = Date.now()
  return [
    ['signed', BODY, sign([SECRET], BODY, now), true],
    ['signed by the new secret and this one', BODY, sign(['whsec_new', SECRET], BODY, now), true],
    ['a changed byte', CHANGED, sign([SECRET], BODY, now), false],
    ['another secret', BODY, sign(['whsec_other'], BODY, now), false],
    ['an old time', BODY, sign([SECRET], BODY, now - 400_000), false],
    ['a time to come', BODY, sign([SECRET], BODY, now + 400_000), false],
    ['no header', BODY, '', false],
    ['a header that is none', BODY, 't=,v1=,x,v1', false],
    ['a time in digits that are none', BODY, `t=²,v1=${'0'.repeat(64)}`, false],
    ['a time longer than a number', BODY, `t=${'9'.repeat(5_000)},v1=${'0'.repeat(64)}`, false],
    ['a short signature', BODY, sign([SECRET], BODY, now).slice(0, -2), false],
  ]
}

const has = (program: string, ...args: string[]) => spawnSync(program, args, { stdio: 'ignore' }).status === 0

/** Asks a program once for each case: body in base64, header and secret as its arguments; it prints `true` or `false`. */
function check(program: string, args: string[], options: { cwd?: string } = {}) {
  for (const [what, body, header, expected] of cases()) {
    const said = execFileSync(program, [...args, body.toString('base64'), header, SECRET], { ...options, encoding: 'utf8' })
    assert.equal(said.trim().toLowerCase(), String(expected), what)
  }
}

test('Node', async (t) => {
  const file = join(await tempDir(t), 'receiver.mjs')
  const driver = `const [body, header, secret] = process.argv.slice(2)\nconsole.log(isGenuine(Buffer.from(body, 'base64'), header, secret))`
  await writeFile(file, `${snippet('js')}\n${driver}\n`)
  check(process.execPath, [file])
})

test('Python', { skip: !has('python3', '--version') }, async (t) => {
  const file = join(await tempDir(t), 'receiver.py')
  const driver = 'import base64, sys\nprint(is_genuine(base64.b64decode(sys.argv[1]), sys.argv[2], sys.argv[3]))'
  await writeFile(file, `${snippet('python')}\n${driver}\n`)
  check('python3', [file])
})

test('PHP', { skip: !has('php', '--version') }, async (t) => {
  const file = join(await tempDir(t), 'receiver.php')
  const driver = 'echo is_genuine(base64_decode($argv[1]), $argv[2], $argv[3]) ? "true" : "false";'
  await writeFile(file, `<?php\n${snippet('php')}\n${driver}\n`)
  check('php', [file])
})

test('Go', { skip: !has('go', 'version') }, async (t) => {
  const dir = await tempDir(t)
  const packages = ['crypto/hmac', 'crypto/sha256', 'encoding/base64', 'encoding/hex', 'fmt', 'os', 'strconv', 'strings', 'time']
  const driver =
    'func main() {\n\tbody, _ := base64.StdEncoding.DecodeString(os.Args[1])\n\tfmt.Println(isGenuine(body, os.Args[2], os.Args[3]))\n}'
  const imports = `import (\n${packages.map((name) => `\t"${name}"`).join('\n')}\n)`
  await writeFile(join(dir, 'main.go'), `package main\n\n${imports}\n\n${snippet('go')}\n${driver}\n`)
  execFileSync('go', ['build', '-o', 'receiver', 'main.go'], { cwd: dir })
  check(join(dir, 'receiver'), [])
})

test('n8n, whose Code node gives it the item and its binary data', async () => {
  const code = snippet('javascript').replace('whsec_…', SECRET)
  const AsyncFunction = (async () => {}).constructor as new (...args: string[]) => (...given: unknown[]) => Promise<unknown>
  const node = new AsyncFunction('$input', 'require', code)
  for (const [what, body, header, expected] of cases()) {
    const item = { json: { headers: header === '' ? {} : { 'x-svc-signature': header } } }
    const run = node.call(
      { helpers: { getBinaryDataBuffer: async () => body } },
      { first: () => item },
      createRequire(import.meta.url),
    )
    if (expected) assert.deepEqual(await run, [{ json: JSON.parse(body.toString()) }], what)
    else await assert.rejects(run, /not from svc/, what)
  }
})
