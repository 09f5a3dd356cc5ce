import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import sharp from 'sharp'
import { serveFiles } from '../../harness/file-server.ts'
import * as files from '../../harness/media-files.ts'
import { pictureAt } from '../../harness/pictures.ts'
import type { Json } from '../../harness/stage.ts'
import { ANA, parameters, startGround } from './ground.ts'

const ground = await startGround()
const web = await serveFiles()
after(async () => {
  await web.stop()
  await ground.stop()
})

async function pictureOf(id: string): Promise<Buffer | null> {
  const { groups } = await ground.me.world.sandbox.get<{ groups: { id: string; picture: string | null }[] }>('/state')
  const address = groups.find((group) => group.id === id)?.picture
  if (!address) return null
  return pictureAt(ground.me.world, address)
}

const base64 = async (bytes: Promise<Buffer>) => (await bytes).toString('base64')

test('a picture given in any of three ways is the picture of the group for everybody, as a square of 640 pixels', async () => {
  const ways = {
    url: web.put('/wide.webp', await files.image('webp', 400, 300)),
    'data URL': `data:image/png;base64,${await base64(files.image('png', 300, 500))}`,
    base64: await base64(files.image('jpeg', 1_200, 1_000)),
  }
  const seen = new Set<string>()
  for (const [way, value] of Object.entries(ways)) {
    const { id, chat } = await ground.group()
    assert.deepEqual(await ground.must('groups.updatePhoto', { group_id: chat, value }), { value: true }, way)
    const [picture] = parameters(await ground.heard(chat, 'group_change_icon'))
    assert.ok(picture, way)
    const bytes = await pictureOf(id)
    assert.ok(bytes, way)
    const { format, width, height } = await sharp(bytes).metadata()
    assert.deepEqual([format, width, height], ['jpeg', 640, 640], way)
    seen.add(picture)
  }
  assert.equal(seen.size, 3)
})

test('a picture that is removed is gone for the others', async () => {
  const { id, chat } = await ground.group()
  await ground.must('groups.updatePhoto', { group_id: chat, value: await base64(files.image('jpeg')) })
  await ground.heard(chat, 'group_change_icon')
  assert.deepEqual(await ground.must('groups.removePhoto', { group_id: chat }), { value: true })
  await ground.me.world.receiver.waitFor(
    'the picture is gone',
    (event) => event.instance_id === ground.eva.instance.id && event.phone === chat && parametersAreNone(event),
  )
  assert.equal(await pictureOf(id), null)
})
const parametersAreNone = ({
  notification,
  notification_parameters: [id] = [''],
}: Json & { notification_parameters?: string[] }) => notification === 'group_change_icon' && id === ''

test('what is no picture, is too small, or cannot be fetched is told so, and the group keeps what it has', async () => {
  const { id, chat } = await ground.group()
  const refusal = async (value: unknown) => ground.refused('groups.updatePhoto', { group_id: chat, value })
  assert.equal(await refusal(await base64(files.image('jpeg', 191, 400))), 'media_invalid')
  assert.equal(await refusal(await base64(files.image('gif'))), 'media_invalid')
  assert.equal(await refusal(Buffer.from('no picture at all, by any means').toString('base64')), 'media_invalid')
  assert.equal(await refusal('not base64!'), 'media_invalid')
  assert.equal(await refusal(web.status('/gone.jpg', 404)), 'media_download_failed')
  assert.equal(await refusal(web.zeros('/large.jpg', 17 * 1_048_576, false)), 'media_invalid')
  assert.equal(await refusal(''), 'invalid_request')
  assert.equal(await pictureOf(id), null)
})

for (const operation of ['groups.updatePhoto', 'groups.removePhoto'])
  test(`${operation} is for those who may change a group that is not suspended`, async () => {
    const locked = await ground.group({ owner: ANA, settings: { restrict: true } })
    const suspended = await ground.group({ settings: { suspended: true } })
    const input = operation === 'groups.updatePhoto' ? { value: await base64(files.image('jpeg')) } : {}
    const ask = (group_id: string) => ground.refused(operation, { group_id, ...input })
    assert.equal(await ask(locked.chat), 'not_allowed')
    assert.equal(await ask(suspended.chat), 'group_suspended')
  })
