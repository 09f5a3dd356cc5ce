/** A passkey, and the two sides of a linking that requires it. */
import type { PasskeyBends, PublicJwk } from '../control/schemas/passkeys.ts'

export interface Passkey {
  credentialId: Buffer
  userHandle: Buffer | undefined
  publicJwk: PublicJwk
  privateKey: Buffer | undefined
  app: 'front' | 'back'
  answers: 'yes' | 'no' | 'never'
  limit: boolean
  playedBy: 'simulator' | 'program'
  bend: PasskeyBends
}

/** The side that acts as the phone in a linking: the simulator or a program. */
export interface Primary {
  takePrologue(prologue: Prologue): void
  takeNonce(nonce: Buffer): void
  takeRequest(sealed: Buffer): void
  /** Answers the question of the phone to its owner. Returns false if there is no question. */
  answer?(yes: boolean, code?: string): boolean
  leave?(): void
}

/** A device's first message that the server has accepted. */
export interface Prologue {
  credentialId: Buffer
  challenge: Buffer
  assertion: Buffer
  payload: Buffer
  proof: Buffer | undefined
}

export interface Challenge {
  value: Buffer
  issuedAt: number
  isUsed: boolean
}
