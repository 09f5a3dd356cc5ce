/**
 * This device's side of the Noise handshake XX, as the network uses it. `e` are ephemeral keys, `s` long-term keys,
 * `ee` etc. the agreement of two of them:
 *
 *   device  → network   e
 *   network → device    e, ee, s, es, certificates of the network
 *   device  → network   s, se, login or registration
 */
import type { KeyPair } from '@whiskeysockets/baileys'
import { agreement } from '../../keys/curve.ts'
import { createSymmetricState, type FrameKeys } from './symmetric-state.ts'

const KEY_BYTES = 32
const PROTOCOL = 'Noise_XX_25519_AESGCM_SHA256'

export interface Initiator {
  /** Reads the hello of the network. Throws if it is incomplete or does not belong to this handshake. */
  read(hello: Hello): ReadHello
  /** Returns the parts of the last message, and the keys of all frames that follow. Call it only after `read`. */
  finish(payload: Uint8Array): { message: { static: Buffer; payload: Buffer }; keys: FrameKeys }
}

/** Fields of the network's `ServerHello`. */
interface Hello {
  ephemeral?: Uint8Array | null
  static?: Uint8Array | null
  payload?: Uint8Array | null
}

export interface ReadHello {
  /** The network's long-term key. Only the certificates prove that it belongs to the network. */
  serverKey: Buffer
  certificates: Buffer
}

export interface InitiatorKeys {
  /** A key pair that is used for this handshake only. */
  ephemeral: KeyPair
  /** The long-term key pair of the device. */
  own: KeyPair
}

/** `prologue`: the header of the protocol, which the device sends before its first frame. */
export function createInitiator({ ephemeral, own }: InitiatorKeys, prologue: Uint8Array): Initiator {
  const state = createSymmetricState(PROTOCOL, prologue)
  let theirs: Uint8Array | undefined

  state.mixHash(ephemeral.public)

  return {
    read(hello) {
      if (hello.ephemeral?.length !== KEY_BYTES || !hello.static || !hello.payload)
        throw new Error('the hello of the network is incomplete')
      theirs = hello.ephemeral
      state.mixHash(theirs)
      state.mixKey(agreement(ephemeral.private, theirs))
      const serverKey = state.decrypt(hello.static)
      state.mixKey(agreement(ephemeral.private, serverKey))
      return { serverKey, certificates: state.decrypt(hello.payload) }
    },
    finish(payload) {
      if (!theirs) throw new Error('defect in the service: the handshake was finished before the hello of the network')
      const sealedKey = state.encrypt(own.public)
      state.mixKey(agreement(own.private, theirs))
      return { message: { static: sealedKey, payload: state.encrypt(payload) }, keys: state.split() }
    },
  }
}
