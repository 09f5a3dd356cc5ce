import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { createInstanceDirectory } from '../../../src/directory/instance-directory.ts'
import { maskUserInfo } from '../../../src/directory/instance-object.ts'
import { changeSettings } from '../../../src/directory/settings.ts'
import { changeWebhooks } from '../../../src/directory/webhooks.ts'
import { Failure } from '../../../src/domain/failures.ts'
import type { InstanceId } from '../../../src/domain/ids.ts'
import { CREATED, DEFAULT_SETTINGS } from '../../../src/domain/instance.ts'
import { keys } from '../../../src/storage/record-keys.ts'
import { doubleEngine, openService } from '../../contract/http/service.ts'

const service = await openService({ instanceSlots: 4 })
beforeEach(async () => {
  service.time.now += 60_000
  service.double.startFailure = undefined
  for (const id of service.directory.list(service.workspace, { page: 1, page_size: 100 }).ids) await service.directory.delete(id)
  service.double.configured.length = 0
  service.double.stopped.length = 0
})
after(() => service.close())

const BASE = 'https://gw.example.com'
const shown = (id: InstanceId) => service.directory.render(id, BASE)
const create = (name = 'Support') => service.directory.create(service.workspace, { name })
const used = () => service.account.workspace(service.workspace).instancesUsed
const stored = async () => {
  let count = 0
  for await (const _ of service.store.range(keys.configs)) count++
  return count
}
const anyProxy = () => undefined
const issuesOf = (run: () => unknown) => {
  try {
    run()
  } catch (error) {
    return (error as Failure).details?.issues
  }
  return assert.fail('nothing was refused')
}

test('of many creations at once exactly as many succeed as there are slots', async () => {
  const results = await Promise.allSettled(Array.from({ length: 10 }, () => create()))
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 4)
  const refused = results.find((result) => result.status === 'rejected')!.reason as Failure
  assert.equal(refused.code, 'instance_limit_reached')
  assert.deepEqual(refused.details, { instance_slots: 4, instances_used: 4 })
  assert.deepEqual([used(), await stored()], [4, 4])
})

test('a creation whose start fails leaves nothing', async () => {
  service.double.startFailure = 'engine_unavailable'
  await assert.rejects(create(), (error) => error instanceof Failure && error.code === 'engine_unavailable')
  assert.deepEqual([used(), await stored()], [0, 0])
  assert.equal(service.double.stopped.length, 1)
})

test('a creation answers when the first QR is there', async () => {
  service.double.startState = { ...CREATED, status: 'starting' }
  const creating = create()
  while (service.directory.list(service.workspace, { page: 1, page_size: 1 }).total === 0) await new Promise(setImmediate)
  const [id] = service.directory.list(service.workspace, { page: 1, page_size: 1 }).ids as [InstanceId]
  service.double.tell(id, { status: 'starting' })
  service.double.tell(id, { status: 'qr', reason: 'pairing_required' })
  assert.equal(await creating, id)
  assert.deepEqual([shown(id).status, shown(id).status_reason], ['qr', 'pairing_required'])
  service.double.startState = { ...CREATED, status: 'qr', reason: 'pairing_required' }
})

test('a creation without a QR answers all the same after its wait', async (t) => {
  service.double.startState = { ...CREATED, status: 'starting' }
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const creating = create()
  while (service.directory.list(service.workspace, { page: 1, page_size: 1 }).total === 0) await new Promise(setImmediate)
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
  t.mock.timers.tick(1_000)
  assert.equal(shown(await creating).status, 'starting')
  service.double.startState = { ...CREATED, status: 'qr', reason: 'pairing_required' }
})

test('an event is newer than the answer to a start that comes after it', async () => {
  const id = await create()
  service.double.tell(id, { status: 'connected' })
  service.directory.observe(id, { ...CREATED, status: 'starting' })
  assert.equal(service.directory.state(id).status, 'connected')
})

