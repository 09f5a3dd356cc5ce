/** Part of the pairing page for an account that requires its passkey: sign in a browser, compare the code with the phone, wait for the link. */
import { BEFORE_THE_SCAN, BY_HAND, OPTIONS_HERE, PASSKEY_PROBLEMS, UNFOLD_AFTER_MS } from '../domain/passkey-words.ts'

export const passkeyStyle = `
#passkey { text-align: left }
#passkey h2 { font-size: 1.15rem; margin: 1rem 0 .25rem }
#passkey details { margin: .75rem 0 }
#passkey ol { padding-left: 1.4rem } #passkey li { margin: .75rem 0 }
#passkey textarea { display: block; width: 100%; margin: .4rem 0; padding: .5rem; font: .8rem/1.4 ui-monospace, monospace; border: 1px solid var(--line); border-radius: 8px; background: var(--paper); color: inherit; resize: vertical }
#passkey-code { margin: 1rem 0; font: 700 2.2rem/1.2 ui-monospace, monospace; letter-spacing: .1em; text-align: center }
#differ { background: none; border-color: var(--line); color: inherit }
`

/** Script of this part. It continues the script of `pairing.ts`, whose `ask`, `show` and `setText` it uses. */
export const passkeyScript = `
const BY_HAND = ${JSON.stringify(BY_HAND)}
const PROBLEMS = ${JSON.stringify(PASSKEY_PROBLEMS)}
/** The challenge that is shown. */
let challenge = null
/** A ceremony was seen on this page and has not ended. */
let hasPasskey = false
/** When WhatsApp Web was opened for this challenge, until the other ways were unfolded. */
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
  setText('state', 'WhatsApp wants your passkey before it links this device.')
  setText('left', 'Time left: ' + timeLeft(expires_at) + ' · tries left: ' + attempts_left)
  setText('failure', last_error ? PROBLEMS[last_error] + ' Then try again.' : '')
  setText('helper', helper_seen ? 'The helper asks for the passkey in the other tab.' : '')
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
  setText('state', stage === 'linking' ? 'Linking…' : 'The passkey was accepted. Look at the phone.')
  setText('failure', '')
  setText('passkey-code', code || '')
  setText('compare-text', code ? 'Say yes if the phone asks. If it shows a code, it must be this one:' : 'Say yes if the phone asks. Keep WhatsApp open.')
  show('confirmation', needs_confirmation)
}
/** Returns whether the page is about a passkey at present. */
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
    else setText('state', 'WhatsApp wants your passkey; fetching what is to be signed…')
    return true
  }
  if (!hasPasskey || status === 'connecting') return false
  setText('failure', last_error ? PROBLEMS[last_error] : '')
  if (status === 'logged_out' && last_error) {
    setText('state', 'The device was not linked.')
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
    setText('refused', error.issues ? 'The answer ' + error.issues[0].message + '.' : error.message)
  }
  target.disabled = false
})
pressing('open', async () => {
  const { open_url } = await ask('passkey/ticket', {})
  openedAt = Date.now()
  // Where the browser blocks new tabs, the link leads there.
  document.getElementById('open-again').href = open_url
  show('open-again', true)
  window.open(open_url, '_blank', 'noopener,noreferrer')
})
pressing('copy', async () => {
  const text = document.getElementById('by-hand')
  text.select()
  if (navigator.clipboard) await navigator.clipboard.writeText(text.value)
  else document.execCommand('copy')
  setText('copied', 'Copied.')
})
pressing('hand-in', async () => {
  let assertion
  try {
    assertion = JSON.parse(document.getElementById('answer').value)
  } catch {
    throw new Error('This is not the answer. Copy it with the button in the box, and paste the whole of it.')
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

export const passkeyBody = `
<p id="before" hidden><small>${BEFORE_THE_SCAN}</small></p>
<p id="failure" role="alert"></p>
<p id="refused" role="alert"></p>
<div id="over" hidden><button id="start-over">Start over</button></div>
<section id="passkey" aria-label="Passkey" hidden>
<div id="signing" hidden>
<h2>1. Confirm with the passkey</h2>
<p>Leave the phone as it is, with WhatsApp open. <span id="left" class="soft"></span></p>
<p>Press the button. WhatsApp Web opens in a new tab; press <em>Confirm</em> there, and use your fingerprint, face, PIN or password manager. Choose the passkey of this number.</p>
<p><button id="open">Open WhatsApp Web</button> <a id="open-again" target="_blank" rel="noopener noreferrer" hidden>No new tab? Open it with this link.</a></p>
<p id="helper" role="status"></p>
<details id="add-helper"><summary>No box asks you to confirm? Add the helper to this browser</summary>
<ol>
<li><a href="../../../../../passkey/extension.zip" download>Download the helper</a> and unpack it. It works in Chrome, Edge and other browsers made of Chromium.</li>
<li>Open <code>chrome://extensions</code>, switch on <em>Developer mode</em>, press <em>Load unpacked</em>, and choose the folder <code>svc-passkey-extension</code>.</li>
<li>Come back and press <em>Open WhatsApp Web</em> again.</li>
</ol>
</details>
<details id="without-helper"><summary>Without the helper, by hand</summary>
<ol>
<li>Copy this text. Never paste a text from anywhere else there.<textarea id="by-hand" rows="3" readonly aria-label="Text to paste"></textarea><button id="copy">Copy the text</button> <span id="copied" role="status"></span></li>
<li><a href="https://web.whatsapp.com/" target="_blank" rel="noopener noreferrer">Open WhatsApp Web</a> in a new tab. You need not log in there.</li>
<li>Press <kbd>F12</kbd>, choose <em>Console</em>, paste the text and press <kbd>Enter</kbd>. Chrome first wants you to type <code>allow pasting</code>.</li>
<li>Press <em>Confirm with the passkey</em> in the box, and use your fingerprint, face, PIN or password manager. Choose the passkey of this number.</li>
<li>Press <em>Copy the answer</em>, come back, and paste it here.<textarea id="answer" rows="3" aria-label="Answer"></textarea><button id="hand-in">Hand in the answer</button></li>
</ol>
</details>
<details><summary>My passkey is only on the phone</summary><p>Choose <em>Phone or tablet</em> when the browser asks, scan its code with the camera, approve, and go straight back to WhatsApp: it gives up when it is closed.</p></details>
</div>
<div id="compare" hidden>
<h2>2. Look at the phone</h2>
<p id="compare-text"></p>
<p id="passkey-code"></p>
<p id="confirmation" hidden><button id="match">They match</button> <button id="differ">They differ</button></p>
</div>
</section>`
