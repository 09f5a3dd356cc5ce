import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import sharp from 'sharp'
import { createAsking } from '../harness/answers.ts'
import { phoneOf } from '../harness/app-state.ts'
import { joinStage, startStage } from '../harness/stage.ts'

const ME = '5511999990002'
const SHOP = '5511999990003'
const JPEG = 'https://127.0.0.1/me.jpg'

const stage = await startStage(ME)
await stage.named()
after(() => stage.world.stop())
const { good, refused, instead, asUsual } = createAsking(() => stage)
afterEach(asUsual)

interface Phone {
  phone: string
  lid: string
  about: string | null
  has_picture: boolean
}
async function phone(): Promise<Phone> {
  const { phones } = await stage.world.sandbox.get<{ phones: Phone[] }>('/state')
  return phones.find((each) => each.phone === ME)!
}
const { action: onPhone } = phoneOf(() => stage, ME)
const pictureOf = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#2a6' } })
    .png()
    .toBuffer()
const profile = () => good('profile.get', 'GET', '/profile')

test('an account shows its names, and what it does not have is null', async () => {
  const { lid } = await phone()
  assert.deepEqual(await profile(), {
    phone: ME,
    lid: `${lid}@lid`,
    name: 'Me',
    about: null,
    picture_url: null,
    is_business: false,
  })
})

test('an about text set here is so on the phone, in any letters, and an empty one clears it', async () => {
  for (const value of ['Seg a sex, 9 às 18 🕘', 'x'.repeat(139), '']) {
    assert.deepEqual(await good('profile.updateAbout', 'PUT', '/profile/about', { value }), { value: true })
    assert.equal((await phone()).about, value)
    assert.equal((await profile()).about, value || null)
  }
  assert.equal((await refused('PUT', '/profile/about', { value: 'x'.repeat(140) })).code, 'invalid_request')
})

test('the picture of the phone is shown until it is removed here', async () => {
  await stage.world.sandbox.put(`/phones/${ME}/profile`, { picture: JPEG })
  assert.equal((await profile()).picture_url, JPEG)
  assert.deepEqual(await good('profile.removePicture', 'DELETE', '/profile/picture'), { value: true })
  assert.equal((await phone()).has_picture, false)
  assert.equal((await profile()).picture_url, null)
})

test('a name set here is so on the phone, in the profile, and in what others are told by', async () => {
  const { sandbox } = stage.world
  const { id } = await sandbox.post<{ id: string }>('/expect', {
    match: { account: ME, from: 'client', tag: 'presence', attrs: { name: 'Suporte ção' } },
    wait_ms: 0,
  })
  assert.deepEqual(await good('profile.updateName', 'PUT', '/profile/name', { value: ' Suporte ção ' }), { value: true })
  assert.equal((await sandbox.get<{ complete: boolean }>(`/expect/${id}?wait_ms=10000`)).complete, true)
  assert.deepEqual((await onPhone('setting_pushName')).pushNameSetting, { name: 'Suporte ção' })
  assert.equal((await profile()).name, 'Suporte ção')
  await stage.world.receiver.waitFor('the new name', ({ profile_name }) => profile_name === 'Suporte ção')
  for (const odd of ['', ' ', 'x'.repeat(26)])
    assert.equal((await refused('PUT', '/profile/name', { value: odd })).code, 'invalid_request')
  await stage.world.restartService()
  await stage.world.gateway.waitForStatus(stage.instance, 'connected')
  assert.equal((await profile()).name, 'Suporte ção')
})

test('a picture set here is a square on the phone; one that is none, or too small, is refused', async () => {
  const picture = await pictureOf(300, 200)
  const set = (value: string) => good('profile.updatePicture', 'PUT', '/profile/picture', { value })
  assert.deepEqual(await set(`data:image/png;base64,${picture.toString('base64')}`), { value: true })
  assert.equal((await phone()).has_picture, true)
  assert.match(String((await profile()).picture_url), /^https:/)
  const small = await pictureOf(191, 400)
  for (const value of [
    small.toString('base64'),
    Buffer.from('no picture at all, but long enough to be one '.repeat(3)).toString('base64'),
  ]) {
    const { status, code } = await refused('PUT', '/profile/picture', { value })
    assert.deepEqual([status, code], [400, 'media_invalid'])
  }
  const gone = await refused('PUT', '/profile/picture', { value: 'http://127.0.0.1:1/logo.png' })
  assert.deepEqual([gone.status, gone.code], [422, 'media_download_failed'])
  await good('profile.removePicture', 'DELETE', '/profile/picture')
})

test('a business is one', async () => {
  const shop = await joinStage(stage.world, SHOP, { platform: 'smba', name: 'Shop' })
  await shop.named()
  const answer = await createAsking(() => shop).good('profile.get', 'GET', '/profile')
  assert.deepEqual([answer.phone, answer.name, answer.is_business], [SHOP, 'Shop', true])
  const { status, code } = await createAsking(() => shop).refused('PUT', '/profile/name', { value: 'Shop & Co' })
  assert.deepEqual([status, code], [403, 'not_allowed'])
})

test('a write says what the network refused', async () => {
  const square = (await pictureOf(200, 200)).toString('base64')
  for (const [xmlns, method, path, body] of [
    ['status', 'PUT', 'about', { value: 'Busy' }],
    ['w:profile:picture', 'DELETE', 'picture', undefined],
    ['w:profile:picture', 'PUT', 'picture', { value: square }],
    ['w:sync:app:state', 'PUT', 'name', { value: 'Never' }],
  ] as const) {
    await instead({ account: ME, xmlns }, { error: [403, 'refused'] })
    const { status, code } = await refused(method, `/profile/${path}`, body)
    assert.deepEqual([status, code], [403, 'not_allowed'], `${method} ${path}`)
  }
})

test('the profile is not told when the network refuses a part of it', async () => {
  for (const xmlns of ['usync', 'w:profile:picture']) {
    await instead({ account: ME, xmlns }, { error: [429, 'rate-overlimit'] })
    const { status, code, details } = await refused('GET', '/profile')
    assert.deepEqual([status, code, details], [502, 'action_failed', { network_code: 429 }], xmlns)
  }
})
