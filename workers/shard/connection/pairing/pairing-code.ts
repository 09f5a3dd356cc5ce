/**
 * Asks for a pairing code and waits for the network's verdict: the library hands the code out before the network has answered, so a
 * refused one would look valid (BAILEYS.md, 8).
 */
import type { BinaryNode } from '@whiskeysockets/baileys'
import { SECOND } from '../../../../src/domain/clock.ts'
import { Failure } from '../../../../src/domain/failures.ts'
import type { Connection } from '../session.ts'
import { pause, untilEnd } from '../within.ts'

/** A refusal comes within this time or not at all. */
const VERDICT_TIME = 3 * SECOND

export async function requestCode(session: Connection, digits: string): Promise<string> {
  const { sock } = session
  let refused: ((failure: Failure) => void) | undefined
  const refusal = new Promise<never>((_, reject) => {
    refused = reject
  })
  refusal.catch(() => {})
  const onError = (node: BinaryNode) => {
    const error = Array.isArray(node.content) ? node.content.find(({ tag }) => tag === 'error') : undefined
    const code = Number(error?.attrs.code ?? 0)
    refused?.(new Failure('action_failed', { message: 'The network refused the pairing code.', details: { network_code: code } }))
  }
  const off = session.onQueryRefused(onError)
  try {
    const code = await untilEnd(session, sock.requestPairingCode(digits))
    await Promise.race([pause(session, VERDICT_TIME), refusal])
    return code
  } finally {
    off()
  }
}
