/**
 * Part of the pairing page for an account that requires its passkey: sign the challenge in a browser, compare the code
 * with the phone, wait for the link.
 */
import { BY_HAND, OPTIONS_HERE, UNFOLD_AFTER_MS } from '../domain/passkey-words.ts'
import type { PairingWords } from './pairing-words.ts'

export const passkeyStyle = `
#passkey { text-align: left }
#passkey h2 { font-size: 1.15rem; margin: 1rem 0 .25rem }
#passkey details { margin: .75rem 0 }
#passkey ol { padding-left: 1.4rem } #passkey li { margin: .75rem 0 }
#passkey textarea { display: block; width: 100%; margin: .4rem 0; padding: .5rem; font: .8rem/1.4 ui-monospace, monospace; border: 1px solid var(--line); border-radius: 8px; background: var(--paper); color: inherit; resize: vertical }
#passkey-code { margin: 1rem 0; font: 700 2.2rem/1.2 ui-monospace, monospace; letter-spacing: .1em; text-align: center }
#differ { background: none; border-color: var(--line); color: inherit }
`

export const passkeyScript = `
const BY_HAND = ${JSON.stringify(BY_HAND)}
const { passkey: PASSKEY } = WORDS
let challenge = null
let hasPasskey = false
let openedAt = null
const unfold = () => {
  openedAt = null
  for (const id of ['add-helper', 'without-helper']) document.getElementById(id).open = true
}
const timeLeft = (until) => {
  const seconds = Math.max(0, Math.round((Date.parse(until) - Date.now()) / 1000))
  return Math.floor(seconds / 60) + ':' + String(seconds % 60).padStart(2, '0')
}
const showSigning = ({ public_key, expires_at, attempts_left, helper_seen, last_error }) => {
  setText('state', PASSKEY.wanted)
  setText('left', PASSKEY.timeLeft + ': ' + timeLeft(expires_at) + ' · ' + PASSKEY.triesLeft + ': ' + attempts_left)
  setText('failure', last_error ? PASSKEY.problems[last_error] + ' ' + PASSKEY.tryAgain : '')
  setText('helper', helper_seen ? PASSKEY.helperAsks : '')
  if (helper_seen) openedAt = null
  if (openedAt !== null && Date.now() - openedAt > ${UNFOLD_AFTER_MS}) unfold()
  if (public_key.challenge === challenge) return
  challenge = public_key.challenge
  openedAt = null
  show('open-again', false)
  document.getElementById('by-hand').value = BY_HAND.replace('${OPTIONS_HERE}', () => JSON.stringify(public_key))
  document.getElementById('answer').value = ''
  setText('copied', '')
}
const showPhone = ({ stage, code, needs_confirmation }) => {
  setText('state', stage === 'linking' ? PASSKEY.linking : PASSKEY.lookAtPhone)
  setText('failure', '')
  setText('passkey-code', code || '')
  setText('compare-text', code ? PASSKEY.compareCode : PASSKEY.sayYes)
  show('confirmation', needs_confirmation)
}
const lookAtPasskey = async (status) => {
  if (status !== 'connecting' && !hasPasskey) return false
  const state = await ask('passkey')
  const { stage, public_key, last_error } = state
  show('passkey', stage !== 'none')
  show('signing', stage === 'awaiting_response' && public_key !== null)
  show('compare', stage === 'awaiting_confirmation' || stage === 'linking')
  if (stage !== 'none') {
    hasPasskey = true
    if (stage !== 'awaiting_response') showPhone(state)
    else if (public_key !== null) showSigning(state)
    else setText('state', PASSKEY.fetching)
    return true
  }
  if (!hasPasskey || status === 'connecting') return false
  setText('failure', last_error ? PASSKEY.problems[last_error] : '')
  if (status === 'logged_out' && last_error) {
    setText('state', PASSKEY.notLinked)
    show('over', true)
    return true
  }
  hasPasskey = false
  return false
}
const pressing = (id, act) => document.getElementById(id).addEventListener('click', async ({ target }) => {
  target.disabled = true
  try {
    await act()
    setText('refused', '')
  } catch (error) {
    // This error is not shown, because the next status request will show that the account is linked.
    if (error.code !== 'instance_already_connected') setText('refused', sentenceOf(error))
  }
  target.disabled = false
})
pressing('open', async () => {
  const { open_url } = await ask('passkey/ticket', {})
  openedAt = Date.now()
  // If the browser blocks new tabs, this link opens the address instead.
  document.getElementById('open-again').href = open_url
  show('open-again', true)
  window.open(open_url, '_blank', 'noopener,noreferrer')
})
pressing('copy', async () => {
  const text = document.getElementById('by-hand')
  text.select()
  // A frame may use the clipboard only if the page around it permits this. So there is a second way to copy.
  await (navigator.clipboard ? navigator.clipboard.writeText(text.value) : Promise.reject()).catch(() => document.execCommand('copy'))
  setText('copied', PASSKEY.copied)
})
pressing('hand-in', async () => {
  let assertion
  try {
    assertion = JSON.parse(document.getElementById('answer').value)
  } catch {
    throw new Error(PASSKEY.notTheAnswer)
  }
  await ask('passkey/response', { assertion })
  await look()
})
for (const [id, matches] of [['match', true], ['differ', false]])
  pressing(id, async () => {
    await ask('passkey/confirm', { matches })
    await look()
  })
pressing('start-over', async () => {
  await ask('restart', {})
  hasPasskey = false
  show('over', false)
  setText('failure', '')
})
`

export const passkeyBody = ({ passkey: words }: PairingWords, root: string) => `
<p id="before" hidden><small>${words.before}</small></p>
<p id="failure" role="alert"></p>
<p id="refused" role="alert"></p>
<div id="over" hidden><button id="start-over">${words.startOver}</button></div>
<section id="passkey" aria-label="Passkey" hidden>
<div id="signing" hidden>
<h2>1. ${words.confirm}</h2>
<p>${words.leavePhone} <span id="left" class="soft"></span></p>
<p>${words.pressButton}</p>
<p><button id="open">${words.openWhatsapp}</button> <a id="open-again" target="_blank" rel="noopener noreferrer" hidden>${words.openAgain}</a></p>
<p id="helper" role="status"></p>
<details id="add-helper"><summary>${words.addHelper}</summary>
<ol>
<li><a href="${root}passkey/extension.zip" download>${words.helperLink}</a>${words.helperUnpack}</li>
<li>${words.helperLoad}</li>
<li>${words.helperBack}</li>
</ol>
</details>
<details id="without-helper"><summary>${words.byHand}</summary>
<ol>
<li>${words.copyThis}<textarea id="by-hand" rows="3" readonly aria-label="${words.textToPaste}"></textarea><button id="copy">${words.copy}</button> <span id="copied" role="status"></span></li>
<li><a href="https://web.whatsapp.com/" target="_blank" rel="noopener noreferrer">${words.openWhatsapp}</a>${words.openByHand}</li>
<li>${words.console}</li>
<li>${words.press}</li>
<li>${words.pasteHere}<textarea id="answer" rows="3" aria-label="${words.answer}"></textarea><button id="hand-in">${words.handIn}</button></li>
</ol>
</details>
<details><summary>${words.onPhone}</summary><p>${words.onPhoneHow}</p></details>
</div>
<div id="compare" hidden>
<h2>2. ${words.look}</h2>
<p id="compare-text"></p>
<p id="passkey-code"></p>
<p id="confirmation" hidden><button id="match">${words.match}</button> <button id="differ">${words.differ}</button></p>
</div>
</section>`
