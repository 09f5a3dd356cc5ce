/** The script of the pairing page. Its parts share one scope in the browser. */
import { passkeyScript } from './pairing-passkey.ts'
import type { PairingWords } from './pairing-words.ts'

/** Milliseconds between two status requests. */
const LOOK_EVERY = 2_000

export interface PairingPlace {
  words: PairingWords
  operations: string
  root: string
  /**
   * Number that was linked last; null if there is none. It is also null on the page of a connect link, because the
   * reader of that page may be somebody else.
   */
  lastPhone: string | null
  /**
   * The connect link of the page; null for a page that was opened with a token. A page that frames this one gets the
   * outcome of the link if its origin is in `frames`.
   */
  link: { id: string; frames: readonly string[] } | null
}

const literal = (value: unknown) => JSON.stringify(value).replaceAll('<', '\\u003c')

/**
 * Milliseconds without use after which the page of a connect link stops asking for the status. Each new QR code would
 * otherwise keep a session open on the network.
 */
const ABANDONED = 15 * 60_000

/**
 * Returns the script that reports to the framing page how the connect link has ended. If the browser does not state the
 * origin of the framing page, each allowed origin gets a message, and the browser delivers only the right one.
 */
export const tellScript = (link: PairingPlace['link']) => `
const LINK = ${literal(link)}
const tell = (event) => {
  if (LINK === null || parent === window) return
  const around = location.ancestorOrigins && location.ancestorOrigins[0]
  const origins = LINK.frames.includes(around) ? [around] : LINK.frames
  for (const origin of origins) parent.postMessage({ type: 'svc.connect', event, link_id: LINK.id }, origin)
}
`

const helperScript = `const show = (id, isShown) => { document.getElementById(id).hidden = !isShown }
/** Sets the text of an element only if it changes, because screen readers read each text that is set. */
const setText = (id, text) => {
  const element = document.getElementById(id)
  if (element.textContent !== text) element.textContent = text
}
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const sentenceOf = ({ code, issues, message }) => {
  const isOfAnswer = issues && issues[0].path !== 'phone'
  if (WORDS.failures === null) return isOfAnswer ? WORDS.passkey.badAnswer + ' ' + issues[0].message + '.' : message
  if (isOfAnswer) return WORDS.passkey.badAnswer
  return code ? WORDS.failures[code] || WORDS.failures.otherwise : message
}
const ask = async (path, sent) => {
  const posted = sent === undefined ? {} : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(sent) }
  const response = await fetch(OPERATIONS + path, { cache: 'no-store', referrerPolicy: 'no-referrer', ...posted }).catch(() => { throw new Error(WORDS.away) })
  const body = await response.json().catch(() => ({}))
  if (response.ok) return body
  throw Object.assign(new Error(body.error ? body.error.message : WORDS.away), {
    code: body.error && body.error.code,
    reason: body.error && body.error.details && body.error.details.reason,
    issues: body.error && body.error.details && body.error.details.issues,
    status: response.status,
    waitMs: 1000 * Number(response.headers.get('Retry-After') || 0),
  })
}
`

const CODE_LIFE = 3 * 60_000

const clockScript = `let expiresAt = 0
/** Time (epoch ms) until which the shown pairing code is valid, or 0 if no code is shown. */
let codeUntil = 0
let isCodeAsked = false
const clockOf = (ms) => Math.floor(ms / 60000) + ':' + String(Math.floor(ms / 1000) % 60).padStart(2, '0')
const isShown = (id) => !document.getElementById(id).hidden
const tick = () => {
  const left = codeUntil - Date.now()
  if (left > 0) return setText('clock', WORDS.codeLeft.replace('{n}', clockOf(left)))
  if (codeUntil > 0) show('code', false)
  codeUntil = 0
  if (isCodeAsked) return setText('clock', WORDS.fetching)
  const seconds = Math.ceil((expiresAt - Date.now()) / 1000)
  setText('clock', isShown('qr') && seconds > 0 ? WORDS.newCode.replace('{n}', seconds) : '')
}
const ticking = setInterval(tick, 1000)
`

const shownScript = `const showQr = async () => {
  const { value, expires_at } = await ask('qr-code')
  show('qr', value !== null)
  show('busy', value === null)
  if (value === null) return
  document.getElementById('qr').src = value
  expiresAt = Date.parse(expires_at)
}
const showOnly = (text) => {
  for (const id of ['qr', 'steps', 'busy', 'code', 'number', 'by-code', 'by-qr', 'before', 'passkey', 'over', 'last']) show(id, false)
  for (const id of ['failure', 'refused', 'problem', 'clock']) setText(id, '')
  codeUntil = 0
  setText('state', text)
}
const finish = (phone) => {
  showOnly(WORDS.mayClose)
  clearInterval(ticking)
  document.querySelector('h1').textContent = phone ? WORDS.connected + ': +' + phone : WORDS.connected
  show('tick', true)
  document.title = WORDS.connected
  tell('paired')
}
`

