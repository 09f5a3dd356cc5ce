/**
 * The library leaves a device out of a message when encrypting for it fails, whatever the reason (`createParticipantNodes`,
 * Socket/messages-send.js), and ends with 'All encryptions failed' when nobody remains. A key that cannot be used is such a reason. A disk
 * that takes no commit is none, nor is a session that has ended: the message would be told as sent and a phone would never get it, nor know
 * to ask for it. So what fails here becomes content that cannot be written, and the whole stanza stays, with the failure as its error.
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

/** It says nothing about the device. */
const isOurs = (error: unknown) =>
  isStorageFailure(error) || error instanceof Failure || (error instanceof Error && error.message === SESSION_CLOSED)

/** Whoever reads of it meets the error: the encoder of stanzas does, before the connection's counter has moved. */
const unwritable = (error: unknown): Uint8Array =>
  new Proxy<unknown[]>([], {
    get() {
      throw error
    },
  }) as unknown as Uint8Array
