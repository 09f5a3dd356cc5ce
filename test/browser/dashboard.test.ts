import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { readInstanceArchive } from '../../src/archive/instance-archive.ts'
import { DAY, MINUTE } from '../../src/domain/clock.ts'
import { DASHBOARD_HEADER } from '../../src/domain/dashboard.ts'
import { ask, must } from '../harness/http.ts'
import { linkFolder } from '../harness/library-folder.ts'
import { image } from '../harness/media-files.ts'
import { startRelay } from '../harness/relay.ts'
import { until } from '../harness/until.ts'
import { startWorld, type World } from '../harness/world.ts'
import { alike, foreign, hasPictures, openWatched, picture, skip, type Watched, watch } from './chromium.ts'
import { COLOUR_RULES, graveProblems, PHONE_RULES } from './grave-problems.ts'

const ME = '5511999990301'
const MOVING = '5511999990302'
const FOLDER = '5511999990078'
const BEN = '5511988880301'
const EVE = '5511988880302'
/** HTML markup as the name of an instance and of a file. The pages must show it as text. */
const MARKUP = '<img src=x onerror="window.hacked=1"> emosnur'
/**
 * Name of a person and of a group, with markup and a character that reverses the direction of text. Text after the name
 * must keep its own direction.
 */
const HOSTILE = '<img src=x onerror="window.hacked=1"> \u202Eemosnur'
const SCRIPT = '<script>window.hacked=1</script>'

/** Time limit in ms for work that computes a key from a passphrase. */
const SLOW = 120_000

/** Returns a time as the value of a `datetime-local` field, without seconds. */
const localOf = (at: number) => new Date(at - new Date(at).getTimezoneOffset() * MINUTE).toISOString().slice(0, 16)

const PAGES = [
  'instances',
  'messages',
  'events',
  'timeline',
  'webhook-log',
  'access',
  'access/requirements',
  'access/plan',
  'access/sessions',
  'health',
  'usage',
  'sandbox',
]

