/**
 * The page that pairs an instance in a browser: with its token, or behind a connect link. The credential is only in the
 * URL of the page, and no referrer contains it.
 */
import { BRAND } from '../domain/brand.ts'
import { contained } from '../domain/isolated-text.ts'
import type { Page, PairingView } from '../features/parts.ts'
import { escaped, makePage } from './page.ts'
import { passkeyBody, passkeyStyle } from './pairing-passkey.ts'
import { type PairingPlace, pairingScript } from './pairing-script.ts'
import { PAIRING_WORDS } from './pairing-words.ts'

export const pairingStyle = `
main { text-align: center }
#qr { display: block; width: min(20rem, 100%); aspect-ratio: 1; margin: 1rem auto; border-radius: 10px; background: #fff; image-rendering: pixelated }
#code { margin: 1rem 0; font: 700 2.2rem/1.2 ui-monospace, monospace; letter-spacing: .15em }
#tick svg { width: 9rem; margin: 1rem auto; display: block; stroke: var(--green) }
form { justify-content: center }
#busy { width: 2.5rem; aspect-ratio: 1; margin: 2rem auto; border: 4px solid var(--line); border-top-color: var(--green); border-radius: 50%; animation: turn 1s linear infinite }
@keyframes turn { to { transform: rotate(1turn) } }
@media (prefers-reduced-motion: reduce) { #busy { animation-duration: 4s } }
#problem, #failure, #refused { color: #c0392b }
${passkeyStyle}`

/** Says which phone to take. The script hides it when nothing is left to scan. */
const lastPhoneLine = ({ words, lastPhone }: PairingPlace) =>
  `<p id="last" class="soft"${lastPhone === null ? ' hidden' : ''}>${lastPhone === null ? '' : words.lastPhone.replace('{n}', escaped(`+${lastPhone}`))}</p>`

export const pairingBody = (place: PairingPlace, withoutScript: string) => `
<h1>${place.words.title}</h1>
${lastPhoneLine(place)}
${controlsOf(place, withoutScript)}`

const controlsOf = (
  { words, root }: PairingPlace,
  withoutScript: string,
) => `<p id="state" role="status" aria-live="polite">${words.statuses.starting}</p>
<img id="qr" alt="${words.qr}" hidden>
<div id="tick" hidden><svg viewBox="0 0 52 52" fill="none" stroke-width="4" stroke-linecap="round" role="img" aria-label="${words.connected}"><circle cx="26" cy="26" r="23"/><path d="M15 27l8 8 15-17"/></svg></div>
<div id="busy"></div>
<p id="code" hidden></p>
<p id="clock" class="soft"></p>
<form id="number" hidden autocomplete="off"><input name="phone" type="tel" inputmode="tel" required placeholder="${words.number}" aria-label="${words.number}"><button name="ask">${words.getCode}</button></form>
${passkeyBody(words, root)}
<p id="paused" hidden><button id="go-on">${words.goOn}</button></p>
<p id="problem" role="alert"></p>
<p><a id="by-code" href="#code">${words.byCode}</a><a id="by-qr" href="#qr" hidden>${words.byQr}</a></p>
<noscript><p>${withoutScript}</p></noscript>`

const WITHOUT_SCRIPT =
  'This page needs JavaScript. Without it: <a href="image">the QR code as an image</a>, which has to be reloaded.'

/** The page says which instance it pairs, because several may be open. */
const headOf = (name: string) => `<p class="soft"><bdi>${escaped(contained(name))}</bdi></p>`

export function pairingPage({ name, lastPhone, language }: PairingView): Page {
  const place: PairingPlace = {
    words: PAIRING_WORDS[language],
    operations: "'../'",
    root: '../../../../../',
    link: null,
    lastPhone,
  }
  return makePage({
    title: `${place.words.title} · ${BRAND}`,
    language,
    style: pairingStyle,
    script: pairingScript(place),
    body: headOf(name) + pairingBody(place, WITHOUT_SCRIPT),
    connects: true,
  })
}
