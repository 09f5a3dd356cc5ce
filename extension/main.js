/**
 * Runs among the scripts of web.whatsapp.com and asks the browser for the passkey. It runs there because password managers replace
 * `navigator.credentials` for scripts of the page only. It knows neither the gateway nor the ticket.
 */
;(() => {
  // page.js removes the fragment; without one there is nothing to confirm, and the page cannot notice the extension.
  if (!location.hash.startsWith('#svc-passkey=')) return

  const fromText = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
  const toText = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer)))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '')

  /** The options come as JSON: their bytes are base64url. */
  const optionsOf = (json) => ({
    ...json,
    challenge: fromText(json.challenge),
    allowCredentials: (json.allowCredentials ?? []).map((each) => ({ ...each, id: fromText(each.id) })),
    // Of the extensions of WebAuthn only this one: from the result of another, the key of an encrypted backup can be derived.
    extensions: json.extensions?.uvm === true ? { uvm: true } : {},
  })

  /** Only what was signed, and no results of WebAuthn extensions. */
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

  // Text crosses between the two worlds of scripts; objects do not.
  document.addEventListener('svc-passkey-sign', async ({ detail }) => {
    document.dispatchEvent(new CustomEvent('svc-passkey-signed', { detail: JSON.stringify(await sign(detail)) }))
  })
})()
