import type { CeremonyStage, CeremonyView, PasskeyBends, PublicJwk, RelayItem } from '../control/passkeys.ts'
import type { Connection, Network, Person } from './model.ts'

/** The passkey of a phone that demands one, and how its owner and its app behave. */
export interface Passkey {
  credentialId: Buffer
  userHandle: Buffer | undefined
  publicJwk: PublicJwk
  /** PKCS #8. Absent when only the public key was given. */
  privateKey: Buffer | undefined
  app: 'front' | 'back'
  answers: 'yes' | 'no' | 'never'
  limit: boolean
  playedBy: 'simulator' | 'program'
  bend: PasskeyBends
}

/** The phone's side of a ceremony: the simulator's own, or a program's. */
export interface Primary {
  takePrologue(prologue: Prologue): void
  takeNonce(nonce: Buffer): void
  takeRequest(sealed: Buffer): void
  /** The owner's answer. False when nothing is asked. */
  answer?(yes: boolean, code?: string): boolean
  /** WhatsApp leaves the foreground. */
  leave?(): void
}

/** A prologue that the server accepted. */
export interface Prologue {
  credentialId: Buffer
  challenge: Buffer
  assertion: Buffer
  payload: Buffer
  proof: Buffer | undefined
}

export interface Challenge {
  value: Buffer
  /** Epoch ms. */
  issuedAt: number
  isUsed: boolean
}

/** One linking by a phone that demands its passkey. The phone keeps the last one, so that the control API can show how it ended. */
export interface Ceremony {
  readonly network: Network
  readonly phone: Person
  readonly passkey: Passkey
  readonly connection: Connection
  /** The secret that the phone knows: the one in the QR code, or the one agreed on with the typed code. */
  readonly handedSecret: Buffer
  /** Time at which the phone accepted the code. Epoch ms. */
  readonly startedAt: number
  readonly refs: Set<string>
  readonly problems: string[]
  readonly acks: CeremonyView['acks']
  readonly relayed: RelayItem[]
  /** Readers who wait for something to be relayed. */
  readonly waiting: Set<() => void>
  primary: Primary
  /** The query that the server takes next; a prologue is taken until the sealed request was. */
  awaits: 'prologue' | 'nonce' | 'sealed_request' | 'nothing'
  stage: CeremonyStage
  challenge: Challenge | undefined
  prologues: number
  asks: CeremonyView['asks']
  proof: CeremonyView['proof']
  code: string | undefined
  device: number | undefined
}

/** The ceremony is over for the phone: it stays silent from now on. */
export function discard(ceremony: Ceremony, why: string) {
  if (isOver(ceremony)) return
  ceremony.problems.push(why)
  ceremony.stage = 'discarded'
  ceremony.asks = null
}

export const isOver = ({ stage }: Ceremony) => stage === 'discarded' || stage === 'linked'

/** The connection ended: the ceremony belongs to it. A link under way finds that out by itself. */
export function endCeremony({ ceremony }: Connection) {
  if (ceremony && ceremony.stage !== 'linking') discard(ceremony, 'the connection ended')
}

/** The companion acknowledges a notification. Cutting after a notification waits for this, so that the notification has arrived. */
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
