import type { BinaryNode } from '@whiskeysockets/baileys'
import type { Logger } from 'pino'
import { MINUTE } from '../../../src/domain/clock.ts'
import type { SocketSession } from '../chats/session.ts'
import type { OwnParts } from '../connection/contract.ts'
import { finishRegistration } from '../connection/pairing/companion-registration.ts'
import { isPrimaryHello } from '../wire/companion-registration.ts'
import { refsIn } from '../wire/pair-device.ts'
import { loggedEffect } from './logged-effect.ts'
import type { StanzaParts } from './stanza-table.ts'

/** Time in ms after a pairing code is entered, in which the owner may have to confirm the link on the phone. */
const ENTERED_CODE_LIFE = 2 * MINUTE

type PairingStanzas = Pick<StanzaParts, 'showCodes' | 'finishPairing' | 'refreshQrSecret' | 'passkeyAsked' | 'passkeyContinued'>

export function pairingStanzas({ sock }: Pick<SocketSession, 'sock'>, own: OwnParts, log: Logger): PairingStanzas {
  async function finishPairing(node: BinaryNode) {
    if (!isPrimaryHello(node)) return
    own.qrClock.keep(ENTERED_CODE_LIFE)
    try {
      await finishRegistration(sock, node)
    } finally {
      // `finishRegistration` replaces the secret of this device, even if the pairing code was mistyped. The shown QR
      // code must contain the new secret.
      own.qrClock.secretChanged()
    }
  }

  return {
    showCodes: (node) => own.qrClock.offered(refsIn(node)),
    finishPairing: loggedEffect(log, 'pairing by code could not be completed', finishPairing),
    // During a passkey ceremony the secret must not change, because the ceremony sends it to the phone at the end.
    refreshQrSecret: () => (own.passkey.isUnderWay ? undefined : own.companion.refresh()),
    passkeyAsked: own.passkey.asked,
    passkeyContinued: own.passkey.continued,
  }
}
