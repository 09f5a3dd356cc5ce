/** Runs each case of `error-cases.ts`. An operation that is refused must have no visible effect for others. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type FileServer, serveFiles } from '../harness/file-server.ts'
import * as files from '../harness/media-files.ts'
import { type Operations, operationsOf } from '../harness/operations.ts'
import { chatOf } from '../harness/places.ts'
import { type Json, joinStage, type Stage, startStage } from '../harness/stage.ts'
import { CASES, type ErrorCase, type Places } from './error-cases.ts'

const ME = '5511999990041'
const PERSON = '5511999990042'
const ANA = '5511988880041'

let stage: Stage
let business: Operations
let person: Operations
let web: FileServer
let places: Places

before(async () => {
  web = await serveFiles()
  // No trace of the stanzas is written: the network answers with error codes that the specification of the protocol
  // does not have for these queries, so the check of the traces would fail.
  stage = await startStage(ME, { platform: 'smba' }, { untraced: true })
  business = operationsOf(stage)
  person = operationsOf(await joinStage(stage.world, PERSON, { name: 'Person' }))
  const { sandbox } = stage.world
  await sandbox.createContact(ANA, { name: 'Ana' })
  await sandbox.business(ME, { products: [{ id: '1', name: 'Mouse' }] })
  const group = chatOf((await sandbox.createGroup({ subject: 'Team', owner: ME, participants: [ME, ANA] })).id)
  const community = await sandbox.post<{ id: string }>('/communities', { owner: ME, name: 'Customers', participants: [ANA] })
  const channel = await sandbox.post<{ id: string }>('/newsletters', { owner: ME, name: 'News', subscribers: [ANA] })
  await stage.named()
  await stage.shown('/send-text', { phone: ANA, message: 'Hello' })
  places = {
    person: ANA,
    nobody: '5511977770000',
    group,
    community: chatOf(community.id),
    channel: channel.id,
    product: '1',
    noPicture: (await files.image('gif')).toString('base64'),
    gone: web.status('/gone.jpg', 404),
  }
})
after(async () => {
  await stage.world.stop()
  await web.stop()
})

async function trouble({ network, settings }: ErrorCase): Promise<() => Promise<unknown>> {
  const { sandbox, gateway } = stage.world
  if (settings !== undefined) {
    const set = (values: Json) => gateway.must(stage.instance, 'PUT', '/settings', values)
    await set(settings)
    return () => set(Object.fromEntries(Object.keys(settings).map((name) => [name, null])))
  }
  if (network === undefined) return async () => {}
  if (network === 'restricted') {
    await sandbox.put(`/phones/${ME}/restriction`, { seconds: 3_600, silent: true })
    await sandbox.fault({ on: 'message', do: { ack_error: 463 } })
    return async () => {
      await sandbox.clearFaults()
      await sandbox.put(`/phones/${ME}/restriction`, { seconds: 0 })
    }
  }
  const { xmlns, error } = network
  await sandbox.post('/answers', { match: { account: ME, tag: 'iq', xmlns }, do: { error } })
  return () => fetch(`${sandbox.url}/answers`, { method: 'DELETE' })
}

for (const each of CASES)
  test(`${each.operation}: ${each.code}`, async () => {
    const { operation, code, input, isPerson } = each
    const over = await trouble(each)
    try {
      assert.equal(await (isPerson ? person : business).refused(operation, input(places)), code)
    } finally {
      await over()
    }
  })
