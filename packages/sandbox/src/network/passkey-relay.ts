import type { RelayItem } from '../control/passkeys.ts'
import type { Ceremony } from './model.ts'
import type { Primary } from './passkey-model.ts'

type Unnumbered = RelayItem extends infer Item ? (Item extends RelayItem ? Omit<Item, 'seq'> : never) : never

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

/** Acts as the phone by passing its items to a program. The items are stored, so that the program can read them. */
export function createPasskeyRelay(ceremony: Ceremony): Primary {
  const { registration } = ceremony.connection
  const relay = (item: Unnumbered) => {
    ceremony.relayed.push({ seq: ceremony.relayed.length + 1, ...item } as RelayItem)
    for (const wake of [...ceremony.waiting]) wake()
  }
  relay({
    what: 'accepted',
    adv_secret: base64(ceremony.handedSecret),
    noise_key: base64(registration?.staticKey ?? new Uint8Array()),
    identity_key: base64(registration?.payload.devicePairingData?.eIdent ?? new Uint8Array()),
  })
  return {
    takePrologue: ({ credentialId, challenge, assertion, payload, proof }) =>
      relay({
        what: 'prologue',
        credential_id: base64(credentialId),
        challenge: challenge.toString('base64url'),
        webauthn_assertion: assertion.toString('utf8'),
        prologue_payload: base64(payload),
        pairing_handoff_proof: proof ? base64(proof) : null,
      }),
    takeNonce: (nonce) => relay({ what: 'nonce', companion_nonce: base64(nonce) }),
    takeRequest: (sealed) => relay({ what: 'sealed_request', encrypted_pairing_request: base64(sealed) }),
  }
}

export async function readRelayed(ceremony: Ceremony, after: number, waitMs: number): Promise<RelayItem[]> {
  const since = () => ceremony.relayed.slice(after)
  if (since().length > 0 || waitMs === 0) return since()
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer)
      ceremony.waiting.delete(done)
      resolve()
    }
    const timer = setTimeout(done, waitMs)
    ceremony.waiting.add(done)
  })
  return since()
}
