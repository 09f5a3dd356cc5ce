/**
 * The only part of the extension that talks to the gateway. During a confirmation it keeps the ticket in the session
 * storage of the browser, which is memory only. It also remembers the addresses of gateways that were used before. It
 * keeps nothing in variables, because the browser may stop it between two messages.
 */
const PAGE = 'https://web.whatsapp.com'
/** Time limit of a request in ms. The browser stops a worker that waits longer than 30 s for a response. */
const LONGEST_WAIT_MS = 25_000
const MAX_KNOWN = 50
const MAX_NAME = 60
const AGAIN = 'Go back to the page you came from, and press the button there again.'

/**
 * Texts that the owner sees, by the status of the gateway's answer. The gateway's own texts are not shown on a page of
 * WhatsApp.
 */
const PROBLEMS = {
  400: `The gateway refused the answer of the passkey. ${AGAIN}`,
  401: `This link was used or has expired. ${AGAIN}`,
  409: `The gateway no longer asks for a passkey. ${AGAIN}`,
  429: 'The gateway was asked too often. Wait a minute, and try again.',
  502: 'WhatsApp did not accept the passkey. Go back to the page you came from, which says what to do.',
  504: 'WhatsApp did not answer. Go back to the page you came from, which says what to do.',
}
/** Problem if the gateway cannot be reached or restarts. The same request may succeed a little later. */
const AWAY = { problem: 'The gateway does not answer at present. Check the connection, and try again.', mayRetry: true }
const MAY_RETRY = new Set([429])
const FIRST_SERVER_ERROR = 500

const problemOf = (status) => ({
  problem: PROBLEMS[status] ?? `The gateway answered with the error ${status}. ${AGAIN}`,
  mayRetry: MAY_RETRY.has(status),
})

/**
 * Returns the error code in a response. Undefined if the response is not from the gateway, but from a proxy in front of
 * it.
 */
const codeOf = async (response) => (await response.json().catch(() => undefined))?.error?.code

/**
 * Returns the problem to show for a response that is absent or not a success, and whether the same request may be sent
 * again.
 */
async function failureOf(response) {
  if (response === undefined || response.status === 503) return AWAY
  const isOfProxy = response.status >= FIRST_SERVER_ERROR && (await codeOf(response)) === undefined
  return isOfProxy ? AWAY : problemOf(response.status)
}

/** Returns the address and the ticket in the fragment, or undefined if the fragment has another format. */
function parsed(opened) {
  try {
    const text = atob(opened.replaceAll('-', '+').replaceAll('_', '/'))
    const { v, u, t } = JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (char) => char.charCodeAt(0))))
    const { protocol, pathname, username, password, search, hash, href } = new URL(u)
    const isAddress =
      ['https:', 'http:'].includes(protocol) && pathname.endsWith('/passkey') && !(username + password + search + hash)
    return v === 1 && isAddress && /^[\w-]{43}$/.test(t) ? { url: href, ticket: t } : undefined
  } catch {
    return undefined
  }
}

/**
 * Sends a GET for the options, or a POST with the assertion. The request has no cookies and no referrer, and follows no
 * redirect, so the gateway receives only the ticket and the assertion.
 */
function ask({ url, ticket }, assertion) {
  const post = assertion && { method: 'POST', body: JSON.stringify({ assertion }) }
  return fetch(url, {
    ...post,
    headers: { 'X-Passkey-Ticket': ticket, ...(post && { 'Content-Type': 'application/json' }) },
    credentials: 'omit',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
    cache: 'no-store',
    signal: AbortSignal.timeout(LONGEST_WAIT_MS),
  }).catch(() => undefined)
}

/**
 * Returns a name that is safe to show: short, without control characters and without characters that change the
 * direction of the text.
 */
const shortName = (name) =>
  String(name ?? '')
    .replace(/\p{C}/gu, '')
    .trim()
    .slice(0, MAX_NAME)

const knownGateways = async () => (await chrome.storage.local.get({ known: [] })).known

async function remember(url) {
  const { origin } = new URL(url)
  const others = (await knownGateways()).filter((each) => each !== origin)
  await chrome.storage.local.set({ known: [origin, ...others].slice(0, MAX_KNOWN) })
}

const forget = () => chrome.storage.session.remove('current')

const STEPS = {
  /** Fetches the options that are to be signed, and keeps the ticket. */
  async open(document, { opened }) {
    const current = parsed(String(opened))
    if (current === undefined) return { problem: `This link is damaged. ${AGAIN}` }
    const response = await ask(current)
    if (!response?.ok) return failureOf(response)
    const { name, public_key: publicKey } = await response.json()
    await chrome.storage.session.set({ current: { ...current, document } })
    const { host, origin, protocol } = new URL(current.url)
    const isKnown = (await knownGateways()).includes(origin)
    return { name: shortName(name), host, isKnown, isEncrypted: protocol === 'https:', publicKey }
  },

  /** Sends the assertion to the gateway. The ticket is then forgotten, unless the same answer may be sent again. */
  async answer(document, { assertion }) {
    const { current } = await chrome.storage.session.get('current')
    if (current?.document !== document) return problemOf(401)
    const response = await ask(current, assertion)
    const failure = response?.ok ? {} : await failureOf(response)
    if (failure.mayRetry) return failure
    await forget()
    if (response.ok) await remember(current.url)
    return failure
  },

  async forget(document) {
    const { current } = await chrome.storage.session.get('current')
    if (current?.document === document) await forget()
    return {}
  },
}

chrome.runtime.onMessage.addListener((message, sender, respond) => {
  const isOurs = sender.id === chrome.runtime.id && sender.origin === PAGE && sender.frameId === 0
  if (!isOurs || !Object.hasOwn(STEPS, message?.step)) return false
  STEPS[message.step](sender.documentId, message).then(respond, () =>
    respond({ problem: `The answer of the gateway could not be read. ${AGAIN}` }),
  )
  return true
})
