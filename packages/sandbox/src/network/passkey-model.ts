/** A passkey, and the two sides of a linking that requires it. */
import type { PasskeyBends, PublicJwk } from '../control/schemas/passkeys.ts'

/** The passkey of a phone that requires one, and the behaviour of its owner and its app. */
export interface Passkey {
  credentialId: Buffer
  userHandle: Buffer | undefined
  publicJwk: PublicJwk
  /** Private key as PKCS #8. It is absent if only the public key was given. */
  privateKey: Buffer | undefined
  app: 'front' | 'back'
  answers: 'yes' | 'no' | 'never'
  limit: boolean
  playedBy: 'simulator' | 'program'
  bend: PasskeyBends
}

/** The phone in a linking. The simulator or a program acts as the phone. */
export interface Primary {
  takePrologue(prologue: Prologue): void
  takeNonce(nonce: Buffer): void
  takeRequest(sealed: Buffer): void
  /** Gives the owner's answer. Returns false if the phone asks nothing. */
  answer?(yes: boolean, code?: string): boolean
  /** Puts WhatsApp in the background. */
  leave?(): void
}

/** A prologue (the first message of a linking) that the server has accepted. */
export interface Prologue {
  credentialId: Buffer
  challenge: Buffer
  assertion: Buffer
  payload: Buffer
  proof: Buffer | undefined
}

export interface Challenge {
  value: Buffer
  /** Time at which the challenge was created, in epoch ms. */
  issuedAt: number
  isUsed: boolean
}
