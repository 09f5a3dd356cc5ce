/** Functions for a linking with a passkey: they end it, handle the device's acks, and describe the linking. */
import type { CeremonyView } from '../control/passkeys.ts'
import type { Ceremony, Connection } from './model.ts'

/** Ends the linking on the phone. After that, the phone gives no further answers. */
export function discard(ceremony: Ceremony, why: string) {
  if (isOver(ceremony)) return
  ceremony.problems.push(why)
  ceremony.stage = 'discarded'
  ceremony.asks = null
}

export const isOver = ({ stage }: Ceremony) => stage === 'discarded' || stage === 'linked'

/**
 * Ends the linking because its connection has ended. In the stage `linking`, the code that links the device notices
 * this itself.
 */
export function endCeremony({ ceremony }: Connection) {
  if (ceremony && ceremony.stage !== 'linking') discard(ceremony, 'the connection ended')
}

/**
 * Records an ack of the device. If the connection must be cut after a notification, it is cut when the ack has arrived.
 */
export function takeAck({ ceremony, cut }: Connection, attrs: Record<string, string>) {
  if (!ceremony) return
  const { type = '', error = null } = attrs
  ceremony.acks.push({ type, error })
  const { cut_after: step } = ceremony.passkey.bend
  if (step === 'request' && type === 'passkey_prologue_request') cut()
  if (step === 'continuation' && type === 'crsc_continuation') cut()
}

export function describeCeremony(ceremony: Ceremony): CeremonyView {
  const { stage, connection, asks, proof, prologues, acks, problems } = ceremony
  return {
    stage,
    conn: connection.id,
    asks,
    proof,
    code: ceremony.code ?? null,
    prologues,
    acks: [...acks],
    device: ceremony.device ?? null,
    problems: [...problems],
  }
}
