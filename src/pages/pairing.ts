/**
 * `GET …/qr-code/page`: pairs an instance in a browser. The page calls the routes beside it by relative URLs. The token is only in the address of the
 * page, and no referrer contains it.
 */
import { BRAND } from '../domain/brand.ts'
import type { Page } from '../features/parts.ts'
import { makePage } from './page.ts'
import { passkeyBody, passkeyScript, passkeyStyle } from './pairing-passkey.ts'

const style = `
main { text-align: center }
#qr { display: block; width: min(20rem, 100%); aspect-ratio: 1; margin: 1rem auto; border-radius: 10px; background: #fff; image-rendering: pixelated }
#code { margin: 1rem 0; font: 700 2.2rem/1.2 ui-monospace, monospace; letter-spacing: .15em }
#tick svg { width: 9rem; margin: 1rem auto; display: block; stroke: var(--green) }
form { justify-content: center }
#problem, #failure, #refused { color: #c0392b }
${passkeyStyle}`

/** Interval of the status requests in ms; a QR code is requested when the shown one has expired. */
const LOOK_EVERY = 2_000

const script = `
const show = (id, isShown) => { document.getElementById(id).hidden = !isShown }
/** Unchanged text is left alone, or screen readers would read it again with every look. */
const setText = (id, text) => {
  const element = document.getElementById(id)
  if (element.textContent !== text) element.textContent = text
}
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const AWAY = 'The service does not answer. This page goes on trying.'
/** With a body it is a POST. */
const ask = async (path, sent) => {
  const posted = sent === undefined ? {} : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(sent) }
  const response = await fetch('../' + path, { cache: 'no-store', referrerPolicy: 'no-referrer', ...posted }).catch(() => { throw new Error(AWAY) })
  const body = await response.json().catch(() => ({}))
  if (response.ok) return body
  throw Object.assign(new Error(body.error ? body.error.message : AWAY), {
    issues: body.error && body.error.details && body.error.details.issues,
    status: response.status,
    waitMs: 1000 * Number(response.headers.get('Retry-After') || 0),
  })
}
let expiresAt = 0
let isByCode = false
const WORDS = {
  created: 'Starting…', starting: 'Starting…', connecting: 'Connecting…', stopped: 'Starting…',
  qr: 'WhatsApp on the phone: Linked devices, then Link a device, and scan.',
}
const showQr = async () => {
  const { value, expires_at } = await ask('qr-code')
  show('qr', value !== null)
  if (value === null) return
  document.getElementById('qr').src = value
  expiresAt = Date.parse(expires_at)
}
const look = async () => {
  const { connected, status, phone, error } = await ask('status')
  setText('problem', '')
  if (connected) {
    for (const id of ['qr', 'code', 'number', 'by-code', 'by-qr', 'before', 'passkey', 'over']) show(id, false)
    setText('failure', '')
    show('tick', true)
    setText('state', phone ? 'Connected: ' + phone : 'Connected')
    document.title = 'Connected'
    return true
  }
  show('before', status === 'qr')
  if (status !== 'qr') show('qr', false)
  if (await lookAtPasskey(status)) {
    for (const id of ['code', 'number', 'by-code', 'by-qr']) show(id, false)
    return false
  }
  showWays()
  setText('state', isByCode && status === 'qr' ? 'WhatsApp on the phone: Linked devices, Link with phone number instead, and type the code.' : WORDS[status] || error || status)
  if (status === 'banned' || status === 'connecting' || status === 'starting' || isByCode) return false
  if (status !== 'qr' || Date.now() >= expiresAt) await showQr()
  return false
}
const run = async () => {
  for (;;) {
    let pause = ${LOOK_EVERY}
    try {
      if (await look()) return
    } catch (error) {
      setText('problem', error.message)
      if (error.status === 401 || error.status === 403) return
      pause = Math.max(pause, error.waitMs || 0)
    }
    await wait(pause)
  }
}
const showWays = () => {
  show('number', isByCode)
  show('by-qr', isByCode)
  show('by-code', !isByCode)
}
const byCode = (isOn) => {
  isByCode = isOn
  expiresAt = 0
  showWays()
  show('code', false)
  show('qr', false)
}
${passkeyScript}
document.getElementById('by-code').addEventListener('click', (event) => { event.preventDefault(); byCode(true) })
document.getElementById('by-qr').addEventListener('click', (event) => { event.preventDefault(); byCode(false) })
document.getElementById('number').addEventListener('submit', async (event) => {
  event.preventDefault()
  const { phone, ask: button } = event.target.elements
  button.disabled = true
  try {
    const { value } = await ask('phone-code/' + encodeURIComponent(phone.value.replace(/[^0-9]/g, '')))
    setText('code', value.slice(0, 4) + '-' + value.slice(4))
    show('code', true)
    setText('problem', '')
  } catch (error) {
    setText('problem', error.message)
  }
  button.disabled = false
})
run()
`

const body = `
<h1>Pair with WhatsApp</h1>
<p id="state" role="status" aria-live="polite">Starting…</p>
<img id="qr" alt="QR code to scan" hidden>
<div id="tick" hidden><svg viewBox="0 0 52 52" fill="none" stroke-width="4" stroke-linecap="round" role="img" aria-label="Connected"><circle cx="26" cy="26" r="23"/><path d="M15 27l8 8 15-17"/></svg></div>
<p id="code" hidden></p>
<form id="number" hidden autocomplete="off"><input name="phone" type="tel" inputmode="tel" required minlength="7" placeholder="Number with country code" aria-label="Number with country code"><button name="ask">Get a code</button></form>
${passkeyBody}
<p id="problem" role="alert"></p>
<p><a id="by-code" href="#code">Link with the phone number instead</a><a id="by-qr" href="#qr" hidden>Show the QR code</a></p>
<noscript><p>This page needs JavaScript. Without it: <a href="image">the QR code as an image</a>, which has to be reloaded.</p></noscript>`

export const pairingPage = (): Page => makePage({ title: `Pair with WhatsApp · ${BRAND}`, style, script, body, connects: true })
