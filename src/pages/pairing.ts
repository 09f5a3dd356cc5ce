/** The page that pairs an instance in a browser, with the token of the instance or behind a connect link. */
import { BRAND } from '../domain/brand.ts'
import { contained } from '../domain/isolated-text.ts'
import type { Page, PairingView } from '../features/parts.ts'
import { MARK } from './mark.ts'
import { escaped, makePage } from './page.ts'
import { passkeyBody, passkeyStyle } from './pairing-passkey.ts'
import { type PairingPlace, pairingScript } from './pairing-script.ts'
import { PAIRING_WORDS } from './pairing-words.ts'

export const pairingStyle = `
main { text-align: center }
#brand { color: var(--green); line-height: 0 }
#steps svg { width: 15rem; max-width: 100%; color: var(--soft) }
@media (max-width: 30rem) { #number { flex-wrap: wrap } #number input { flex-basis: 100% } #number button { flex: 1 } }
#qr { display: block; width: min(20rem, 100%); aspect-ratio: 1; margin: 1rem auto; border-radius: 10px; background: #fff; image-rendering: pixelated }
#code { margin: 1rem 0; font: 700 2.2rem/1.2 ui-monospace, monospace; letter-spacing: .15em }
#tick svg { width: 9rem; margin: 1rem auto; display: block; stroke: var(--green) }
form { justify-content: center }
#busy { width: 2.5rem; aspect-ratio: 1; margin: 2rem auto; border: 4px solid var(--line); border-top-color: var(--green); border-radius: 50%; animation: turn 1s linear infinite }
@keyframes turn { to { transform: rotate(1turn) } }
@media (prefers-reduced-motion: reduce) { #busy { animation-duration: 4s } }
#problem, #failure, #refused { color: #c0392b }
${passkeyStyle}`

/** Picture of the phone, its menu with the linked devices, and the scan. It shows what the sentence above it says. */
const STEPS = `<svg viewBox="0 0 240 56" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
<rect x="12" y="4" width="28" height="48" rx="4"/><path d="M23 47h6"/><path d="M19 18h14v10H25l-6 5z"/>
<path d="M56 28h20m-6-6l6 6-6 6"/>
<rect x="94" y="10" width="52" height="36" rx="4"/><path d="M104 20h20M104 28h32M104 36h14"/>
<path d="M160 28h20m-6-6l6 6-6 6"/>
<path d="M198 16V8h8M222 8h8v8M230 40v8h-8M206 48h-8v-8"/><path d="M206 16h6v6h-6zM216 16h6v6h-6zM206 34h6v6h-6zM216 34h6v6h-6M196 28h36"/>
</svg>`

/** Line that says which phone to take. The script hides it when nothing is left to scan. */
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
<div id="steps" hidden>${STEPS}</div>
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

/** Head of the page. It names the instance that the page pairs, because several such pages may be open. */
const headOf = (name: string) => `<p id="brand">${MARK}</p><p class="soft"><bdi>${escaped(contained(name))}</bdi></p>`

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
