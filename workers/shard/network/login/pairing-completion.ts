/**
 * Completes the link after the phone has scanned the code, or refuses it if the report of the phone cannot be
 * verified.
 */
import type { AuthenticationCreds, BinaryNode } from '@whiskeysockets/baileys'
import { asError } from '../../baileys/thread/rejections.ts'
import { escalateTrap } from '../../baileys/thread/trap.ts'
import { PAIRING_REFUSED, pairingRefusal, pairSuccessIn } from '../../wire/pair-device.ts'
import { endReason } from '../end-reason.ts'
import { type LinkedDevice, linkedDevice } from './linked-device.ts'

export interface PairingCompletionDeps {
  creds: AuthenticationCreds
  sendNode(node: BinaryNode): Promise<void>
  /** Takes the changes of the credentials that link the device. */
  linked(update: Partial<AuthenticationCreds>): void
  /** Resolves when the changed credentials are on disk. */
  saved(): Promise<void>
  onStray(error: unknown): void
}

/**
 * Returns a function that takes `<iq><pair-success/></iq>`. It resolves when the link is complete, and rejects with an
 * end reason if the pairing was refused.
 */
export function createPairingCompletion({ creds, sendNode, linked, saved, onStray }: PairingCompletionDeps) {
  function verified(report: BinaryNode): LinkedDevice {
    try {
      return linkedDevice(pairSuccessIn(report), creds)
    } catch (error) {
      escalateTrap(error)
      sendNode(pairingRefusal(report)).catch(onStray)
      throw endReason(asError(error).message, PAIRING_REFUSED, error)
    }
  }

  return async (report: BinaryNode): Promise<void> => {
    const { reply, update } = verified(report)
    linked(update)
    // The credentials are saved before the answer, which completes the link. Otherwise, a kill could leave a linked
    // device to which nobody can log in.
    await saved()
    await sendNode(reply)
  }
}
