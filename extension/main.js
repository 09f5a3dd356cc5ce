/**
 * Runs among the scripts of web.whatsapp.com and asks the browser for the passkey. It must run there, because password
 * managers replace `navigator.credentials` only for scripts of the page. It does not get to know the address of the
 * gateway or the ticket.
 */
;(() => {
  // Without the fragment, there is nothing to confirm, and the page must not notice the extension. page.js removes the
  // fragment.
  if (!location.hash.startsWith('#svc-passkey=')) return

  const fromText = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
  const toText = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer)))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '')

  /** Converts the options from JSON, in which bytes are base64url, for `navigator.credentials.get`. */
  const optionsOf = (json) => ({
    ...json,
    challenge: fromText(json.challenge),
    allowCredentials: (json.allowCredentials ?? []).map((each) => ({ ...each, id: fromText(each.id) })),
    // `uvm` is the only WebAuthn extension that is passed on. From the result of some other extensions, the key of
    // an encrypted backup could be derived.
    extensions: json.extensions?.uvm === true ? { uvm: true } : {},
  })

  /**
   * Converts the assertion to JSON. It contains only what was signed and the signature, and no results of WebAuthn
   * extensions.
   */
  const assertionOf = ({ id, rawId, type, response }) => ({
    id,
    rawId: toText(rawId),
    type,
    response: {
      clientDataJSON: toText(response.clientDataJSON),
      authenticatorData: toText(response.authenticatorData),
      signature: toText(response.signature),
      userHandle: response.userHandle ? toText(response.userHandle) : null,
    },
  })

  async function sign(options) {
    try {
      return { assertion: assertionOf(await navigator.credentials.get({ publicKey: optionsOf(JSON.parse(options)) })) }
    } catch (error) {
      return { error: String(error?.name) }
    }
  }

  // The events carry text, because objects do not cross between the scripts of the page and those of the extension.
  document.addEventListener('svc-passkey-sign', async ({ detail }) => {
    document.dispatchEvent(new CustomEvent('svc-passkey-signed', { detail: JSON.stringify(await sign(detail)) }))
  })
})()