test('deleting stops the session, frees the slot, and ends the token', async () => {
  const id = await create()
  const { token } = shown(id)
  assert.ok(service.directory.authenticate(id, token))
  await service.directory.delete(id)
  assert.deepEqual([service.double.stopped, used(), await stored()], [[id], 0, 0])
  assert.equal(service.directory.authenticate(id, token), undefined)
  await assert.rejects(service.directory.delete(id), (error) => error instanceof Failure && error.code === 'not_found')
})

test('with a deleted instance its key goes: nothing of it can be opened, wherever it lies', async () => {
  const id = await create()
  assert.ok(service.keyRing.of(id).byteLength > 0)
  await service.directory.delete(id)
  assert.throws(() => service.keyRing.of(id), /is missing/)
})

test('a new token replaces the old one at once, and the session is not touched', async () => {
  const id = await create()
  const { token } = shown(id)
  const fresh = await service.directory.rotateToken(id)
  assert.match(fresh, /^[0-9a-f]{48}$/)
  assert.equal(service.directory.authenticate(id, token), undefined)
  assert.equal(service.directory.authenticate(id, fresh)?.workspace, service.workspace)
  assert.equal(shown(id).api_url, `${BASE}/instances/${id}/token/${fresh}`)
  assert.equal(service.double.configured.length, 1)
  const told = service.double.configured.at(-1)!
  assert.equal(told.tokenTag, service.directory.tokenTagOf(id), 'the shard binds its links to the new one')
  assert.ok(!fresh.includes(told.tokenTag) && told.tokenTag.length === 16)
})

test('settings and webhooks reach the shard, a name does not', async () => {
  const id = await create()
  await service.directory.update(id, { name: 'Renamed' })
  assert.equal(service.double.configured.length, 0)
  await service.directory.update(id, { settings: { auto_read_message: true } })
  await service.directory.rotateSecret(id)
  assert.equal(service.double.configured.length, 2)
  assert.deepEqual(service.double.configured.at(-1), {
    id,
    tokenTag: service.directory.tokenTagOf(id),
    settings: { ...DEFAULT_SETTINGS, auto_read_message: true },
    webhooks: service.directory.webhooks(id),
    baseUrl: undefined,
  })
})

test('changes at the same time are all there', async () => {
  const id = await create()
  await Promise.all([
    service.directory.update(id, { name: 'One' }),
    service.directory.update(id, { settings: { auto_read_status: true } }),
    service.directory.update(id, { webhooks: { ignore_groups: true } }),
  ])
  const { name, settings, webhooks } = shown(id)
  assert.deepEqual([name, settings.auto_read_status, webhooks.ignore_groups], ['One', true, true])
})

test('after a restart every instance is there, in its order, as it was', async () => {
  const ids = []
  for (const name of ['first', 'second', 'third']) {
    service.time.now += 1_000
    ids.push(await create(name))
  }
  const [first] = ids as [InstanceId, InstanceId, InstanceId]
  await service.directory.update(first, { settings: { proxy_url: 'socks5://user:pass@proxy.example:1080' } })
  const again = createInstanceDirectory({
    store: service.store,
    main: service.main,
    sealer: service.sealer,
    keyRing: service.keyRing,
    account: service.account,
    oauth: service.oauth,
    engine: doubleEngine().engine,
    clock: service.clock,
    log: service.log,
    checkUrl: () => undefined,
    checkProxy: () => undefined,
  })
  const configs = await again.load()
  assert.deepEqual(
    configs.map(({ id }) => id),
    ids,
  )
  assert.equal(configs[0]?.settings.proxy_url, 'socks5://user:pass@proxy.example:1080', 'the shard gets the credentials')
  assert.equal(again.settings(first).proxy_url, 'socks5://***@proxy.example:1080', 'a caller does not')
  assert.ok(again.authenticate(first, shown(first).token))
  assert.deepEqual(again.list(service.workspace, { page: 1, page_size: 2 }).ids, ids.toReversed().slice(0, 2))
  for await (const [, bytes] of service.store.range(keys.configs))
    assert.ok(!Buffer.from(bytes).includes(shown(first).token), 'the token is sealed')
})