describe('the dashboard in Chromium', { skip }, () => {
  let world: World
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let watched: Watched
  let adminKey: string
  let instance: { id: string; token: string; api_url: string }
  let secret: string

  before(async () => {
    world = await startWorld({ own: true })
    adminKey = world.gateway.admin.authorization.slice('Bearer '.length)
    await world.sandbox.createContact(BEN, { name: HOSTILE })
    ;({ browser, context, page, watched } = await openWatched({ viewport: { width: 1280, height: 860 } }))
  })
  after(async () => {
    await browser?.close()
    await world?.stop()
  })

  const heading = (name: string, within: Page = page) => within.getByRole('heading', { name, exact: true })
  const button = (name: string, within: Page | Locator = page) => within.getByRole('button', { name, exact: true })
  const field = (name: string, within: Page | Locator = page) => within.getByLabel(name, { exact: true })
  const dialogOf = (tab: Page) => tab.getByRole('dialog')
  const dialog = () => dialogOf(page)
  let cardsAt: number
  const topOfCards = async () => (await page.locator('main .columns').boundingBox())!.y
  const stored = () => page.evaluate<string>('JSON.stringify({ ...localStorage, ...sessionStorage })')
  const to = (path: string) => page.goto(`${world.gateway.baseUrl}/dashboard/#/${path}`)

  const sound = (name: string, rules?: string[]) => soundOn(page, name, rules)
  /**
   * Checks the page, or the open dialog, with the accessibility checker axe, which must find only minor problems. While
   * a dialog is open, nothing behind it can be reached, and the same page is checked without the dialog. `rules` limits
   * the check to these rules. Controls that do different things must also have different names.
   */
  async function soundOn(tab: Page, name: string, rules?: string[]) {
    const within = (await dialogOf(tab).count()) > 0 ? 'dialog[open]' : 'html'
    assert.deepEqual(await graveProblems(tab, within, rules), [], name)
    assert.deepEqual(await alike(tab), [], `${name}: controls that do different things have the same name`)
    await picture(tab, `dashboard-${name}`)
  }

  test('signs in with the admin key, and says why another one is refused', async () => {
    await page.goto(`${world.gateway.baseUrl}/dashboard`)
    await heading('Sign in').waitFor()
    await field('Admin key or API key').and(page.locator(':focus')).waitFor()
    await sound('sign-in')
    await page.keyboard.type(`svc_admin_${'0'.repeat(48)}`)
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    await field('Admin key or API key').fill(adminKey)
    await page.keyboard.press('Enter')
    await page.getByText('No instances yet').waitFor()
    await sound('empty')
    const cookies = await context.cookies()
    assert.deepEqual(
      cookies.map(({ httpOnly, sameSite }) => [httpOnly, sameSite]),
      [[true, 'Strict']],
    )
    assert.match(await stored(), /^\{"svc_dashboard \/dashboard\/":"[0-9a-f]{48}"\}$/)
  })

  test('a second tab is signed in, and so is either after a reload', async () => {
    const second = await context.newPage()
    await second.goto(`${world.gateway.baseUrl}/dashboard`)
    for (const tab of [page, second]) {
      await tab.reload()
      await tab.getByRole('status').getByText('Live').waitFor()
    }
    await second.close()
  })

  test('creates an instance, and shows its code', async () => {
    await button('Create instance').click()
    await field('Name', dialog()).fill('Support')
    await sound('create')
    await button('Create', dialog()).click()
    await page.getByAltText('QR code to scan').waitFor()
    await sound('pairing')
    const { data } = await must<{ data: (typeof instance)[] }>(
      'GET',
      `${world.gateway.baseUrl}/account/instances`,
      undefined,
      world.gateway.account,
    )
    instance = data[0]!
  })

  test('makes a link with which somebody else could pair it, and revokes it', async () => {
    await button('Create a connect link').click()
    await field('Your name on the page', dialog()).fill('Example CRM')
    await sound('connect-link')
    await button('Create', dialog()).click()
    await dialog().getByText('Send this link').waitFor()
    const url = await dialog().locator('code').innerText()
    const customer = await (await browser.newContext()).newPage()
    await customer.goto(url)
    await customer.getByText('Example CRM').waitFor()
    await customer.locator('img').first().waitFor()
    await button('Done', dialog()).click()
    await page.getByRole('button', { name: /^Revoke the link of/ }).click()
    await button('Revoke', dialog()).click()
    await page.getByText('The link is revoked and opens nothing.').waitFor()
    const answer = await customer.goto(url)
    assert.equal(answer!.status(), 401)
    await customer.context().close()
    // The end of the connect link also ended the pairing that was begun with it, so a new QR code is needed.
    await button('Show a QR code').click()
    await page.getByAltText('QR code to scan').waitFor()
  })

  test('pairs it with a phone of the sandbox, live', async () => {
    await to('sandbox')
    await field('Number').first().fill('+55 (11) 99999-0301')
    await field('Name').first().fill('My phone')
    await button('Make a phone').click()
    await heading('Scan').waitFor()
    await field('Demands its passkey').check()
    await sound('sandbox')
    const demands = () => ask('GET', `${world.sandbox.url}/phones/${ME}/passkey`)
    await until(demands, ({ status }) => status === 200)
    await field('Demands its passkey').uncheck()
    await until(demands, ({ status }) => status === 404)
    await button('Scan').click()
    const scanned = page.getByText('Support is connected.')
    await scanned.waitFor()
    // No phone is preselected now, so that a second press of the button does not let another phone scan.
    assert.equal(await field('Phone').inputValue(), '')
    assert.equal(await button('Scan').isDisabled(), true)
    await scanned.getByRole('link').click()
    await page.getByRole('heading', { name: 'Send a message' }).waitFor()
    await page.locator('.page > header .badge').first().getByText('Connected', { exact: true }).waitFor()
  })

  test('goes on by itself when the connection was away, with what happened meanwhile', async () => {
    const relay = await startRelay(world.gateway.baseUrl)
    // A page is in the language of the browser until the user chooses another one.
    const other = await browser.newContext({ locale: 'pt-BR' })
    try {
      const tab = await other.newPage()
      await tab.goto(`${relay.url}/dashboard/`)
      await tab.getByLabel('Chave de administrador ou chave de API', { exact: true }).fill(adminKey)
      await tab.keyboard.press('Enter')
      await tab.getByText('Ao vivo', { exact: true }).waitFor()
      assert.equal(await tab.locator('html').getAttribute('lang'), 'pt')
      await tab.getByLabel('Idioma').selectOption('en')
      await tab.getByText('Live', { exact: true }).waitFor()
      relay.close()
      await tab.locator('.badge', { hasText: 'Reconnecting' }).waitFor()
      await tab.getByRole('alert').getByText('The service does not answer. You see the data of').waitFor()
      await must('PUT', `${instance.api_url}/name`, { value: 'Renamed meanwhile' })
      relay.open()
      await tab.getByText('Live', { exact: true }).waitFor()
      await tab.getByRole('alert').waitFor({ state: 'detached' })
      await tab.getByText('Renamed meanwhile').first().waitFor()
      await must('PUT', `${instance.api_url}/name`, { value: 'Support' })
      await tab.getByText('Support').first().waitFor()
    } finally {
      await other.close()
      await relay.stop()
    }
  })

  test('gives it a webhook, whose test delivery says what the receiver said', async () => {
    const { webhooks } = await must<{ webhooks: { secret: string } }>('GET', `${instance.api_url}/me`)
    world.receiver.trust(instance.id, webhooks.secret)
    secret = webhooks.secret
    world.receiver.reply((_, response) => response.writeHead(418, { 'Content-Type': 'text/html' }).end(SCRIPT))
    await to(`instances/${instance.id}/webhooks`)
    await field('Address for all events').fill(world.receiver.url)
    await page.keyboard.press('Enter')
    await page.getByText('Saved.').waitFor()
    await button('Send a test event of received').click()
    await page.getByText('HTTP 418').waitFor()
    await page.getByText(SCRIPT, { exact: true }).waitFor()
    await button('Test all').click()
    await page.getByText('HTTP 418').nth(4).waitFor()
    await sound('webhooks')
    world.receiver.reply(null)
    // The checkbox selects what is sent, but the setting of the API selects what is not sent. So the two have opposite
    // values.
    await page.getByRole('checkbox', { name: 'Who is online or typing' }).uncheck()
    await page.getByRole('button', { name: 'Save what is sent' }).click()
    const read = () => must<{ webhooks: Record<string, unknown> }>('GET', `${instance.api_url}/me`)
    const { webhooks: said } = await until(read, (me) => me.webhooks.ignore_chat_presence_callback === true)
    assert.deepEqual([said.received_url, said.ignore_received_callback], [world.receiver.url, false])
  })

  test('settings have the words of people, and waits are seconds', async () => {
    await to(`instances/${instance.id}/settings`)
    await field('Reject calls').check()
    await field('Longest wait between messages, in seconds').fill('2.5')
    await page.keyboard.press('Enter')
    // The test reads the settings, because a notice that they were saved may still be there from an earlier test.
    const read = () => must<{ settings: Record<string, unknown> }>('GET', `${instance.api_url}/me`)
    const { settings } = await until(read, (me) => me.settings.call_reject_auto === true)
    assert.deepEqual([settings.call_reject_auto, settings.delay_message_max_ms], [true, 2_500])
  })

  test('pauses the instance, which stays linked, and resumes it', async () => {
    await to(`instances/${instance.id}`)
    await button('Pause').click()
    await page.getByText('This instance is paused').waitFor()
    assert.equal(await page.locator('.page > header .badge').first().textContent(), 'Paused')
    assert.equal(await button('Show a QR code').count(), 0)
    const status = () => must<{ status: string }>('GET', `${instance.api_url}/status`)
    assert.equal((await status()).status, 'stopped')
    const newest = page.locator('section', { hasText: 'Status history' }).getByRole('listitem').first()
    await newest.getByText('Paused', { exact: true }).waitFor()
    assert.equal(await newest.getAttribute('class'), '')
    await button('Log out').click()
    await dialog().getByText('also remove the device on the phone').waitFor()
    await page.keyboard.press('Escape')
    const pairing = await context.newPage()
    await pairing.goto(`${instance.api_url}/qr-code/page`)
    await pairing.getByText('This instance is paused. The person who manages it can resume it.').waitFor()
    await button('Resume').click()
    await pairing.locator('#tick').waitFor({ state: 'visible' })
    await pairing.close()
    await page.getByRole('heading', { name: 'Send a message' }).waitFor()
    assert.equal((await status()).status, 'connected')
  })

  test('a ban says until when, and what helps, before it offers a code', async () => {
    const ban = { failure: 402, code: '101', expire: 3_600 }
    await world.sandbox.fault({ on: 'login', match: { phone: ME }, do: ban, times: 1 })
    await world.sandbox.cut(ME)
    await page.getByText('WhatsApp suspended this number until').waitFor()
    await page.getByText('Pairing again does not help.').waitFor()
    await button('Show a code anyway').waitFor()
    assert.equal(await button('Show a QR code').count(), 0)
    await sound('banned')
    await button('Restart').click()
    await page.getByRole('heading', { name: 'Send a message' }).waitFor()
  })

  test('sends a first message, and sees what becomes of it', async () => {
    await to(`messages?instance=${instance.id}`)
    await page.getByRole('link', { name: 'Send a message' }).click()
    await field('To').fill(BEN)
    await field('Text').fill('Hello from the dashboard')
    await button('Send').press('Enter')
    const follow = page.getByRole('link', { name: 'Follow the message' })
    await follow.waitFor()
    const place = (await follow.boundingBox())!
    assert.ok(place.y + place.height <= 860, `the result ends at ${place.y + place.height}`)
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Send')
    await follow.click()
    await page.getByText('Acknowledged', { exact: true }).waitFor()
    await page.getByText('Webhook delivery').waitFor()
    await page.getByText('1 attempt').first().click()
    await page.getByText('Attempt 1', { exact: true }).first().waitFor()
    await page.getByRole('list', { name: 'How far it came' }).getByText('Your receiver: reached').waitFor()
    await page.getByRole('strong').getByText('Read', { exact: true }).waitFor()
    // The page is loaded again, because a notice of an earlier test would cover a part of the screenshot that README.md
    // shows.
    await page.reload()
    await page.getByText('Acknowledged', { exact: true }).waitFor()
    await sound('timeline')
    assert.deepEqual(
      (await world.sandbox.inbox(BEN)).map(({ text }) => text),
      ['Hello from the dashboard'],
    )
  })

  test('sends a picture that is dropped on the page, follows it to read, and gives the request to copy', async () => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await to(`instances/${instance.id}`)
    await page.getByText('Your receiver: no event is being retried.').waitFor()
    cardsAt = await topOfCards()
    await field('Search: Kind').fill('walrus')
    const result = page.getByRole('status').filter({ hasText: /\.$/ })
    await result.getByText('Nothing matches.').waitFor()
    assert.equal(await field('Kind').inputValue(), '')
    await field('Search: Kind').fill('message PICTÚRE')
    await result.getByText('Found: 2. Choose one.').waitFor()
    await page.keyboard.press('Enter')
    assert.equal(await field('Kind').inputValue(), 'send.sendImage')
    await field('Search: Kind').fill('')
    await field('To').fill('+55 (11) 98888-0301')
    const buffer = await image('png')
    await field('File').setInputFiles({ name: `${MARKUP} \u202Egnp.png`, mimeType: 'image/png', buffer })
    await page.getByText(MARKUP).waitFor()
    await field('Caption').fill('with words')
    await button('Copy the request as curl').click()
    const curl = await page.evaluate<string>('navigator.clipboard.readText()')
    assert.match(curl, new RegExp(`^curl -s "[^"]+/instances/${instance.id}/token/\\$TOKEN/send-image" .*"phone":"${BEN}"`))
    await button('Send').click()
    await page.getByText('Read ✓').waitFor()
    const { kind, text } = (await world.sandbox.inbox(BEN)).at(-1)!
    assert.deepEqual([kind, text], ['image', 'with words'])
    await field('Kind').selectOption('send.sendPoll')
    await field('Content as JSON').fill('[]')
    await button('Send').click()
    await page.getByText('must be a JSON object').waitFor()
    assert.equal(await page.getByText('Read ✓').count(), 0)
    assert.equal(await page.evaluate('"hacked" in window'), false)
    await sound('send')
    await field('Kind').selectOption('send.sendText')
  })

  test('sends a message at a later time, and takes it out of the queue', async () => {
    const inTwoDays = Math.floor(Date.now() / MINUTE) * MINUTE + 2 * DAY
    await to(`instances/${instance.id}`)
    await field('To').fill(BEN)
    await field('Text').fill('Later')
    await field('Not before').fill(localOf(Date.now() + 31 * DAY))
    await button('Send').click()
    await page.getByText('must be at most 30 days ahead').waitFor()
    await field('Not before').fill(localOf(inTwoDays))
    await button('Send').click()
    await page.getByText('The message is in the queue and waits until').waitFor()
    await to(`instances/${instance.id}/queue`)
    const row = page.getByRole('row').filter({ hasText: 'Waits for its time' })
    await row.waitFor()
    const { data } = await must<{ data: { send_at: string }[] }>('GET', `${instance.api_url}/queue`)
    assert.deepEqual(
      data.map(({ send_at }) => send_at),
      [new Date(inTwoDays).toISOString()],
    )
    await sound('queue')
    await row.getByRole('checkbox').check()
    await page.getByText('1 message chosen').waitFor()
    await page.locator('.chosen').getByRole('button', { name: 'Remove' }).click()
    await dialog().getByText('1 message will not be sent').waitFor()
    await button('Remove', dialog()).click()
    await page.getByText('Nothing waits').waitFor()
  })

  const told = (text: string) =>
    world.receiver.received.filter(({ event }) => (event.text as { message?: string } | undefined)?.message === text)

  test('shows at once that a receiver broke', async () => {
    const group = (await world.sandbox.createGroup({ subject: HOSTILE, owner: BEN, participants: [BEN, ME] })).id
    await world.receiver.waitFor('that there is a group', ({ notification }) => notification === 'group_create')
    world.receiver.reply((_, response) => response.writeHead(422).end(`${SCRIPT} not now \u202E\u0007`))
    await to('sandbox')
    await field('Text').fill(SCRIPT)
    await button('Write').click()
    await page.getByText('Written.').waitFor()
    const both = page.getByRole('list', { name: 'Conversation, newest last' })
    await both.getByText('Hello from the dashboard').waitFor()
    await both.getByText(SCRIPT, { exact: true }).waitFor()
    await world.receiver.waitFor('the script', () => told(SCRIPT).length > 0)
    await world.sandbox.send(BEN, group, { text: 'again' })
    await to('webhook-log')
    await page
      .getByRole('row')
      .filter({ hasText: /Retrying \([1-6] of 6\)/ })
      .nth(1)
      .waitFor()
    await sound('webhook-log')
    await field('Outcome').getByText('Pending or retrying').waitFor({ state: 'attached' })
    await to('instances')
    await page.getByRole('row').filter({ hasText: 'Support' }).getByRole('link', { name: 'not taken' }).waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Instances' }).getByText('1 in trouble').waitFor()
  })

  test('lists the newest messages, and shows a conversation, whose contents open on a click', async () => {
    await to('messages')
    const row = page
      .getByRole('row')
      .filter({ hasText: 'Out Text' })
      .filter({ hasText: `+${BEN}` })
    await row.getByText('Read', { exact: true }).waitFor()
    await page.getByRole('row').filter({ hasText: 'In Text' }).filter({ hasText: '-group' }).waitFor()
    await field('Search').fill('+55 (11) 98888-0301')
    await page.getByRole('row').filter({ hasText: '-group' }).filter({ hasNotText: BEN }).waitFor({ state: 'detached' })
    await sound('messages')
    await row.getByRole('link', { name: `+${BEN}` }).click()
    const bubbles = page.getByRole('list', { name: 'Conversation, newest last' }).getByRole('listitem')
    await bubbles.nth(2).waitFor()
    assert.equal(await page.getByText(SCRIPT, { exact: true }).count(), 0)
    await button('Show the content of this message', bubbles.nth(2)).click()
    await bubbles.nth(2).getByText(SCRIPT, { exact: true }).waitFor()
    await button('Show the content of this message', bubbles.nth(0)).click()
    await bubbles.nth(0).getByText('Hello from the dashboard', { exact: true }).waitFor()
    await sound('conversation')
    assert.equal(await page.evaluate('"hacked" in window'), false)
    assert.equal(await page.locator('img[src="x"], main script').count(), 0)
    await bubbles
      .nth(0)
      .getByRole('link', { name: /timeline of this message$/ })
      .click()
    await heading('What happened').waitFor()
    await page.getByRole('link', { name: `+${BEN}` }).waitFor()
  })

  test('shows events as they happen, and one of them as a test for a receiver', async () => {
    await to('events')
    await page.getByRole('main').getByText('Live', { exact: true }).waitFor()
    await world.sandbox.send(BEN, ME, { text: `${SCRIPT} it's live` })
    const seen = page.getByRole('list', { name: 'Events, newest first' }).getByRole('listitem').filter({ hasText: 'received' })
    await seen.locator('summary').click()
    await seen.getByText(`"message": "${SCRIPT} it's live"`).waitFor()
    await sound('events')
    assert.equal(await page.evaluate('"hacked" in window'), false)
    await button('Copy the event as a test', seen).click()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    assert.match(copied, /: received' -H/)
    await seen.getByText(`+${BEN}`).waitFor()
    const script = copied
      .replace("SECRET=''", `SECRET='${secret}'`)
      .replace(/^curl .*/ms, 'printf "%s %s %s %s" "$NOW" "$SIGNATURE" "$STANDARD" "$BODY"')
    const { stdout } = await promisify(execFile)('sh', ['-c', script])
    const [, time, signature, standard, body] = /^(\d+) (\w+) (\S+) (.*)$/s.exec(stdout)!
    assert.equal((JSON.parse(body!) as { text: { message: string } }).text.message, `${SCRIPT} it's live`)
    assert.equal(signature, createHmac('sha256', secret).update(`${time}.${body}`).digest('hex'))
    const [, id] = /webhook-id: (\w+)/.exec(copied)!
    const headers = { 'webhook-id': id!, 'webhook-timestamp': time!, 'webhook-signature': `v1,${standard}` }
    assert.ok(new Webhook(secret).verify(body!, headers))
    await to('instances')
  })

  test('rotates the token: the one before stops', async () => {
    await to(`instances/${instance.id}`)
    assert.equal(await page.getByText(instance.token).count(), 0)
    await button('Show the token').click()
    await page.locator('code', { hasText: new RegExp(`^${instance.token}$`) }).waitFor()
    await button('Rotate').click()
    await button('Rotate', dialog()).click()
    await page.getByText('The instance has a new token.').waitFor()
    await button('Rotate').and(page.locator(':focus')).waitFor()
    assert.equal((await ask('GET', `${instance.api_url}/status`)).status, 401)
    await button('Show the token').click()
    const token = await page.locator('.secret code').first().textContent()
    assert.equal((await ask('GET', `${instance.api_url.replace(instance.token, token!)}/status`)).status, 200)
    await sound('instance')
  })

  test('saves a backup of it, with the keyboard alone', async () => {
    await to(`instances/${instance.id}`)
    await button('Export').focus()
    await page.keyboard.press('Enter')
    await dialog().waitFor()
    await field('Passphrase', dialog()).focus()
    await page.keyboard.type('correct horse battery')
    await sound('export')
    // The page shows this sentence for a few seconds only. So the test waits for it from the beginning, and not after
    // other waits.
    const [file] = await Promise.all([
      page.waitForEvent('download', { timeout: SLOW }),
      page.getByText('The backup is saved.').waitFor({ timeout: SLOW }),
      page.keyboard.press('Enter'),
    ])
    assert.equal(file.suggestedFilename(), `${instance.id}.age`)
    const { head } = await readInstanceArchive(await file.path(), 'correct horse battery', { record() {}, blob() {} })
    assert.deepEqual([head.kind, head.id], ['backup', instance.id])
    assert.doesNotMatch(await stored(), /correct horse/)
  })

  test('imports an instance from its archive, after it has shown what is in it', async () => {
    const passphrase = 'correct horse battery'
    const { gateway } = world
    const moving = await gateway.connected(world.sandbox, MOVING, world.receiver)
    const exported = await fetch(`${gateway.baseUrl}/admin/instances/${moving.id}/export`, {
      method: 'POST',
      headers: { ...gateway.admin, 'Content-Type': 'application/json' },
      body: JSON.stringify({ kind: 'move', passphrase }),
    })
    const file = { name: 'moved.age', mimeType: '', buffer: Buffer.from(await exported.arrayBuffer()) }
    await must('DELETE', `${gateway.baseUrl}/account/instances/${moving.id}`, undefined, gateway.account)
    await to('instances')
    await button('Import').click()
    await field('File', dialog()).setInputFiles(file)
    await field('Passphrase', dialog()).fill('another passphrase')
    await button('Check', dialog()).click()
    await dialog().getByText('The passphrase is not that of this archive.').waitFor({ timeout: SLOW })
    await field('Passphrase', dialog()).fill(passphrase)
    await field('Name', dialog()).fill('Moved here')
    assert.equal(await button('Import', dialog()).count(), 0)
    await button('Check', dialog()).click()
    await dialog()
      .getByText(/^The archive has \d+ records and 0 media files, as of /)
      .waitFor({ timeout: SLOW })
    await sound('import')
    assert.equal((await ask('GET', `${moving.api_url}/status`)).status, 401)
    await button('Import', dialog()).click()
    // Each reading of the archive derives a key from the passphrase, which takes long on a busy machine.
    await page.waitForURL(new RegExp(`#/instances/${moving.id}$`), { timeout: SLOW })
    await gateway.waitForStatus(moving, 'connected')
    await page.getByRole('heading', { name: 'Moved here' }).waitFor()
    assert.doesNotMatch(await stored(), /correct horse/)
    await must('DELETE', `${gateway.baseUrl}/account/instances/${moving.id}`, undefined, gateway.account)
  })

  test('imports the device in a folder of Baileys, which is chosen as a folder', async () => {
    const { gateway } = world
    const dir = await mkdtemp(join(tmpdir(), 'svc-folder-'))
    try {
      const library = await linkFolder(world, world.sandbox, FOLDER, join(dir, 'auth'))
      await library.stop()
      await to('instances')
      await button('Import').click()
      await field('From', dialog()).selectOption('baileys')
      await field('File', dialog()).setInputFiles(join(dir, 'auth'))
      await field('The other program is stopped, for good', dialog()).check()
      await button('Check', dialog()).click()
      await dialog()
        .getByText(/^(\d+) one-time keys: \1 taken\.$/)
        .waitFor()
      await button('Import', dialog()).click()
      await page.getByText('The instance is imported.').waitFor()
      await page.getByRole('heading', { name: 'Imported device' }).waitFor()
      const id = new URL(page.url()).hash.split('/').at(-1)!
      const imported = await until(
        () =>
          must<{ status: string; phone: string | null }>(
            'GET',
            `${gateway.baseUrl}/account/instances/${id}`,
            undefined,
            gateway.account,
          ),
        ({ status }) => status === 'connected',
      )
      assert.equal(imported.phone, FOLDER)
      await must('DELETE', `${gateway.baseUrl}/account/instances/${id}`, undefined, gateway.account)
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  })

  test('makes a key, shown once, and revokes it', async () => {
    await to('access')
    await button('Create a key').click()
    await field('Name', dialog()).fill('CRM')
    await dialog().getByText('A key is for all instances of this workspace.').waitFor()
    await dialog().getByLabel('instances:read').check()
    await button('Create', dialog()).click()
    const key = (await dialog().locator('.secret code').textContent())!
    for (let press = 0; press < 2; press++) await page.keyboard.press('Escape')
    await dialog().getByText('This is shown only once. Copy it, then press “I have it”.').waitFor()
    await sound('key')
    await button('I have it', dialog()).click()
    const list = () => ask('GET', `${world.gateway.baseUrl}/account/instances`, undefined, { authorization: `Bearer ${key}` })
    assert.equal((await list()).status, 200)
    await page.getByText(key).waitFor({ state: 'detached' })
    await button('Revoke CRM').click()
    await button('Revoke', dialog()).click()
    await page.getByText('The key is revoked and no longer works.').waitFor()
    // The button that opened the dialog was removed together with the key, so the focus must be on the content.
    assert.equal(await page.evaluate('document.activeElement.id'), 'content')
    assert.equal((await list()).status, 401)
  })

  test('an API key sees what it may do and why it may not do more, loses a right at once, and is signed out with its end', async () => {
    const keys = `${world.gateway.baseUrl}/admin/api-keys`
    const scopes = ['instances:read', 'instances:operate', 'instances:write']
    const { id, value } = await must<{ id: string; value: string }>(
      'POST',
      keys,
      { name: 'Night shift', scopes },
      world.gateway.admin,
    )
    const other = await browser.newContext({ viewport: { width: 380, height: 800 } })
    try {
      const tab = await other.newPage()
      const cleared = watch(tab)
      tab.setDefaultTimeout(30_000)
      await tab.goto(`${world.gateway.baseUrl}/dashboard/#/instances/${instance.id}`)
      await field('Admin key or API key', tab).fill(value)
      await tab.keyboard.press('Enter')
      await button('Delete', tab).click()
      await dialogOf(tab).waitFor()
      await button('Cancel', dialogOf(tab)).click()
      await must('PUT', `${keys}/${id}`, { scopes: scopes.slice(0, 2) }, world.gateway.admin)
      await button('Delete', tab).click()
      await dialogOf(tab).getByRole('textbox').fill('Support')
      await button('Delete', dialogOf(tab)).click()
      await dialogOf(tab).getByText('The API key lacks the scope instances:write.').waitFor()
      await button('Cancel', dialogOf(tab)).click()
      // If a user presses a disabled button, also with the keyboard, the page must show why it is disabled.
      await button('Delete', tab).and(tab.locator('[aria-disabled]')).focus()
      await tab.keyboard.press('Enter')
      await tab.getByRole('status').getByText('The API key lacks the scope instances:write.').waitFor()
      assert.equal(await dialogOf(tab).count(), 0)
      await heading('Send a message', tab).waitFor()
      assert.equal(await button('Show the token', tab).count(), 0)
      for (const path of ['access', 'health', `instances/${instance.id}/webhooks`]) {
        await tab.goto(`${world.gateway.baseUrl}/dashboard/#/${path}`)
        await heading(path === 'access' ? 'Night shift' : 'Not with this key', tab).waitFor()
        assert.ok(Number(await tab.evaluate('document.documentElement.scrollWidth')) <= 380, path)
        await soundOn(tab, `key-${path.replace(`instances/${instance.id}/`, '')}`)
      }
      await must('DELETE', `${keys}/${id}`, undefined, world.gateway.admin)
      await heading('Sign in', tab).waitFor()
      assert.deepEqual(
        cleared.complaints.filter((text) => !text.includes('status of 403') && !text.includes('status of 401')),
        [],
      )
    } finally {
      await other.close()
    }
  })

  test('says before saving that a list of addresses would lock one out', async () => {
    await to('access/requirements')
    await page.getByLabel('The list is enforced').check()
    await button('Add an address').click()
    await field('Address or range 1').fill('203.0.113.0/24')
    await page.getByText('Your address 127.0.0.1 would be locked out').waitFor()
    await field('Address or range 1').fill('127.0.0.1')
    await page.getByText('Your address 127.0.0.1 would be locked out').waitFor({ state: 'detached' })
  })

  test('names of others turn nothing around them', async () => {
    await world.gateway.createInstance(null, { name: MARKUP })
    await to('instances')
    const row = page.getByRole('link', { name: MARKUP })
    await row.waitFor()
    assert.deepEqual(await row.locator('bdi').allTextContents(), [MARKUP])
    await to('sandbox')
    await page.getByLabel('Person').waitFor()
    await page.getByText('Hello from the dashboard').waitFor()
    // The direction of the name does not affect the number after it, which is read from left to right.
    const people = await field('Person').locator('option').allTextContents()
    assert.ok(
      people.some((text) => text.includes(`${HOSTILE}\u2069 (${BEN})`)),
      JSON.stringify(people),
    )
  })

  test('a name that ends its isolation itself turns nothing, either', async () => {
    const name = 'Eve \u2069\u202Eemosnur'
    await world.sandbox.createPhone(EVE, { name })
    await to('sandbox')
    const row = page.getByRole('listitem').filter({ hasText: `+${EVE}` })
    await row.waitFor()
    const shown = await row.locator('bdi').boundingBox()
    const number = await row.locator('.number').boundingBox()
    assert.ok(shown!.x + shown!.width <= number!.x, 'the number stands behind the name')
    assert.equal(await row.locator('bdi').textContent(), 'Eve \u202Eemosnur')
    const options = await page.locator('option').allTextContents()
    assert.ok(
      options.some((text) => text.includes(`\u2068Eve \u202Eemosnur\u2069 (${EVE})`)),
      JSON.stringify(options),
    )
  })

  test('shows what was sent and received, by hour and by day, and which deliveries failed', async () => {
    await to('health')
    await to(`instances/${instance.id}`)
    for (const name of ['Last day', 'Last week']) {
      await button(name).click()
      const charts = page.getByRole('region', { name: 'Activity' })
      await charts.getByRole('img', { name: /^Messages sent: [1-9]\d* in all/ }).waitFor()
      const delivered = charts.getByRole('img', { name: /^Webhooks delivered: [1-9]\d* in all/ })
      await delivered.hover({ position: { x: 1, y: 5 } })
      await charts.getByText('failed attempts 0', { exact: true }).waitFor()
      await page.mouse.move(0, 0)
      await charts.getByText(/^failed attempts [1-9]/).waitFor()
      // The keyboard must have the same effect on the chart as the pointer.
      const slider = charts.getByRole('slider', { name: 'Webhooks delivered: values by time' })
      // The slider lies over the chart and must not hide it.
      const background = await page.evaluate<string>("getComputedStyle(document.querySelector('.plot input')).backgroundColor")
      assert.equal(background, 'rgba(0, 0, 0, 0)')
      await slider.focus()
      await page.keyboard.press('Home')
      await charts.getByText('failed attempts 0', { exact: true }).waitFor()
      assert.match((await slider.getAttribute('aria-valuetext'))!, /, 0, failed attempts 0$/)
      // A pointer that only crosses the chart leaves the slider where it is.
      await delivered.hover({ position: { x: 1, y: 5 } })
      await page.mouse.move(0, 0)
      assert.match((await slider.getAttribute('aria-valuetext'))!, /, 0, failed attempts 0$/)
      await slider.blur()
      await charts.getByText(/^failed attempts [1-9]/).waitFor()
    }
    await to('instances')
    await page.getByRole('img', { name: /^Messages sent: [1-9]\d* in all/ }).waitFor()
    // The service was started only minutes ago, so the chart of the week has one value.
    await to('health?window=week')
    await page.getByRole('img', { name: /^Memory: now \d+ MB/ }).waitFor()
  })

  test('deletes several, once that is typed', async () => {
    await to('instances')
    await page.getByRole('searchbox').fill('emosnur')
    await page.getByLabel('Select all on this page').check()
    // A chosen instance stays chosen if the search hides it, and the page must show a note about this.
    await page.getByRole('searchbox').fill('nothing of this name')
    await page.getByText('1 of them not shown here').waitFor()
    await page.getByRole('searchbox').fill('emosnur')
    await page.getByText('1 of them not shown here').waitFor({ state: 'detached' })
    const saving = page.waitForEvent('download')
    await button('Save as CSV').click()
    const csv = await readFile(await (await saving).path(), 'utf8')
    assert.equal(csv.split('\r\n').length, 2)
    assert.match(csv, /"<img src=x onerror=""window\.hacked=1""> emosnur",/)
    await button('Delete').click()
    assert.equal(await button('Delete', dialog()).isDisabled(), true)
    await dialog().getByRole('textbox').fill('delete 1')
    await button('Delete', dialog()).click()
    await page.getByText('No instance matches').waitFor()
    const { total } = await must<{ total: number }>(
      'GET',
      `${world.gateway.baseUrl}/account/instances`,
      undefined,
      world.gateway.account,
    )
    assert.equal(total, 1)
  })

  test('finds in the log what a broken receiver missed, and sends one of it again', async () => {
    // The service tries both events again after ten seconds. After that, there is no further attempt for a minute.
    await world.receiver.waitFor('a second attempt at both', () => told(SCRIPT).length > 1 && told('again').length > 1)
    await to(`instances/${instance.id}`)
    await page.getByText('Your receiver did not take events').waitFor()
    assert.equal(await topOfCards(), cardsAt, 'a receiver that breaks must not move what somebody presses')
    await page.getByRole('link', { name: 'See the events' }).click()
    await to('webhook-log')
    await field('Search').fill('NOT NOW')
    await page.waitForURL(/q=NOT/)
    const row = page
      .getByRole('row')
      .filter({ hasText: new RegExp(`Text[^]*\\+${BEN} · Support[^]*<script>`) })
      .filter({ hasText: 'HTTP 422' })
      .last()
    await row.waitFor()
    await row.getByRole('button').first().click()
    await dialog().getByText('HTTP 422').nth(1).waitFor()
    // The receiver's answer is shown as text, and its invisible characters as escape sequences.
    await dialog().getByText(`${SCRIPT} not now \\u202e\\u0007`, { exact: true }).last().waitFor()
    await dialog().getByRole('link', { name: 'Support' }).waitFor()
    await button('Show the body', dialog()).click()
    await dialog().getByText('window.hacked').last().waitFor()
    // The answer to a resend is shown beside `Resend now`, so a long body must not push this button out of the window.
    const place = (await button('Resend now', dialog()).boundingBox())!
    assert.ok(place.y + place.height <= 860, `the button ends at ${place.y + place.height}`)
    await dialog().getByText('"message_type": "text"').waitFor()
    await sound('event')
    await button('Close', dialog()).click()
    await field('Search').fill('')
    const inGroup = page.getByRole('row').filter({ hasText: 'received' }).filter({ hasText: '-group' }).first()
    await inGroup.getByRole('button').first().click()
    await button('Show the body', dialog()).click()
    await dialog().getByText('"chat_name"').filter({ hasText: 'onerror=' }).first().waitFor()
    assert.equal(await page.evaluate('"hacked" in window'), false)
    assert.equal(await page.locator('img[src="x"], main script').count(), 0)
    await button('Close', dialog()).click()
    await row.getByRole('button').first().click()
    await dialog().getByText('HTTP 422').nth(1).waitFor()
    const before = told(SCRIPT).length
    await button('Resend now', dialog()).click()
    await dialog().getByText('The receiver did not accept it: HTTP 422').waitFor()
    assert.ok(told(SCRIPT).length > before)
    // The receiver still refuses the event `again`, which a later test resends.
    world.receiver.reply(({ event }, response) =>
      response.writeHead((event.text as { message?: string } | undefined)?.message === 'again' ? 422 : 200).end(),
    )
    await button('Resend now', dialog()).click()
    await dialog().getByText('Delivered', { exact: true }).waitFor()
    await button('Close', dialog()).click()
    assert.equal(new Set(told(SCRIPT).map(({ event }) => event.event_id)).size, 1)
  })

  test('a dialog takes the focus, keeps it at a control or where the user clicked, and gives it back', async () => {
    const isFocused = (control: Locator) => control.and(page.locator(':focus')).waitFor()
    await to('webhook-log')
    const opener = page.getByRole('row').filter({ hasText: '-group' }).filter({ hasText: 'Retrying' }).getByRole('button').first()
    await opener.press('Enter')
    await dialog().locator(':focus').waitFor()
    await button('Show the body', dialog()).press('Enter')
    await dialog().getByText('"message_type": "text"').waitFor()
    // The pressed button no longer exists, so another control must have the focus.
    await isFocused(button('Close', dialog()))
    // While the event is still retried, the dialog loads it again. This must not move the focus.
    await dialog().getByRole('heading', { name: 'Attempts' }).click()
    const at = () => page.evaluate<string>('document.activeElement.tagName')
    const clicked = await at()
    await page.waitForResponse(/api\/webhook-log\/\w+$/)
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
    assert.equal(await at(), clicked)
    await page.keyboard.press('Space')
    assert.equal(await dialog().count(), 1)
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
    await isFocused(opener)
  })

  test('sends the rest of it again as a range, with its progress', async () => {
    // This address shows only events before 2020. It must not change the time range of the resend.
    await to('webhook-log?further=2020-01-01T00:00:00.000Z')
    await page.getByText('No event fits').waitFor()
    await button('Resend a range').click()
    assert.ok(Date.parse(await field('To', dialog()).inputValue()) > Date.now())
    await field('Outcome', dialog()).selectOption('pending')
    await dialog().getByText('In this range: ').waitFor()
    const attempts = told('again').length
    world.receiver.reply(null)
    await button('Resend', dialog()).click()
    await dialog()
      .getByText(/^Done: \d+ events?\. None of them is waiting any more/)
      .waitFor()
    // The list left out these events, and shows them now with their outcomes.
    await button('See which were delivered and which failed', dialog()).click()
    await dialog().waitFor({ state: 'detached' })
    const outcomes = page.getByRole('row').filter({ hasText: '-group' }).getByText('Delivered', { exact: true })
    await outcomes.first().waitFor()
    assert.ok(told('again').length > attempts)
    assert.equal(new Set(told('again').map(({ event }) => event.event_id)).size, 1)
  })

  test('causes trouble in the sandbox, and shows what becomes of the instance', async () => {
    const press = async (name: string, done: string) => {
      await to('sandbox')
      await button(name, page.getByRole('listitem').filter({ hasText: `+${ME}` })).click()
      await page.getByText(done).waitFor()
      await to(`instances/${instance.id}`)
    }
    await press('Restrict', 'The account may not write to strangers for an hour.')
    await page.getByText('The network restricts this account.').waitFor()
    await press('Lift', 'The restriction has ended.')
    await page.getByText('The network restricts this account.').waitFor({ state: 'detached' })
    await press('Ban', 'The account is suspended for an hour.')
    await page.locator('.page > header .badge', { hasText: 'Banned' }).first().waitFor()
  })

  test('the colours are a choice, which is kept', async () => {
    const ink = () => page.evaluate<string>('getComputedStyle(document.body).color')
    const [light, chosen] = [await ink(), field('Colours')]
    await chosen.selectOption('dark')
    const dark = await ink()
    assert.notEqual(dark, light)
    await page.reload()
    await chosen.waitFor()
    assert.deepEqual([await ink(), await chosen.inputValue()], [dark, 'dark'])
    // Earlier tests have checked this page in light colours with all rules, so only rules about colours are checked.
    await sound('chosen-dark', COLOUR_RULES)
    await chosen.selectOption('system')
    assert.equal(await ink(), light)
  })

  test('an address with a mistake names nothing, and leaves no blank page', async () => {
    for (const path of ['instances/%', 'instances/%zz/queue', '%E0%A4%A', 'timeline/%?page=%']) {
      await page.goto('about:blank')
      await to(path)
      await page.getByRole('heading', { level: 1 }).waitFor()
    }
    await to('instances/%')
    await page.getByText('No such instance').waitFor()
    for (const path of ['nonsense', 'access/nonsense', `instances/${instance.id}/nonsense`]) {
      // The previous page has the same heading, so the test leaves it first.
      await page.goto('about:blank')
      await to(path)
      await heading('Page not found').waitFor()
      await until(page.title.bind(page), (title) => title === 'Page not found · svc dashboard')
    }
  })

  test('every page is sound, and none is wider than a phone', async () => {
    // Earlier tests have checked these pages at the width of a desktop with all accessibility rules. So here only the
    // rules that depend on colours or sizes are checked.
    const seen = new Set([
      ...['timeline', 'webhook-log', 'sandbox', 'messages', 'events'],
      ...['', '/webhooks', '/queue'].map((tab) => `instances/${instance.id}${tab}`),
    ])
    await page.setViewportSize({ width: 380, height: 800 })
    const paths = [...PAGES, ...['', '/queue', '/webhooks', '/settings'].map((tab) => `instances/${instance.id}${tab}`)]
    for (const path of paths) {
      await to(path)
      await page.locator('main h1').waitFor()
      await page.locator('main .skeleton').first().waitFor({ state: 'detached' })
      const name = path.replace(instance.id, 'one').replaceAll('/', '-')
      const width = await page.evaluate('document.documentElement.scrollWidth')
      assert.ok(Number(width) <= 380, `${path} is ${width} px wide`)
      if (hasPictures) await picture(page, `dashboard-phone-${name}`)
      await sound(name, seen.has(path) ? PHONE_RULES : undefined)
    }
    await page.setViewportSize({ width: 1280, height: 860 })
  })

  test('pictures of each page, light and dark', { skip: hasPictures ? false : 'SVC_TEST_PICTURES is not set' }, async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const paths = [...PAGES, ...['', '/queue', '/webhooks', '/settings'].map((tab) => `instances/${instance.id}${tab}`)]
      for (const path of paths) {
        await to(path)
        await page.locator('main h1').waitFor()
        await page.locator('main .skeleton').first().waitFor({ state: 'detached' })
        await sound(`${colorScheme}-${path.replace(instance.id, 'one').replaceAll('/', '-')}`)
      }
    }
    await page.emulateMedia({ colorScheme: null })
  })

  test('signs out; a session that was ended elsewhere asks for the key again, and says why', async () => {
    await to('instances')
    await heading('Instances').waitFor()
    // The link to the API reference stores the instance with its token in the session storage of the tab. The sign-out
    // must remove it.
    await page.evaluate(`sessionStorage.setItem('svc_docs', '{}')`)
    await button('Sign out').click()
    await heading('Sign in').waitFor()
    assert.deepEqual(await context.cookies(), [])
    assert.equal(await stored(), '{}')
    const signInAgain = async () => {
      await field('Admin key or API key').fill(adminKey)
      await page.keyboard.press('Enter')
      await button('Sign out').waitFor()
    }
    await signInAgain()
    await to('access/sessions')
    const own = page.getByRole('row').filter({ hasText: 'this one' })
    await own.getByRole('button', { name: /^End the session/ }).click()
    await heading('Sign in').waitFor()
    assert.equal(await page.getByText('Your session has ended').count(), 0, 'the person knows, because they ended it')
    await signInAgain()
    const [proof] = Object.values(JSON.parse(await stored()) as Record<string, string>)
    const ended = await context.request.delete(`${world.gateway.baseUrl}/dashboard/session`, {
      headers: { [DASHBOARD_HEADER]: proof! },
    })
    assert.equal(ended.status(), 200)
    await heading('Sign in').waitFor()
    await page.getByText('Your session has ended').waitFor()
  })

  test('nothing was asked of anybody else, and nothing was refused by the policy of the page', () => {
    assert.deepEqual(foreign(watched, world.gateway.baseUrl), [])
    // Chromium logs each refused request (here with a wrong key) as an error, but these are not errors of the page.
    assert.deepEqual(
      watched.complaints.filter((text) => !text.startsWith('Failed to load resource: the server responded with a status of 4')),
      [],
    )
  })
})
