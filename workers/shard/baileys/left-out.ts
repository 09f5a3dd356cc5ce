/**
 * The library omits a device from a message when encrypting for it fails for any reason (`createParticipantNodes`, Socket/messages-send.js), and
 * fails with 'All encryptions failed' when no device remains. An unusable key is a valid reason. A disk that refuses a commit, or an ended session,
 * is not: the message would be reported as sent, but a phone would never get it and never know to request it. So such a failure is returned as
 * content that cannot be encoded, and the whole stanza fails.
 */
import type { SocketConfig } from '@whiskeysockets/baileys'
import { Failure } from '../../../src/domain/failures.ts'
import { isStorageFailure } from '../../../src/domain/storage-failure.ts'
import { SESSION_CLOSED } from '../keys/signal/errors.ts'

type MakeSignalRepository = SocketConfig['makeSignalRepository']

export function leaveOutNobody(make: MakeSignalRepository): MakeSignalRepository {
  return (...parts) => {
    const repository = make(...parts)
    const encryptMessage = repository.encryptMessage.bind(repository)
    repository.encryptMessage = async (letter) => {
      try {
        return await encryptMessage(letter)
      } catch (error) {
        if (!isOurs(error)) throw error
        return { type: 'msg', ciphertext: unwritable(error) }
      }
    }
    return repository
  }
}

/** Whether a failure proves nothing about the device. */
const isOurs = (error: unknown) =>
  isStorageFailure(error) || error instanceof Failure || (error instanceof Error && error.message === SESSION_CLOSED)

/**
 * Returns content that throws the error when it is read. The stanza encoder reads it before the counter of the
 * connection has moved.
 */
const unwritable = (error: unknown): Uint8Array =>
  new Proxy<unknown[]>([], {
    get() {
      throw error
    },
  }) as unknown as Uint8Array