test('the list is filtered by state and by part of name, id or number', async () => {
  const [ana, bob] = [await create('Ana'), await create('Bob')]
  service.double.tell(bob, { status: 'connected', phone: '5511999990000' })
  const find = (filter: object) => service.directory.list(service.workspace, { page: 1, page_size: 10, ...filter }).ids
  assert.deepEqual(find({ status: 'connected' }), [bob])
  assert.deepEqual(find({ status: 'disconnected' }), [ana])
  assert.deepEqual(find({ q: 'AN' }), [ana])
  assert.deepEqual(find({ q: '99999' }), [bob])
  assert.deepEqual(find({ q: bob.slice(0, 8).toUpperCase() }), [bob])
  assert.deepEqual(service.directory.list(service.workspace, { page: 3, page_size: 10 }), { ids: [], total: 2 })
})

test('the shortest and longest wait are compared after the change', () => {
  const current = { ...DEFAULT_SETTINGS, delay_message_min_ms: 1_000, delay_message_max_ms: 3_000 }
  assert.equal(changeSettings(current, { delay_message_min_ms: 3_000 }, anyProxy).delay_message_min_ms, 3_000)
  const message = 'delay_message_min_ms (3001) must not be greater than delay_message_max_ms (3000)'
  assert.deepEqual(
    issuesOf(() => changeSettings(current, { delay_message_min_ms: 3_001 }, anyProxy)),
    [{ path: 'delay_message_min_ms', message }],
  )
  assert.deepEqual(
    issuesOf(() => changeSettings(current, { delay_message_max_ms: 0 }, anyProxy, 'settings.')),
    [
      {
        path: 'settings.delay_message_max_ms',
        message: 'delay_message_min_ms (1000) must not be greater than delay_message_max_ms (0)',
      },
    ],
  )
})

test('a proxy in our own network is refused, under the name of its field', async () => {
  const id = await create()
  const message = 'must not point to a private, loopback or reserved address'
  for (const proxy_url of [
    'http://127.0.0.1:8081',
    'http://2130706433',
    'socks5://0x7f000001:1080',
    'https://[fd00::1]',
    'http://169.254.169.254',
  ])
    await assert.rejects(service.directory.update(id, { settings: { proxy_url } }), (error: Failure) => {
      assert.deepEqual(error.details?.issues, [{ path: 'proxy_url', message }], proxy_url)
      return true
    })
  await service.directory.update(id, { settings: { proxy_url: 'http://8.8.8.8:3128' } })
})

test('an instance signs with the secret of its workspace, or with one of its own when it is made so', async () => {
  const shared = service.account.workspace(service.workspace).webhooks.secret
  const make = (own_secret?: boolean) =>
    service.directory.create(service.workspace, { name: 'x', webhooks: { own_secret, notify_sent_by_me: true } })
  const [first, second, third] = [await make(), await make(true), await make(true)]
  const secrets = [first, second, third].map((id) => service.directory.webhooks(id).secret)
  assert.equal(secrets[0], shared)
  assert.equal(new Set(secrets).size, 3)
  for (const secret of secrets) assert.match(secret, /^whsec_[0-9A-Za-z]{32}$/)
  assert.ok(!('own_secret' in service.directory.webhooks(second)))
  assert.equal(service.directory.webhooks(second).notify_sent_by_me, true)
})

