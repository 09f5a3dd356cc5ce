import { randomBytes } from 'node:crypto'
import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { ControlError } from '../control/control-error.ts'
import type { Taken } from '../control/network-control.ts'
import type { PasskeyStep } from '../control/schemas/passkeys.ts'
import { type BinaryNode, bytesOf, children, node } from '../wire/node.ts'
import { forgetPairing } from './code-pairings.ts'
import { link } from './link.ts'
import type { Ceremony, Connection, Network, Person } from './model.ts'
import { refusalOf } from './passkey-assertion.ts'
import { discard } from './passkey-ceremony.ts'
import type { Passkey, Prologue } from './passkey-model.ts'
import { createPasskeyPhone } from './passkey-phone.ts'
import { createPasskeyRelay } from './passkey-relay.ts'
import { CHALLENGE_SECONDS, requestOptions, requestPrologue } from './passkey-stanzas.ts'
import { type Query, QueryError, UndescribedError } from './queries/query.ts'

/**
 * The server's part in linking a device with a passkey: it requests the passkey, verifies the assertion, and passes
 * data between device and phone.
 */

const NONCE = 32
const KEY = 32
const PROOF = 32
/** Maximum number of prologues in one linking. Further ones are refused. */
const MAX_PROLOGUES = 5

/** Links the device, or first requests the account's passkey. */
export async function linkOrDemandPasskey(
  network: Network,
  phone: Person,
  connection: Connection,
  handedSecret: Buffer,
): Promise<Taken> {
  if (!phone.passkey) return link(network, phone, connection, handedSecret)
  demandPasskey(network, phone, phone.passkey, connection, handedSecret)
  return { device: null, passkey: true }
}

function demandPasskey(network: Network, phone: Person, passkey: Passkey, connection: Connection, handedSecret: Buffer) {
  if (!connection.registration) throw new ControlError('conflict', 'the device did not say what is needed to link it')
  if (phone.ceremony) discard(phone.ceremony, 'the phone accepted another code')
  forgetPairing(network, connection)
  const ceremony: Ceremony = {
    network,
    phone,
    passkey,
    connection,
    handedSecret,
    startedAt: Date.now(),
    refs: new Set(),
    problems: [],
    acks: [],
    relayed: [],
    waiting: new Set(),
    primary: { takePrologue: () => {}, takeNonce: () => {}, takeRequest: () => {} },
    awaits: 'prologue',
    stage: 'asked',
    challenge: undefined,
    prologues: 0,
    asks: null,
    proof: null,
    code: undefined,
    device: undefined,
  }
  ceremony.primary = passkey.playedBy === 'program' ? createPasskeyRelay(ceremony) : createPasskeyPhone(ceremony)
  phone.ceremony = ceremony
  connection.ceremony = ceremony
  setImmediate(() => requestPrologue(ceremony))
}

/**
 * Runs a job after the answer was sent. If the control API has set a cut after this step, the connection is cut
 * instead.
 */
function afterAnswer(ceremony: Ceremony, step: PasskeyStep, job: () => void = () => {}) {
  setImmediate(() => {
    if (ceremony.passkey.bend.cut_after !== step) return job()
    ceremony.network.later(0, () => ceremony.connection.cut())
  })
}

function ceremonyOf({ connection }: Query): Ceremony {
  if (!connection.ceremony) throw new UndescribedError(400, 'bad-request')
  return connection.ceremony
}

/** Error codes and their texts. The real codes are not published, so these are assumptions. */
const REFUSALS = {
  /** The stanza is malformed, or it is not the expected step. */
  400: 'bad-request',
  /** The assertion is valid JSON, but does not prove that the passkey was used. */
  403: 'forbidden',
  /** The challenge has expired, or was used before. */
  410: 'gone',
  /** The companion device has made too many attempts. */
  429: 'rate-overlimit',
} as const

function refuse(ceremony: Ceremony, code: keyof typeof REFUSALS, problem: string): never {
  ceremony.problems.push(problem)
  throw new UndescribedError(code, REFUSALS[code])
}

export function giveOptions({ connection }: Query): BinaryNode[] {
  const { ceremony } = connection
  if (!ceremony) throw new QueryError(500, 'internal-server-error')
  afterAnswer(ceremony, 'options')
  return [node('passkey_request_options', {}, requestOptions(ceremony))]
}

export function giveRef(query: Query): BinaryNode[] {
  const ceremony = ceremonyOf(query)
  const ref = `2@${randomBytes(32).toString('base64')}`
  ceremony.refs.add(ref)
  afterAnswer(ceremony, 'ref')
  return [node('ref', {}, ref)]
}

export function takePrologue(query: Query): undefined {
  const ceremony = ceremonyOf(query)
  ceremony.prologues += 1
  if (ceremony.prologues > MAX_PROLOGUES) refuse(ceremony, 429, `more than ${MAX_PROLOGUES} prologues`)
  if (ceremony.awaits === 'nothing') refuse(ceremony, 400, 'a prologue after the sealed request')
  const prologue = readPrologue(ceremony, query.subject)
  ceremony.awaits = 'prologue'
  if (ceremony.stage !== 'discarded') ceremony.stage = 'deciding'
  const hand = () => ceremony.primary.takePrologue(prologue)
  if (ceremony.passkey.bend.continuation === 'early') hand()
  else afterAnswer(ceremony, 'prologue', hand)
}

