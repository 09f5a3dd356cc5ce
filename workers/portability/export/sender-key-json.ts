/**
 * Converts sender keys of groups from libsignal's format to the JSON of Baileys, in which the newest state is the last
 * one. The Signal module reads this JSON, so an import needs no conversion.
 */
import { BufferJSON } from '@whiskeysockets/baileys'
import { allBytesOf, bytesOf, numberIn } from '../../shard/keys/signal/wire.ts'
import { revived } from '../library-state.ts'

const STATES = 1
const STATE = { chainId: 1, chainKey: 2, signingKey: 3, messageKeys: 4 } as const
const STEP = { iteration: 1, seed: 2 } as const
const SIGNING = { public: 1, private: 2 } as const
const OPENING_BRACKET = 0x5b

const NOTHING = Buffer.alloc(0)

/** Returns the JSON text of the record, or undefined if the bytes are not a record of sender keys. */
export function senderKeyJson(stored: Uint8Array): Buffer | undefined {
  if (stored[0] === OPENING_BRACKET) return jsonBytes(revived(Buffer.from(stored).toString()))
  try {
    const states = allBytesOf(stored, STATES).map(stateJson).reverse()
    return states.length === 0 ? undefined : jsonBytes(states)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/**
 * Encodes the states with bytes as base64. Baileys (7.0.0-rc14) writes bytes as arrays of numbers, but cannot read such
 * arrays in the keys of late messages.
 */
const jsonBytes = (states: unknown) => Buffer.from(JSON.stringify(states, BufferJSON.replacer))

function stateJson(state: Uint8Array) {
  const signing = bytesOf(state, STATE.signingKey) ?? NOTHING
  return {
    senderKeyId: numberIn(state, STATE.chainId),
    senderChainKey: stepJson(bytesOf(state, STATE.chainKey) ?? NOTHING),
    senderSigningKey: { public: bytesIn(signing, SIGNING.public), private: bytesIn(signing, SIGNING.private) },
    senderMessageKeys: allBytesOf(state, STATE.messageKeys).map(stepJson),
  }
}

const stepJson = (step: Uint8Array) => ({ iteration: numberIn(step, STEP.iteration), seed: bytesIn(step, STEP.seed) })

const bytesIn = (message: Uint8Array, number: number): Buffer => Buffer.from(bytesOf(message, number) ?? NOTHING)
