/** Requests a pairing code: this device creates the code, and registers a key that is encrypted with it. */
import { randomBytes } from 'node:crypto'
import { aesEncryptCTR, bytesToCrockford, derivePairingCodeKey } from '@whiskeysockets/baileys'
import { SECOND } from '../../../../src/domain/clock.ts'
import { Failure } from '../../../../src/domain/failures.ts'
import { BROWSER } from '../../network/device.ts'
import type { NetworkSocket } from '../../network/network-socket.ts'
import { QueryRefused } from '../../network/queries.ts'
import { companionHello } from '../../wire/companion-registration.ts'
import { actionFailure } from '../failures.ts'
import { type Ending, untilEnd } from '../within.ts'

/** Time in ms to wait for a refusal of the code. Without one, the network has accepted the code. */
const VERDICT_TIME = 3 * SECOND
/** Number of random bytes in a code. In base 32 they are eight characters. */
const CODE_BYTES = 5

export interface CodeAsker extends Ending {
  sock: Pick<NetworkSocket, 'authState' | 'ev' | 'query'>
}

export async function requestCode({ sock, ended }: CodeAsker, digits: string): Promise<string> {
  const { creds } = sock.authState
  const code = bytesToCrockford(randomBytes(CODE_BYTES))
  const jid = `${digits}@s.whatsapp.net`
  sock.ev.emit('creds.update', { pairingCode: code, me: { id: jid, name: '~' } })
  const wrappedEphemeral = await wrapped(creds.pairingEphemeralKeyPair.public, code)
  const hello = companionHello({ jid, wrappedEphemeral, noiseKey: creds.noiseKey.public, browser: BROWSER })
  try {
    await untilEnd({ ended }, sock.query(hello, VERDICT_TIME))
  } catch (error) {
    if (error instanceof QueryRefused)
      throw new Failure('action_failed', {
        message: 'The network refused the pairing code.',
        details: { network_code: error.data },
      })
    if (!(error instanceof Failure && error.code === 'send_timeout')) throw actionFailure(error)
  }
  return code
}

async function wrapped(key: Uint8Array, code: string): Promise<Buffer> {
  const salt = randomBytes(32)
  const iv = randomBytes(16)
  return Buffer.concat([salt, iv, aesEncryptCTR(key, await derivePairingCodeKey(code, salt), iv)])
}