const statusScript = `/**
 * Statuses for which the page shows the sentence of the API, because it says more than the word of the page. Answers to
 * connect links contain no such sentence.
 */
const EXPLAINED = ['disconnected', 'logged_out', 'banned']
/** Replaces the UTC times in a sentence of the service by times in the reader's time zone. */
const withLocalTimes = (text) => text.replace(/\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z/g, (time) => new Date(time).toLocaleString())
let hasLooked = false
/** Returns whether the instance is paused. Only the status of a connect link says this, so other pages ask for it. */
const isPaused = async (paused) => (paused === undefined ? (await ask('me')).status_reason === 'paused' : paused)
const look = async () => {
  const { connected, status, phone, error, paired, paused, pairing_failed } = await ask('status')
  setText('problem', '')
  const isFirst = !hasLooked
  hasLooked = true
  if (connected) {
    finish(phone)
    return true
  }
  if (status === 'stopped' && (await isPaused(paused))) {
    showOnly(WORDS.isPaused)
    return false
  }
  show('before', status === 'qr')
  if (status !== 'qr') {
    show('qr', false)
    expiresAt = 0
  }
  // When the account is linked, the passkey is no longer needed.
  if (paired) show('passkey', false)
  else if (await lookAtPasskey(status)) {
    hideWays()
    return false
  }
  // A pairing that failed before this page was opened is not shown, because the reader of the page did not cause it.
  if (pairing_failed && !isFirst) {
    hideWays()
    setText('state', PASSKEY.notLinked)
    show('over', true)
    return false
  }
  show('over', false)
  const explained = WORDS.failures === null && EXPLAINED.includes(status) && error && withLocalTimes(error)
  const instruction = isByCode ? (isCodeAsked ? WORDS.fetching : WORDS.typeCode) : isShown('qr') ? WORDS.scan : WORDS.fetching
  const said = explained || WORDS.statuses[status] || error || status
  const advice = status === 'banned' ? ' ' + WORDS.banAdvice : ''
  setText('state', status === 'qr' ? instruction : said + advice)
  show('steps', status === 'qr' && !isByCode)
  show('busy', !isByCode && !isShown('qr') && status !== 'banned')
  // If the account is linked but not connected, or banned, the reader of the page can do nothing about it.
  if (paired || status === 'banned') {
    hideWays()
    return false
  }
  showWays()
  if (status === 'connecting' || status === 'starting') return false
  if (isByCode) {
    // A request for the QR code starts a session. Without a session, no pairing code can be requested either.
    if (status !== 'qr') await ask('qr-code')
    return false
  }
  if (status !== 'qr' || Date.now() >= expiresAt) await showQr()
  if (isShown('qr')) setText('state', WORDS.scan)
  return false
}
`

/**
 * Part of the script that asks for the status again and again, until the number is connected or access is refused. The
 * page of a connect link pauses while nobody uses it.
 */
const loopScript = `const run = async () => {
  for (;;) {
    let pause = ${LOOK_EVERY}
    try {
      if (await look()) return
    } catch (error) {
      if (error.status === 401 && LINK !== null) {
        showOnly(error.reason === 'used' ? WORDS.used : WORDS.ended)
        return tell('ended')
      }
      // This error is not shown, because the next status request will show that the account is linked.
      if (error.code !== 'instance_already_connected') setText('problem', sentenceOf(error))
      if (error.status === 401 || error.status === 403) return
      pause = Math.max(pause, error.waitMs || 0)
    }
    await wait(pause)
    if (LINK !== null && Date.now() - usedAt > ${ABANDONED}) await goneOn()
  }
}
let usedAt = Date.now()
for (const kind of ['pointerdown', 'keydown', 'visibilitychange']) document.addEventListener(kind, () => { usedAt = Date.now() })
const goneOn = async () => {
  showOnly(WORDS.paused)
  show('paused', true)
  await new Promise((resolve) => document.getElementById('go-on').addEventListener('click', resolve, { once: true }))
  show('paused', false)
  setText('state', WORDS.statuses.starting)
  expiresAt = 0
}
`

const waysScript = `/** Whether a pairing code is offered instead of the QR code. On a phone it is, because a phone cannot scan itself. */
let isByCode = matchMedia('(pointer: coarse) and (max-width: 40rem)').matches
const hideWays = () => { for (const id of ['busy', 'code', 'number', 'by-code', 'by-qr']) show(id, false) }
const showWays = () => {
  show('number', isByCode)
  show('by-qr', isByCode)
  show('by-code', !isByCode)
}
const byCode = (isOn) => {
  isByCode = isOn
  expiresAt = 0
  showWays()
  for (const id of ['code', 'qr', 'busy', 'steps']) show(id, false)
  // The sentence changes now, because the next status request, which would change it, is up to two seconds away.
  setText('state', isOn ? WORDS.typeCode : WORDS.fetching)
  codeUntil = 0
  setText('problem', '')
  tick()
}
document.getElementById('by-code').addEventListener('click', (event) => { event.preventDefault(); byCode(true) })
document.getElementById('by-qr').addEventListener('click', (event) => { event.preventDefault(); byCode(false) })
document.getElementById('number').addEventListener('submit', async (event) => {
  event.preventDefault()
  const { phone, ask: button } = event.target.elements
  const number = phone.value.replace(/[^0-9]/g, '').replace(/^00/, '')
  show('code', false)
  codeUntil = 0
  if (number.length < 7 || number.startsWith('0')) return setText('problem', WORDS.needsNumber)
  setText('problem', '')
  isCodeAsked = true
  tick()
  button.disabled = true
  try {
    const { value } = await ask('phone-code/' + encodeURIComponent(number))
    setText('code', value.slice(0, 4) + '-' + value.slice(4))
    show('code', true)
    codeUntil = Date.now() + ${CODE_LIFE}
  } catch (error) {
    setText('problem', sentenceOf(error))
  }
  isCodeAsked = false
  tick()
  button.disabled = false
})
`

export const pairingScript = ({ words, operations, link }: PairingPlace) => `
const WORDS = ${literal(words)}
${tellScript(link)}
const OPERATIONS = ${operations}
${helperScript}${clockScript}${shownScript}${statusScript}${loopScript}${passkeyScript}
${waysScript}run()
`