const PARTS = ['credential_id', 'webauthn_assertion', 'prologue_payload', 'pairing_handoff_proof']

function readPrologue(ceremony: Ceremony, subject: BinaryNode): Prologue {
  const parts = children(subject)
  const isInOrder = (parts.length === 3 || parts.length === 4) && parts.every(({ tag }, at) => tag === PARTS[at])
  if (!isInOrder) refuse(ceremony, 400, `passkey_prologue: its children are ${parts.map(({ tag }) => tag).join(', ')}`)
  const [credentialId, assertion, payload, proof] = parts.map(bytesOf)
  if (!credentialId || !assertion || !payload) return refuse(ceremony, 400, 'passkey_prologue: a child without bytes')
  if (parts.length === 4 && proof?.length !== PROOF) refuse(ceremony, 400, `pairing_handoff_proof: ${proof?.length ?? 0} bytes`)
  checkPayload(ceremony, payload)
  const challenge = useChallenge(ceremony)
  const refusal = refusalOf(assertion, credentialId, challenge, ceremony.passkey)
  if (refusal) refuse(ceremony, refusal.kind === 'malformed' ? 400 : 403, refusal.problem)
  return { credentialId, challenge, assertion, payload, proof }
}

/**
 * Checks that the identity is complete, has the registered type of device, and contains a reference of this connection.
 */
function checkPayload(ceremony: Ceremony, payload: Buffer) {
  const { identity, commitment } = decoded(ceremony, payload)
  const { publicKey, deviceType, ref } = identity
  if (publicKey?.length !== KEY) refuse(ceremony, 400, `publicKey: ${publicKey?.length ?? 0} bytes`)
  if (commitment?.length !== 32) refuse(ceremony, 400, `commitment: ${commitment?.length ?? 0} bytes`)
  const registered = platformOf(ceremony.connection)
  if (deviceType !== registered) refuse(ceremony, 400, `deviceType is ${deviceType}, the device registered as ${registered}`)
  if (!ceremony.refs.delete(ref ?? '')) refuse(ceremony, 400, 'ref is not one that this connection was given, or was used')
}

function decoded(ceremony: Ceremony, payload: Buffer) {
  try {
    const { companionEphemeralIdentity, commitment } = proto.ProloguePayload.decode(payload)
    const identity = proto.CompanionEphemeralIdentity.decode(companionEphemeralIdentity ?? new Uint8Array())
    return { identity, commitment: commitment?.hash }
  } catch (error) {
    return refuse(ceremony, 400, `prologue_payload: ${String(error)}`)
  }
}

function platformOf({ registration }: Connection): number {
  const props = registration?.payload.devicePairingData?.deviceProps
  return proto.DeviceProps.decode(props ?? new Uint8Array()).platformType ?? 0
}

/**
 * Returns the current challenge, and marks it as used, because a challenge is valid for only one answer. Refuses one
 * that was used before or has expired.
 */
function useChallenge(ceremony: Ceremony): Buffer {
  const { challenge, passkey } = ceremony
  if (!challenge) return refuse(ceremony, 400, 'no challenge was given out')
  if (challenge.isUsed) refuse(ceremony, 410, 'the challenge was used')
  challenge.isUsed = true
  const isOld = Date.now() - challenge.issuedAt > CHALLENGE_SECONDS * 1000
  if (isOld || passkey.bend.challenge === 'stale') refuse(ceremony, 410, 'the challenge has expired')
  return challenge.value
}

export function takeNonce(query: Query): undefined {
  const ceremony = ceremonyOf(query)
  if (ceremony.awaits !== 'nonce') refuse(ceremony, 400, 'a nonce that nothing waits for')
  const nonce = bytesOf(query.subject)
  if (nonce?.length !== NONCE) return refuse(ceremony, 400, `companion_nonce: ${nonce?.length ?? 0} bytes`)
  ceremony.awaits = 'sealed_request'
  if (ceremony.stage === 'awaiting_nonce') ceremony.stage = 'confirming'
  afterAnswer(ceremony, 'nonce', () => ceremony.primary.takeNonce(nonce))
}

export function takeRequest(query: Query): undefined {
  const ceremony = ceremonyOf(query)
  if (ceremony.awaits !== 'sealed_request') refuse(ceremony, 400, 'a sealed request that nothing waits for')
  const sealed = bytesOf(query.subject)
  if (!sealed) return refuse(ceremony, 400, 'encrypted_pairing_request: no bytes')
  ceremony.awaits = 'nothing'
  const hand = () => ceremony.primary.takeRequest(sealed)
  if (ceremony.passkey.bend.pair_success === 'early') hand()
  else afterAnswer(ceremony, 'sealed_request', hand)
}
