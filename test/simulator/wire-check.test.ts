import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { silenceLibsignal } from '../../packages/sandbox/src/testing.ts'
import { ROOT } from '../harness/checkout.ts'
import { startSimulator } from '../harness/network.ts'
import { jidOf, pair } from './client.ts'

/**
 * Records a conversation of the library with the simulator, and compares it with the specification of the protocol.
 * `.ci/run` compares the traces of the whole suite in the same way.
 */

const checkout = fileURLToPath(ROOT)
const skip = existsSync(join(checkout, '../shared/spec')) ? false : 'there is no specification beside the project'
silenceLibsignal()

let dir: string

before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'svc-wire-'))
  if (skip) return
  const simulator = await startSimulator({ trace: dir })
  simulator.control.createPhone({ phone: '5511900000001' })
  const client = await pair(simulator, '5511900000001')
  await client.socket.sendMessage(jidOf('5511900000002'), { text: 'hello' })
  const { id } = await client.socket.groupCreate('Team', [jidOf('5511900000002')])
  const code = await client.socket.groupInviteCode(id)
  await client.socket.groupGetInviteInfo(code!)
  await client.socket.updateBlockStatus(jidOf('5511900000003'), 'block')
  // A test has prescribed this answer, so it says nothing about the behaviour of the network itself.
  simulator.control.answerInstead({ match: { xmlns: 'w:g2' }, do: { result: [['invite', {}, []]] }, times: 1 })
  assert.equal(await client.socket.groupInviteCode(id), undefined)
  await client.close()
  await simulator.stop()
})

after(() => rm(dir, { recursive: true, force: true }))

const check = (folder: string) =>
  new Promise<{ code: number; text: string }>((resolve) => {
    const script = join(checkout, '.ci', 'wire-check.mjs')
    execFile(process.execPath, [script, folder], (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), text: stdout + stderr }),
    )
  })

async function changed(from: RegExp, to: string): Promise<string> {
  const folder = await mkdtemp(join(dir, 'changed-'))
  for (const name of (await readdir(dir)).filter((each) => /jsonl/.test(each))) {
    await cp(join(dir, name), join(folder, name))
    const text = await readFile(join(folder, name), 'utf8')
    await writeFile(join(folder, name), text.replace(from, to))
  }
  return folder
}

test('what the library and the simulator say to each other is as specified', { skip }, async () => {
  const { code, text } = await check(dir)
  assert.equal(code, 0, text)
  assert.match(text, /^wire: [1-9]\d* stanzas of the gateway, [1-9]\d* of the network, [1-9].*; 1 answers that tests ordered/m)
})

test('an attribute that is missing in an answer, or in a query, is found', { skip }, async () => {
  const answer = await check(await changed(/\["jurisdiction",\{"iso":"BR",/, '["jurisdiction",{'))
  assert.equal(answer.code, 1, answer.text)
  assert.match(answer.text, /VIOLATION server \| SetReg \| iq\/pair-success\/jurisdiction@iso/)
  const digest = /"to":"@s\.whatsapp\.net",("type":"get","xmlns":"encrypt","id":"[^"]*"\},\[\["digest")/
  const query = await check(await changed(digest, '$1'))
  assert.equal(query.code, 1, query.text)
  assert.match(query.text, /VIOLATION client \| FetchDigest \| iq@to \| is missing/)
})

test('the link of a group is asked of the group and the link’s group of nobody: neither covers for what is wrong with the other', {
  skip,
}, async () => {
  const id = '"id":"[^"]*"\\},\\[\\["invite",'
  const cases: [RegExp, string, RegExp][] = [
    [new RegExp(`"to":"\\d+@g\\.us",(${id}\\{\\})`), '$1', /client \| \w+ \| iq@to \| is missing/],
    [
      new RegExp(`("to":"@?g\\.us",${id})\\{"code":"[^"]*"\\}`),
      '$1{}',
      /client \| GetInviteGroupInfo \| iq\/invite@code \| is missing/,
    ],
    [new RegExp(`"to":"@?g\\.us",(${id}\\{"code")`), '$1', /client \| \w+ \| iq@to \| is missing/],
    [/(\[\["invite",)\{"code":"[^"]*"\}/, '$1{}', /server \| GetGroupLink -> Success \| iq\/invite@code \| is missing/],
  ]
  for (const [from, to, problem] of cases) {
    const { code, text } = await check(await changed(from, to))
    assert.equal(code, 1, `${from}\n${text}`)
    assert.match(text, problem)
  }
})

test('a trace that was cut off in its last line is read to there; nothing at all is a fault', { skip }, async () => {
  const cut = await changed(/[^\n]{10}\n$/, '')
  assert.equal((await check(cut)).code, 0)
  const empty = await mkdtemp(join(dir, 'empty-'))
  const { code, text } = await check(empty)
  assert.equal(code, 1)
  assert.match(text, /nothing was traced/)
})