test('a change of all webhooks of a workspace is in each of its instances, in new ones, in the store and in the shards', async () => {
  const before = service.account.workspace(service.workspace).webhooks
  const [first, second] = [await create('first'), await create('second')]
  await service.directory.update(second, { webhooks: { delivery_url: 'https://example.com/own', ignore_groups: true } })
  service.double.configured.length = 0
  service.time.now += 1_000
  assert.equal(await service.directory.updateWorkspaceWebhooks(service.workspace, { received_url: url, ignore_text: true }), 2)
  const secret = await service.directory.rotateWorkspaceSecret(service.workspace)
  assert.notEqual(secret, before.secret)
  const third = await create('third')
  for (const id of [first, second, third]) {
    const own = id === second ? { delivery_url: 'https://example.com/own', ignore_groups: true } : {}
    assert.deepEqual(service.directory.webhooks(id), { ...before, received_url: url, ignore_text: true, secret, ...own })
  }
  assert.equal(shown(first).updated_at, new Date(service.time.now).toISOString())
  assert.deepEqual(
    service.double.configured.slice(2).map(({ id, webhooks }) => [id, webhooks]),
    [first, second].map((id) => [id, service.directory.webhooks(id)]),
  )
  for await (const [key, bytes] of service.store.range(keys.configs))
    assert.ok(service.sealer.open(key, bytes).includes(secret), 'and after a restart')
  await service.directory.updateWorkspaceWebhooks(service.workspace, { single_url: null, ignore_text: false })
})

test('what does not go with one instance changes none of them, and the issue names it', async () => {
  const [first, second] = [await create('first'), await create('second')]
  await service.directory.update(second, { webhooks: { ignore_private: true } })
  const refused = await service.directory
    .updateWorkspaceWebhooks(service.workspace, { ignore_groups: true, received_url: url })
    .then(
      () => assert.fail('it was taken'),
      (error: Failure) => error,
    )
  assert.deepEqual(refused.details?.issues, [
    { path: 'ignore_groups', message: `cannot be true together with ignore_private (of instance ${second})` },
  ])
  assert.equal(service.directory.webhooks(first).received_url, null)
  assert.deepEqual([hooks().received_url, hooks().ignore_groups], [null, false])
  assert.equal(service.double.configured.length, 1)
})

test('a change of all webhooks beside changes of one, creations and deletions: nothing is lost, nothing comes back', async () => {
  for (let round = 0; round < 10; round++) {
    const [first, second] = [await create('first'), await create('second')]
    const target = `https://example.com/${round}`
    const [, , , fresh] = await Promise.all([
      service.directory.update(first, { webhooks: { ignore_image: true } }),
      service.directory.updateWorkspaceWebhooks(service.workspace, { received_url: target }),
      service.directory.delete(second),
      create('beside it'),
      service.directory.rotateToken(first),
    ])
    for (const id of [first, fresh]) assert.equal(service.directory.webhooks(id).received_url, target)
    assert.equal(service.directory.webhooks(first).ignore_image, true)
    assert.deepEqual([used(), await stored()], [2, 2])
    for (const id of [first, fresh]) await service.directory.delete(id)
  }
  await service.directory.updateWorkspaceWebhooks(service.workspace, { received_url: null })
})

test('a shard that fails to take the change keeps it from no other, and the caller hears of it', async (t) => {
  const ids = [await create('first'), await create('second')]
  const { configure } = service.double.engine
  t.mock.method(service.double.engine, 'configure', async (config: Parameters<typeof configure>[0]) => {
    if (config.id === ids[0]) throw new Failure('internal')
    return configure(config)
  })
  await assert.rejects(
    service.directory.updateWorkspaceWebhooks(service.workspace, { ignore_video: true }),
    (error) => error instanceof Failure && error.code === 'internal',
  )
  assert.deepEqual(
    service.double.configured.map(({ id }) => id),
    [ids[1]],
  )
  assert.ok(ids.every((id) => service.directory.webhooks(id).ignore_video))
  await service.directory.updateWorkspaceWebhooks(service.workspace, { ignore_video: false }).catch(() => {})
})

