import type { PasskeyError, PublicKeyOptions } from './passkey.ts'

export const PASSKEY_PROBLEMS: Readonly<Record<PasskeyError, string>> = {
  refused: 'WhatsApp did not accept the passkey. Choose the passkey of this number.',
  no_answer_from_phone:
    'The phone did not answer. Keep WhatsApp open in front, allow its notifications, and check that fewer than four devices are linked.',
  timed_out: 'The time limit was reached before the device was linked.',
  codes_differ: 'The codes differed, so nothing was linked.',
  connection_lost: 'The connection was lost. Scan the new code.',
}

export const BEFORE_THE_SCAN =
  'Does your WhatsApp use a passkey? Then open this page on a computer that can use it, and keep WhatsApp open on the phone until the green tick.'

/**
 * Milliseconds after which the pages show the other ways to link, if the helper (the browser extension) has not
 * appeared in the new tab.
 */
export const UNFOLD_AFTER_MS = 10_000

export const OPTIONS_HERE = 'OPTIONS_HERE'

/**
 * Script for the console of web.whatsapp.com. It shows a button, because some browsers ask for a passkey only after a
 * click. It creates elements one by one, because that page enforces Trusted Types.
 */
export const BY_HAND = `(() => {
  const options = ${OPTIONS_HERE}
  const box = document.createElement('div')
  box.style.cssText = 'position:fixed;z-index:2147483647;top:16px;left:16px;width:360px;padding:16px;border-radius:12px;background:#fff;color:#17211d;font:16px/1.4 sans-serif;box-shadow:0 4px 24px #0006'
  const add = (tag, text) => {
    const element = document.createElement(tag)
    element.textContent = text
    element.style.cssText = 'display:block;width:100%;box-sizing:border-box;margin:0 0 8px;padding:' + (tag === 'p' ? '0' : '8px') + ';font:inherit'
    box.append(element)
    return element
  }
  const say = add('p', 'Confirm with the passkey of the number that you are linking.')
  const confirm = add('button', 'Confirm with the passkey')
  const answer = add('textarea', '')
  const copy = add('button', 'Copy the answer')
  answer.readOnly = true
  answer.rows = 3
  answer.setAttribute('aria-label', 'Answer')
  const showAnswer = (isShown) => {
    answer.style.display = copy.style.display = isShown ? 'block' : 'none'
    confirm.style.display = isShown ? 'none' : 'block'
  }
  showAnswer(false)
  add('button', 'Close').onclick = () => box.remove()
  confirm.onclick = async () => {
    try {
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
      const credential = await navigator.credentials.get({ publicKey })
      answer.value = JSON.stringify(credential.toJSON())
      say.textContent = 'Copy the answer and paste it into the page you came from.'
      showAnswer(true)
    } catch (error) {
      say.textContent = error.name === 'NotAllowedError' ? 'Nothing was confirmed: no passkey was found, or it was cancelled. Try again.' : String(error)
    }
  }
  copy.onclick = async () => {
    answer.select()
    try {
      await navigator.clipboard.writeText(answer.value)
    } catch {
      document.execCommand('copy')
    }
    say.textContent = 'Copied. Paste it into the page you came from.'
  }
  document.body.append(box)
})()`

export const byHandFor = (options: PublicKeyOptions): string => BY_HAND.replace(OPTIONS_HERE, () => JSON.stringify(options))
