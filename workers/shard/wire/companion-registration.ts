/**
 * Builds and parses the three steps of a pairing by code: our request, the notification of the phone after the code was
 * entered, and our answer.
 *
 *   <iq to="s.whatsapp.net" type="set" xmlns="md"><link_code_companion_reg jid stage="companion_hello">
 *     <link_code_pairing_wrapped_companion_ephemeral_pub/><companion_server_auth_key_pub/><companion_platform_id/>…
 *   <notification type="link_code_companion_reg"><link_code_companion_reg>
 *     <primary_identity_pub/><link_code_pairing_wrapped_primary_ephemeral_pub/><link_code_pairing_ref/>…
 *   <iq to="s.whatsapp.net" type="set" xmlns="md"><link_code_companion_reg jid stage="companion_finish">
 *     <link_code_pairing_wrapped_key_bundle/><companion_identity_public/><link_code_pairing_ref/>
 */
import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildBuffer,
  getCompanionPlatformId,
  S_WHATSAPP_NET,
  type WABrowserDescription,
} from '@whiskeysockets/baileys'

export interface CompanionHello {
  jid: string
  /** Salt, IV, and the ephemeral key of this device, encrypted with the pairing code. */
  wrappedEphemeral: Uint8Array
  noiseKey: Uint8Array
  browser: WABrowserDescription
}

export const companionHello = ({ jid, wrappedEphemeral, noiseKey, browser }: CompanionHello): BinaryNode => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'md' },
  content: [
    {
      tag: 'link_code_companion_reg',
      attrs: { jid, stage: 'companion_hello', should_show_push_notification: 'true' },
      content: [
        { tag: 'link_code_pairing_wrapped_companion_ephemeral_pub', attrs: {}, content: wrappedEphemeral },
        { tag: 'companion_server_auth_key_pub', attrs: {}, content: noiseKey },
        { tag: 'companion_platform_id', attrs: {}, content: getCompanionPlatformId(browser) },
        { tag: 'companion_platform_display', attrs: {}, content: `${browser[1]} (${browser[0]})` },
        { tag: 'link_code_pairing_nonce', attrs: {}, content: '0' },
      ],
    },
  ],
})

export interface PrimaryHello {
  identity: Buffer
  /** Salt, IV, and the ephemeral key of the phone, encrypted with the pairing code. */
  wrappedEphemeral: Buffer
  ref: Buffer
}

/**
 * Whether the notification contains the keys of the phone. A notification with `stage="refresh_code"` only requests a
 * new pairing code.
 */
export const isPrimaryHello = (notice: BinaryNode): boolean =>
  getBinaryNodeChild(notice, 'link_code_companion_reg')?.attrs.stage !== 'refresh_code'

/** Reads the keys of the phone. Throws if a part is missing. */
export function primaryHelloIn(notice: BinaryNode): PrimaryHello {
  const hello = getBinaryNodeChild(notice, 'link_code_companion_reg')
  const part = (tag: string) => {
    const found = getBinaryNodeChildBuffer(hello, tag)
    if (found === undefined) throw new Error(`the phone's answer to a pairing code has no ${tag}`)
    return Buffer.from(found)
  }
  return {
    identity: part('primary_identity_pub'),
    wrappedEphemeral: part('link_code_pairing_wrapped_primary_ephemeral_pub'),
    ref: part('link_code_pairing_ref'),
  }
}

export interface CompanionFinish {
  jid: string
  keyBundle: Uint8Array
  identity: Uint8Array
  ref: Uint8Array
}

export const companionFinish = ({ jid, keyBundle, identity, ref }: CompanionFinish): BinaryNode => ({
  tag: 'iq',
  attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'md' },
  content: [
    {
      tag: 'link_code_companion_reg',
      attrs: { jid, stage: 'companion_finish' },
      content: [
        { tag: 'link_code_pairing_wrapped_key_bundle', attrs: {}, content: keyBundle },
        { tag: 'companion_identity_public', attrs: {}, content: identity },
        { tag: 'link_code_pairing_ref', attrs: {}, content: ref },
      ],
    },
  ],
})
