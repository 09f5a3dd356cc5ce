/**
 * Runs on web.whatsapp.com beside the page, where the scripts of the page cannot reach it. It takes the fragment from
 * the address, and shows a card that says which gateway asks for what. It passes messages between main.js (which asks
 * for the passkey) and worker.js (which talks to the gateway). Without a fragment it does nothing.
 */
;(async () => {
  const MARK = '#svc-passkey='
  if (!location.hash.startsWith(MARK)) return
  const opened = location.hash.slice(MARK.length)
  // No script of the page has run yet, and with this policy none will. Otherwise `performance` would show such a
  // script the whole address, with the fragment.
  history.replaceState(null, '', location.pathname + location.search)
  const policy = document.createElement('meta')
  policy.httpEquiv = 'Content-Security-Policy'
  policy.content = "script-src 'none'"
  const head = document.createElement('head')
  head.append(policy)
  document.documentElement.prepend(head)

  const BACK = 'Go back to the page you came from'
  const NO_WORKER = { problem: `The extension was stopped or updated. ${BACK}, and press the button there again.` }
  const tell = (message) =>
    chrome.runtime.sendMessage(message).then(
      (reply) => reply ?? NO_WORKER,
      () => NO_WORKER,
    )

  const STYLE = `
    :host { all: initial; position: fixed; inset: 0; z-index: 2147483647; overflow: auto; background: #f6f8f7 }
    section { box-sizing: border-box; width: min(420px, 100vw - 32px); margin: 10vh auto; padding: 24px; border: 1px solid #9db0a7; border-radius: 12px;
      background: #fff; color: #17211d; font: 16px/1.45 system-ui, sans-serif; overflow-wrap: anywhere }
    h1 { margin: 0 0 8px; font-size: 18px } p { margin: 0 0 8px }
    button { margin: 8px 8px 0 0; padding: 8px 16px; border: 1px solid #0f6b3a; border-radius: 8px; background: #fff; color: #0f6b3a; font: inherit; cursor: pointer }
    button.main { background: #0f6b3a; color: #fff }
    section:focus { outline: none }
    :focus-visible { outline: 3px solid #2f7fd6; outline-offset: 2px }`

  const host = document.createElement('div')
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(STYLE)
  // The root is closed, so that the page can neither read nor click what is in the card.
  const root = host.attachShadow({ mode: 'closed' })
  root.adoptedStyleSheets = [sheet]
  const made = (tag, parts, more = {}) => {
    const element = Object.assign(document.createElement(tag), more)
    element.append(...parts)
    return element
  }
  const card = made('section', [], { role: 'dialog', ariaLabel: 'svc passkey helper', ariaLive: 'polite', tabIndex: -1 })
  root.append(card)
  document.documentElement.append(host)

  function button(text, press, className = '') {
    const element = made('button', [text], { type: 'button', className })
    // A script of the page can send clicks, but the browser marks them as not trusted.
    element.addEventListener('click', ({ isTrusted }) => isTrusted && press())
    return element
  }
  /** Shows a card. Each of the `paragraphs` is a list of texts and elements; texts are never parsed as HTML. */
  const show = (title, paragraphs, buttons) => {
    card.replaceChildren(made('h1', [title]), ...paragraphs.map((parts) => made('p', parts)), ...buttons)
    card.focus()
  }
  const end = (title, text) => {
    tell({ step: 'forget' })
    show(title, [[text], ['You can close this tab.']], [])
  }

  /** Lets main.js sign the options. Resolves with its answer: the assertion, or the name of an error. */
  const signed = (options) =>
    new Promise((resolve) => {
      document.addEventListener('svc-passkey-signed', ({ detail }) => resolve(JSON.parse(detail)), { once: true })
      document.dispatchEvent(new CustomEvent('svc-passkey-sign', { detail: JSON.stringify(options) }))
    })

  const strong = (text) => made('strong', [text])
  /**
   * Reply of worker.js to `open`: a problem, or the gateway, the name of the instance, and the options for the passkey.
   */
  let offer

  const cancel = () => button('Cancel', () => end('Cancelled', 'Nothing was confirmed.'))
  const endOrRetry = ({ problem, mayRetry }, retry) =>
    mayRetry ? show('Not yet', [[problem]], [button('Try again', retry, 'main'), cancel()]) : end('It did not work', problem)

  async function open() {
    show('svc passkey helper', [['Asking the gateway what is to be confirmed…']], [])
    offer = await tell({ step: 'open', opened })
    return offer.problem === undefined ? ask() : endOrRetry(offer, open)
  }

  /**
   * Sends the assertion to the gateway. After a temporary failure the same assertion can be sent again, because it
   * stays valid as long as its challenge.
   */
  async function handOver(assertion) {
    show('Handing it over…', [[`${offer.host} passes it on to WhatsApp.`]], [])
    const outcome = await tell({ step: 'answer', assertion })
    if (outcome.problem === undefined) return end('Done', `${BACK}, and look at the phone.`)
    return endOrRetry(outcome, () => handOver(assertion))
  }

  async function confirm() {
    show(
      'Confirm with your passkey',
      [['Use the box of the browser or of your password manager, and choose the passkey of this number.']],
      [],
    )
    const { assertion, error } = await signed(offer.publicKey)
    if (error === 'NotAllowedError') return ask('Nothing was confirmed: no passkey was found, or it was cancelled.')
    if (error !== undefined) return ask(`The browser could not ask for the passkey (${error}).`)
    return handOver(assertion)
  }

  function ask(problem) {
    const { name, host: gateway, isKnown, isEncrypted } = offer
    const who = name === '' ? [strong(gateway)] : [`“${name}” at `, strong(gateway)]
    show(
      'Link a device to WhatsApp?',
      [
        ...(problem === undefined ? [] : [[strong(problem)]]),
        [
          ...who,
          ' wants to link a device that reads and writes all your chats. Only go on if you have just scanned its code with your phone.',
        ],
        ...(isKnown ? [] : [[`You have not linked anything to ${gateway} with this browser before.`]]),
        ...(isEncrypted ? [] : [[`The connection to ${gateway} is not encrypted.`]]),
      ],
      [button('Confirm', confirm, 'main'), cancel()],
    )
  }

  await open()
})()
