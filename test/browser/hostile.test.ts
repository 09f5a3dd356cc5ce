/**
 * Shows hostile texts on the pages of the service, on a narrow and on a wide screen. Customers, people on the network,
 * and receivers of webhooks choose these texts. Each text contains markup and ends attributes; most have a long word.
 * Texts that the service cannot refuse also change the direction of text.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import type { Instance } from '../harness/gateway.ts'
import { must } from '../harness/http.ts'
import { registerApp } from '../harness/oauth-app.ts'
import { until } from '../harness/until.ts'
import { startWorld, type World } from '../harness/world.ts'
import { foreign, openWatched, picture, skip, type Watched } from './chromium.ts'

const ME = '5511999990501'
const BEN = '5511988880501'

/**
 * Name of an attribute in the texts below. If a page interpreted such a text as markup, it would create an element or
 * an attribute with this name.
 */
const MARK = 'data-hostile'
const SHORT = `"'><b ${MARK}>`
const MARKUP = `${SHORT}<img ${MARK} src=x onerror="hacked=1"><script>hacked=1</script>" ${MARK} onfocus="hacked=1" '`
/** A hostile name that the service accepts, although it checks the characters and the length of names. */
const OWN = `${SHORT}<img ${MARK} src=x onerror="hacked=1">`.padEnd(100, 'W')
/** Characters that reverse the direction of text, and begin an isolated text which does not end. */
const TURNED = '\u202E\u2067 '
const FOREIGN = `${MARKUP}${TURNED}${'W'.repeat(4_000 - MARKUP.length - TURNED.length)}`

const NARROW = { width: 380, height: 800 }
const WIDE = { width: 1280, height: 860 }