test('saving the settings as they were shown keeps the credentials of the proxy', () => {
  const current = { ...DEFAULT_SETTINGS, proxy_url: 'http://user:p%40ss@proxy.example:3128/' }
  assert.equal(maskUserInfo(current.proxy_url), 'http://***@proxy.example:3128/')
  assert.equal(changeSettings(current, { proxy_url: maskUserInfo(current.proxy_url) }, anyProxy).proxy_url, current.proxy_url)
  assert.equal(changeSettings(current, { proxy_url: null }, anyProxy).proxy_url, null)
  assert.equal(maskUserInfo('http://proxy.example/@x'), 'http://proxy.example/@x')
})

const hooks = () => service.account.workspace(service.workspace).webhooks
const url = 'https://example.com/hook'
const change = (fields: Parameters<typeof changeWebhooks>[1]) => changeWebhooks(hooks(), fields, () => undefined)

test('single_url writes the five URLs, null empties them, and neither goes with one of them', () => {
  const on = change({ single_url: url })
  const urls = (of: object) => Object.entries(of).filter(([name]) => name.endsWith('_url'))
  assert.deepEqual(
    urls(on).map(([, value]) => value),
    [url, url, url, url, url],
  )
  assert.ok(!('single_url' in on))
  assert.ok(urls(changeWebhooks(on, { single_url: null }, () => undefined)).every(([, value]) => value === null))
  assert.deepEqual(
    issuesOf(() => change({ single_url: url, delivery_url: null })),
    [{ path: 'single_url', message: 'cannot be given together with delivery_url' }],
  )
})

test('replaced fields are taken as the new ones, and never shown', () => {
  assert.equal(change({ connected_url: url, disconnected_url: 'https://example.com/other' }).instance_status_url, url)
  assert.equal(change({ disconnected_url: url }).instance_status_url, url)
  assert.equal(
    change({ ignore_connected_callback: true, ignore_disconnected_callback: true }).ignore_instance_status_callback,
    true,
  )
  assert.equal(change({ ignore_connected_callback: true }).ignore_instance_status_callback, false)
  assert.deepEqual(Object.keys(change({ connected_url: url })).sort(), Object.keys(hooks()).sort())
})

test('a webhook URL that may not be reached is refused by name, and groups and private chats cannot both be ignored', async () => {
  const refusing = (fields: object) =>
    issuesOf(() => changeWebhooks(hooks(), fields, () => 'must begin with https://', 'webhooks.'))
  assert.deepEqual(refusing({ received_url: 'http://example.com' }), [
    { path: 'webhooks.received_url', message: 'must begin with https://' },
  ])
  assert.deepEqual(
    issuesOf(() => changeWebhooks({ ...hooks(), ignore_groups: true }, { ignore_private: true }, () => undefined)),
    [{ path: 'ignore_private', message: 'cannot be true together with ignore_groups' }],
  )
})

test('a member keeps the key of a deleted instance that it could not erase, because the instance may be moving, and tries again', async () => {
  const { engine } = doubleEngine()
  const erased: string[] = []
  const { store, main, sealer, keyRing, account, oauth, clock, log } = service
  const directory = createInstanceDirectory({
    store,
    main,
    sealer,
    keyRing,
    account,
    oauth,
    engine: {
      ...engine,
      async stop(id) {
        if (erased.push(id) === 1) throw new Failure('engine_unavailable')
      },
    },
    clock,
    log,
    checkUrl: () => undefined,
    checkProxy: () => undefined,
    cluster: { isHome: () => true, eraseAfterMs: 20 },
  })
  await directory.load()
  const id = await directory.create(service.workspace, { name: 'moves' })
  await directory.delete(id)
  assert.ok(keyRing.of(id).byteLength > 0)
  for (let turn = 0; turn < 500 && erased.length < 2; turn++) await new Promise((resolve) => setTimeout(resolve, 10))
  assert.deepEqual(erased, [id, id])
  await keyRing.destroy(id)
})
