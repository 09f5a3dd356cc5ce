/**
 * Tests that long-lived streams notice the changes of an operator's command, even if no request arrives. The command is
 * a separate process, and does not notify the service.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WorkspaceId } from '../../src/domain/ids.ts'
import { accountBeside, openService } from './http/service.ts'

const OWN = { 'X-Svc-Dashboard': '1', Host: 'gw.test' }

/** Time limit in ms within which a stream must end. After it, the test itself closes the stream. */
const PATIENCE = 15_000

async function rest(response: Response): Promise<string> {
  assert.equal(response.status, 200)
  const reader = response.body!.getReader()
  let hasLeft = false
  const leaving = setTimeout(() => {
    hasLeft = true
    void reader.cancel()
  }, PATIENCE)
  let text = ''
  for (let read = await reader.read(); !read.done; read = await reader.read()) text += new TextDecoder().decode(read.value)
  clearTimeout(leaving)
  assert.ok(!hasLeft, `the stream went on: ${text}`)
  return text
}

test('the live stream of the dashboard ends with the admin key that opened it', { timeout: 30_000 }, async () => {
  const service = await openService({ dashboard: { mode: 'on' }, hasOwnAdminKey: true })
  try {
    const beside = await accountBeside(service)
    const body = JSON.stringify({ admin_key: service.credentials.adminKey })
    const signedIn = await service.ask('POST', '/dashboard/session', body, { ...OWN, 'Content-Length': String(body.length) })
    const Cookie = signedIn.headers.get('Set-Cookie')!.split(';')[0]!
    const stream = await service.app.request('http://gw.test/dashboard/api/live', {
      headers: { Host: 'gw.test', Cookie, 'X-Svc-Dashboard': signedIn.body.proof },
    })
    const reading = rest(stream)
    await beside.rotateAdminKey(service.workspace as WorkspaceId)
    assert.match(await reading, /event: ended\ndata: \{"reason":"signed_out"\}/)
  } finally {
    await service.close()
  }
})

test('the event stream of an instance ends when its address may not call any more', { timeout: 30_000 }, async () => {
  const service = await openService({ hasOwnAdminKey: true })
  try {
    const beside = await accountBeside(service)
    const { base } = await service.newInstance()
    const stream = await service.app.request(`http://gw.test${base}/events`)
    const reading = rest(stream)
    const entries = [{ cidr: '203.0.113.0/24', note: null }]
    await beside.changeSecurity(service.workspace as WorkspaceId, { allowlist: { enabled: true, entries } })
    assert.match(await reading, /^event: ready/)
    assert.equal((await service.ask('GET', `${base}/events`)).status, 403)
  } finally {
    await service.close()
  }
})