describe('texts of others, in Chromium', { skip }, () => {
  let world: World
  let browser: Browser
  let page: Page
  let watched: Watched
  let connected: Instance
  let unpaired: Instance
  let link: { url: string }
  let group: string
  let sent: { message_id: string }
  const tooWide: string[] = []

  before(async () => {
    world = await startWorld({ own: true, env: { SVC_MCP_OAUTH: 'on' } })
    const { gateway, sandbox, receiver } = world
    const { baseUrl, admin, account } = gateway
    receiver.reply((_, response) => response.writeHead(500, { 'Content-Type': 'text/html' }).end(FOREIGN))
    await must('PUT', `${baseUrl}/admin/workspace`, { name: OWN }, admin)
    await must('POST', `${baseUrl}/admin/api-keys`, { name: OWN, scopes: ['instances:read'] }, admin)
    const entries = [{ cidr: '127.0.0.1', note: OWN }]
    await must('PUT', `${baseUrl}/admin/security/ip-allowlist`, { enabled: false, entries }, admin)
    await sandbox.createContact(BEN, { name: FOREIGN })
    await sandbox.createPhone(ME, { name: FOREIGN })
    connected = await gateway.createInstance(receiver, {
      name: OWN,
      settings: { call_reject_message: MARKUP.padEnd(1_000, 'W') },
    })
    await gateway.pair(connected, sandbox, ME)
    unpaired = await gateway.createInstance(receiver, { name: OWN })
    const wish = { instance_id: unpaired.id, operator_name: OWN.slice(0, 60) }
    link = await must('POST', `${baseUrl}/account/connect-links`, wish, account)
    await gateway.sendText(unpaired, BEN, FOREIGN)

    group = (await sandbox.createGroup({ subject: FOREIGN, owner: BEN, participants: [BEN, ME] })).id
    const file = 'data:text/plain;base64,aGVsbG8='
    sent = await gateway.sendText(connected, BEN, FOREIGN)
    await gateway.must(connected, 'POST', '/send-document', {
      phone: BEN,
      document: file,
      file_name: `${SHORT}.txt`,
      caption: FOREIGN,
    })
    for (const message of [
      { text: FOREIGN },
      { document: file, file_name: FOREIGN, caption: FOREIGN },
      { poll: { question: FOREIGN, options: [FOREIGN, `2${FOREIGN}`] } },
      { contact: { display_name: FOREIGN, vcard: FOREIGN } },
      { location: { latitude: 1, longitude: 1, name: FOREIGN, address: FOREIGN } },
    ])
      await sandbox.send(BEN, ME, message)
    await sandbox.send(BEN, group, { text: FOREIGN })
    await until(
      () => must<{ total: number }>('GET', `${baseUrl}/admin/webhook-log?type=received`, undefined, admin),
      ({ total }) => total >= 7,
    )
    ;({ browser, page, watched } = await openWatched({ viewport: NARROW, userAgent: MARKUP }))
  })
  after(async () => {
    await browser?.close()
    await world?.stop()
  })

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const to = (path: string) => page.goto(`${world.gateway.baseUrl}/dashboard/#/${path}`)

  /** Waits until the page shows a hostile text, and checks that it is only text. Collects pages that are too wide. */
  async function harmless(name: string, shown = MARK) {
    await page.waitForFunction(
      `[document.body.textContent, ...Array.from(document.querySelectorAll('main input, main textarea'), (field) => field.value)].join(' ').includes('${shown}')`,
    )
    for (const size of [WIDE, NARROW]) {
      await page.setViewportSize(size)
      const { width, ...found } = await page.evaluate<Record<string, number | boolean>>(`({
        width: document.documentElement.scrollWidth,
        ran: 'hacked' in window,
        elements: document.querySelectorAll('[${MARK}], [onfocus], img[src=x], [href^="javascript:"], [src^="javascript:"]').length,
      })`)
      await picture(page, `hostile-${name}-${size.width}`)
      assert.deepEqual(found, { ran: false, elements: 0 }, name)
      if (Number(width) > size.width) tooWide.push(`${name} is ${width} px wide, on a screen of ${size.width} px`)
    }
  }

  test('are only text on the pages of the dashboard, however long they are', async () => {
    await to('instances')
    await page.getByLabel('Admin key or API key').fill(world.gateway.admin.authorization.slice('Bearer '.length))
    await page.keyboard.press('Enter')
    const one = `instances/${connected.id}`
    const other = `instances/${unpaired.id}`
    for (const [name, path] of [
      ['instances', 'instances'],
      ['search', `instances?q=${MARK}`],
      ['one', one],
      ['webhooks', `${one}/webhooks`],
      ['settings', `${one}/settings`],
      ['unpaired', other],
      ['queue', `${other}/queue`],
      ['messages', `messages?instance=${connected.id}`],
      ['group', `messages?instance=${connected.id}&chat=${group}`],
      ['timeline', `timeline?instance=${connected.id}&id=${sent.message_id}`],
      ['log', 'webhook-log'],
      ['log-search', `webhook-log?q=${MARK}`],
      ['keys', 'access'],
      ['allowlist', 'access/requirements'],
      ['plan', 'access/plan'],
      ['sessions', 'access/sessions'],
      ['health', 'health'],
      ['usage', 'usage'],
      ['sandbox', 'sandbox'],
    ] as const) {
      await to(path)
      await page.locator('main h1').waitFor()
      await page.locator('main .skeleton').first().waitFor({ state: 'detached' })
      await harmless(name)
    }
  })

  test('and so are those that open on a click', async () => {
    await to(`messages?instance=${connected.id}&chat=${BEN}`)
    const closed = page.getByRole('button', { name: 'Show the content of this message' })
    await closed.first().waitFor()
    for (let left = await closed.count(); left > 0; left = await closed.count()) {
      await closed.first().click()
      // The button shows that it is busy, and disappears when the content is there.
      await until(
        () => closed.count(),
        (count) => count < left,
      )
    }
    await page.getByText('display_name').waitFor()
    await harmless('conversation')

    await to(`timeline?instance=${connected.id}&id=${sent.message_id}`)
    await page
      .getByText(/^\d+ attempts?$/)
      .first()
      .click()
    await page.getByText('Attempt 1', { exact: true }).first().waitFor()
    await harmless('attempts')

    await to('webhook-log?type=received')
    await page.getByRole('row').getByRole('button').first().click()
    await button('Show the body').click()
    await page.getByText('"type": "received"').waitFor()
    await harmless('event')

    await to(`instances/${connected.id}/webhooks`)
    await button('Send a test event of received').click()
    await page.getByText('HTTP 500').first().waitFor()
    await harmless('webhook-test')

    await to(`events?instance=${connected.id}`)
    await page.getByRole('main').getByText('Live', { exact: true }).waitFor()
    await world.sandbox.send(BEN, ME, { text: FOREIGN })
    await page.locator('main summary').first().click()
    await harmless('events')

    for (const [path, name] of [
      [`instances/${connected.id}`, 'Rename'],
      [`instances/${connected.id}`, 'Delete'],
      ['access', `Change ${OWN}`],
      ['access', `Revoke ${OWN}`],
    ] as const) {
      await page.goto('about:blank')
      await to(path)
      await button(name).click()
      await page.getByRole('dialog').waitFor()
      await harmless(`dialog-${name.split(' ')[0]}`)
    }
  })

  test('and on the pages that pair an instance, and that let an app in', async () => {
    await page.goto(`${unpaired.api_url}/qr-code/page`)
    await page.locator('#qr').waitFor({ state: 'visible' })
    await harmless('pairing')
    await page.goto(link.url)
    await page.locator('#qr').waitFor({ state: 'visible' })
    await harmless('connect')

    const { baseUrl, admin } = world.gateway
    const app = await registerApp(baseUrl, OWN)
    await page.goto(app.urlAt(baseUrl))
    await harmless('consent')
    await page.getByLabel('Admin key of the workspace').fill(admin.authorization.slice('Bearer '.length))
    await button('Go on').click()
    await page.getByLabel('Instance it may use').waitFor()
    await harmless('consent-choice')
  })

  test('make no page wider than the screen', () => assert.deepEqual(tooWide, []))

  test('nothing was asked of anybody else, and nothing was refused by the policy of a page', () => {
    assert.deepEqual(foreign(watched, world.gateway.baseUrl), [])
    assert.deepEqual(watched.complaints, [])
  })
})
