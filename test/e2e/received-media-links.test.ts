import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { after, test } from 'node:test'
import { Agent, request } from 'undici'
import { sealMedia } from '../../packages/sandbox/src/testing.ts'
import { amount } from '../harness/amount.ts'
import { ask } from '../harness/http.ts'
import { ANA, ME, startStory } from './received/story.ts'

const OTHER = '5511999990001'
const story = await startStory()
const { gateway, sandbox, receiver } = story.world
const other = await gateway.connected(sandbox, OTHER, receiver)
after(() => story.world.stop())

const bytes = Buffer.from('the bytes of a file '.repeat(1_000))

async function linkTo(me = ME, message: object = { document: bytes.toString('base64'), mime: 'application/pdf' }) {
  const { id } = await story.world.sandbox.send(ANA, me, message)
  const event = await story.received(id)
  return (event.document as { url: string }).url
}
const read = async (url: string, method = 'GET') => {
  const { status, body } = await ask(method, url)
  return [status, (body as { error?: { code: string } }).error?.code]
}
const forget = (times = 1) => story.world.sandbox.fault({ on: 'download', do: { http_status: 404 }, times })

test('HEAD is no method of a link, and fetches nothing', async () => {
  const url = await linkTo()
  await story.world.sandbox.fault({ on: 'download', do: { http_status: 500 }, times: 1 })
  assert.equal((await fetch(url, { method: 'HEAD' })).status, 404)
  assert.deepEqual(await read(url), [422, 'media_download_failed'], 'the fault is still there: nobody had asked the host')
  assert.equal((await fetch(url)).status, 200)
})

test('a file that is forgotten again when the phone has uploaded it is media_download_failed', async () => {
  const url = await linkTo()
  await forget(2)
  assert.deepEqual(await read(url), [422, 'media_download_failed'])
  assert.equal((await fetch(url)).status, 200)
})

test('if the phone refuses, the error is media_download_failed', async () => {
  // The test has made this file without a message about it, so the phone does not have it.
  const { blob, mediaKey, fileLength } = sealMedia(bytes, 'document')
  const directPath = await laid(blob)
  const proto = { documentMessage: { directPath, mediaKey: mediaKey.toString('base64'), fileLength, mimetype: 'text/plain' } }
  const url = await linkTo(ME, { proto })
  await forget()
  assert.deepEqual(await read(url), [422, 'media_download_failed'])
  assert.deepEqual(Buffer.from(await (await fetch(url)).arrayBuffer()), bytes)
})

async function laid(blob: Uint8Array): Promise<string> {
  const { ca, media_host } = story.world.network.network
  const hash = createHash('sha256').update(blob).digest('base64url')
  const dispatcher = new Agent({ connect: { ca: readFileSync(ca, 'utf8') } })
  const answer = await request(`https://${media_host}/mms/document/${hash}`, { method: 'POST', body: blob, dispatcher })
  const { direct_path } = (await answer.body.json()) as { direct_path: string }
  await dispatcher.close()
  return direct_path
}

test('a reader who leaves in the middle ends it, and the next one reads all', async () => {
  const large = randomBytes(amount(40, 10) * 1_048_576)
  const { blob, ...sealed } = sealMedia(large, 'document')
  const [mediaKey, fileSha256, fileEncSha256] = [sealed.mediaKey, sealed.fileSha256, sealed.fileEncSha256].map((each) =>
    each.toString('base64'),
  )
  const directPath = await laid(blob)
  const documentMessage = {
    directPath,
    mediaKey,
    fileSha256,
    fileEncSha256,
    fileLength: sealed.fileLength,
    mimetype: 'text/plain',
  }
  const url = await linkTo(ME, { proto: { documentMessage } })
  // There are more openings than an instance has slots for downloads. So the loop only succeeds if each slot is
  // released.
  for (let turn = 0; turn < 20; turn++) {
    const response = await new Promise<IncomingMessage>((resolve) => get(url, { agent: false }, resolve))
    assert.equal(response.statusCode, 200)
    await new Promise((resolve) => response.once('data', resolve))
    response.destroy()
  }
  const whole = await fetch(url)
  assert.ok(Buffer.from(await whole.arrayBuffer()).equals(large))
})

test('an instance that is not connected still gives what the network has, and cannot ask for what it lost', async () => {
  const { gateway } = story.world
  const url = await linkTo()
  await gateway.must(story.instance, 'POST', '/disconnect')
  await gateway.waitForStatus(story.instance, 'logged_out')
  assert.equal((await fetch(url)).status, 200)
  await forget()
  assert.deepEqual(await read(url), [409, 'instance_not_connected'])
})

test('a deleted instance takes its links along, and nobody else’s', async () => {
  const { gateway } = story.world
  const kept = await linkTo(OTHER)
  const made = await gateway.connected(story.world.sandbox, '5511999990002', story.world.receiver)
  const lost = await linkTo('5511999990002')
  assert.equal((await fetch(lost)).status, 200)
  const { status } = await ask('DELETE', `${gateway.baseUrl}/account/instances/${made.id}`, undefined, gateway.account)
  assert.equal(status, 200)
  assert.deepEqual(await read(lost), [404, 'not_found'])
  assert.equal((await fetch(kept)).status, 200)
  assert.equal((await gateway.status(other)).status, 'connected')
})

test('links end with the token that the instance had when they were made', async () => {
  const { gateway, sandbox, receiver } = story.world
  const number = '5511999990003'
  const made = await gateway.connected(sandbox, number, receiver)
  const before = await linkTo(number)
  assert.equal((await fetch(before)).status, 200)
  const path = `${gateway.baseUrl}/account/instances/${made.id}/rotate-token`
  assert.equal((await ask('POST', path, undefined, gateway.account)).status, 201)
  assert.deepEqual(await read(before), [404, 'not_found'])
  assert.equal((await fetch(await linkTo(number))).status, 200)
})
