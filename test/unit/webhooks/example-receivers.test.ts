import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { copyFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { sign } from '../../../src/webhooks/delivery/signature.ts'
import { ROOT } from '../../harness/checkout.ts'
import { tempDir } from '../storage/fixtures.ts'

const fileOf = (name: string) => fileURLToPath(new URL(`examples/receivers/${name}`, ROOT))
const textOf = (name: string) => readFileSync(fileOf(name), 'utf8')

const SECRET = 'whsec_Zk3v1r0b8mQ5nT7yW2xC4dE6fG9hJ1kL'
const BODY = Buffer.from('{"type":"received","text":{"message":"olá 👋"}}')
const CHANGED = Buffer.from('{"type":"received","text":{"message":"olé 👋"}}')
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

/**
 * Runs a program with each case: the body in base64, the header and the secret. It must print whether the signature is
 * valid.
 */
function check(program: string, args: string[], options: { cwd?: string } = {}) {
  for (const [what, body, header, expected] of cases()) {
    const said = execFileSync(program, [...args, body.toString('base64'), header, SECRET], { ...options, encoding: 'utf8' })
    assert.equal(said.trim().toLowerCase(), String(expected), what)
  }
}

test('Node', async (t) => {
  const file = join(await tempDir(t), 'driver.mjs')
  const driver = `import { isGenuine } from ${JSON.stringify(pathToFileURL(fileOf('node.mjs')).href)}
const [body, header, secret] = process.argv.slice(2)
console.log(isGenuine(Buffer.from(body, 'base64'), header, secret))`
  await writeFile(file, driver)
  check(process.execPath, [file])
})

test('Python', { skip: !has('python3', '--version') }, async (t) => {
  const folder = await tempDir(t)
  await copyFile(fileOf('receiver.py'), join(folder, 'receiver.py'))
  const driver =
    'import base64, receiver, sys\nprint(receiver.is_genuine(base64.b64decode(sys.argv[1]), sys.argv[2], sys.argv[3]))'
  await writeFile(join(folder, 'driver.py'), driver)
  check('python3', [join(folder, 'driver.py')])
})

test('PHP', { skip: !has('php', '--version') }, async (t) => {
  const file = join(await tempDir(t), 'driver.php')
  const driver = `require ${JSON.stringify(fileOf('receiver.php'))};
echo is_genuine(base64_decode($argv[1]), $argv[2], $argv[3]) ? "true" : "false";`
  await writeFile(file, `<?php\n${driver}\n`)
  check('php', [file])
})

test('Go', { skip: !has('go', 'version') }, async (t) => {
  const folder = await tempDir(t)
  const driver = 'package main\n\nimport (\n\t"encoding/base64"\n\t"fmt"\n\t"os"\n)\n\nfunc main() {\n'
  const call =
    '\tbody, _ := base64.StdEncoding.DecodeString(os.Args[1])\n\tfmt.Println(isGenuine(body, os.Args[2], os.Args[3]))\n}\n'
  await writeFile(join(folder, 'main.go'), driver + call)
  await writeFile(join(folder, 'receiver.go'), textOf('receiver.go').replace('func main()', 'func serve()'))
  execFileSync('go', ['build', '-o', 'receiver', 'main.go', 'receiver.go'], { cwd: folder })
  check(join(folder, 'receiver'), [])
})

test('n8n, whose Code node gives it the item and its binary data', async () => {
  const code = textOf('n8n-code-node.js').replace("'whsec_…'", `'${SECRET}'`)
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
