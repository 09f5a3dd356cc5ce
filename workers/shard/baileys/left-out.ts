/**
 * The library leaves a device out of a message when encrypting for it fails, whatever the reason (`createParticipantNodes`, Socket/messages-send.js),
 * and ends with 'All encryptions failed' when none remains. An unusable key is such a reason. A disk that takes no commit is not, nor an ended
 * session: the message would be reported as sent, and a phone would never get it nor know to ask for it. So such a failure becomes content that
 * cannot be written, and the whole stanza fails with it.
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

/** Failures that prove nothing about the device. */
const isOurs = (error: unknown) =>
  isStorageFailure(error) || error instanceof Failure || (error instanceof Error && error.message === SESSION_CLOSED)

/** Reading it throws the error: the stanza encoder does so before the connection's counter has moved. */
const unwritable = (error: unknown): Uint8Array =>
  new Proxy<unknown[]>([], {
    get() {
      throw error
    },
  }) as unknown as Uint8Array
