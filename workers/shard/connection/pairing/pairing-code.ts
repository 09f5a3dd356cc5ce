/**
 * Requests a pairing code and waits for the network's answer, because the library returns the code before the network has answered, and a refused
 * code would look valid.
 */
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { SECOND } from '../../../../src/domain/clock.ts'
import { Failure } from '../../../../src/domain/failures.ts'
import { refusalCode } from '../../wire/refusal.ts'
import { type Ending, pause, untilEnd } from '../within.ts'

/** Time in ms in which a refusal arrives, if at all. */
const VERDICT_TIME = 3 * SECOND

export interface CodeAsker extends Ending {
  sock: Pick<WASocket, 'requestPairingCode'>
  /** Registers a listener for every query of ours that the network refused. Returns a function that unsubscribes. */
  onQueryRefused(listener: (answer: BinaryNode) => void): () => void
}

export async function requestCode(asker: CodeAsker, digits: string): Promise<string> {
  let refused: ((failure: Failure) => void) | undefined
  const refusal = new Promise<never>((_, reject) => {
    refused = reject
  })
  refusal.catch(() => {})
  const onError = (node: BinaryNode) => {
    const details = { network_code: refusalCode(node) }
    refused?.(new Failure('action_failed', { message: 'The network refused the pairing code.', details }))
  }
  const off = asker.onQueryRefused(onError)
  try {
    const code = await untilEnd(asker, asker.sock.requestPairingCode(digits))
    await Promise.race([pause(asker, VERDICT_TIME), refusal])
    return code
  } finally {
    off()
  }
}
