import {
  calculateSignature,
  GroupCipher,
  GroupSessionBuilder,
  generateIdentityKeyPair,
  generateKeyPair,
  type KeyPair,
  ProtocolAddress,
  SenderKeyDistributionMessage,
  SenderKeyName,
  SessionBuilder,
  SessionCipher,
  type SignalStorage,
} from 'whatsapp-rust-bridge'
import type { SignalBundle } from '../../packages/sandbox/src/testing.ts'

export function createRustSide(registrationId = 77) {
  const identity = generateIdentityKeyPair()
  const signedKey = generateKeyPair()
  const signedPreKey = {
    keyId: 4,
    keyPair: signedKey,
    signature: calculateSignature(identity.privKey, signedKey.pubKey),
  }
  const preKeys = new Map<number, KeyPair>([[9, generateKeyPair()]])
  const sessions = new Map<string, Uint8Array>()
  const senderKeys = new Map<string, Uint8Array>()
  const storage: SignalStorage = {
    loadSession: (address) => sessions.get(address),
    storeSession: (address, record) => {
      sessions.set(address, record.serialize())
      record.free()
    },
    getOurIdentity: () => identity,
    getOurRegistrationId: () => registrationId,
    isTrustedIdentity: () => true,
    loadPreKey: (id) => preKeys.get(id),
    removePreKey: (id) => {
      preKeys.delete(id)
    },
    loadSignedPreKey: () => signedPreKey,
    loadSenderKey: (key) => senderKeys.get(key),
    storeSenderKey: (key, record) => {
      senderKeys.set(key, record)
    },
  }
  const at = (address: string) => ProtocolAddress.from(address)

  return {
    preKeysLeft: () => preKeys.size,
    bundle: (): SignalBundle => ({
      registrationId,
      identity: identity.pubKey.subarray(1),
      signedPreKey: { id: 4, publicKey: signedKey.pubKey.subarray(1), signature: signedPreKey.signature },
      preKey: { id: 9, publicKey: preKeys.get(9)!.pubKey.subarray(1) },
    }),
    openSession: async (address: string, bundle: SignalBundle) => {
      const typed = (key: Uint8Array) => Buffer.concat([Buffer.from([5]), key])
      await new SessionBuilder(storage, at(address)).processPreKeyBundle({
        registrationId: bundle.registrationId,
        identityKey: typed(bundle.identity),
        signedPreKey: {
          keyId: bundle.signedPreKey.id,
          publicKey: typed(bundle.signedPreKey.publicKey),
          signature: bundle.signedPreKey.signature,
        },
        preKey: bundle.preKey && { keyId: bundle.preKey.id, publicKey: typed(bundle.preKey.publicKey) },
      })
    },
    encrypt: async (address: string, text: string) => {
      const { type, body } = await new SessionCipher(storage, at(address)).encrypt(Buffer.from(text))
      return { type: type === 3 ? ('pkmsg' as const) : ('msg' as const), ciphertext: body }
    },
    decrypt: async (address: string, sealed: { type: 'pkmsg' | 'msg'; ciphertext: Uint8Array }) => {
      const cipher = new SessionCipher(storage, at(address))
      const plaintext =
        sealed.type === 'pkmsg'
          ? await cipher.decryptPreKeyWhisperMessage(sealed.ciphertext)
          : await cipher.decryptWhisperMessage(sealed.ciphertext)
      return Buffer.from(plaintext).toString()
    },
    senderKey: async (group: string, self: string) => {
      const name = new SenderKeyName(group, at(self))
      return (await new GroupSessionBuilder(storage).create(name)).serialize()
    },
    acceptSenderKey: async (group: string, author: string, distribution: Uint8Array) => {
      const name = new SenderKeyName(group, at(author))
      await new GroupSessionBuilder(storage).process(name, SenderKeyDistributionMessage.deserialize(distribution))
    },
    encryptGroup: (group: string, self: string, text: string) =>
      new GroupCipher(storage, group, at(self)).encrypt(Buffer.from(text)),
    decryptGroup: async (group: string, author: string, ciphertext: Uint8Array) =>
      Buffer.from(await new GroupCipher(storage, group, at(author)).decrypt(ciphertext)).toString(),
  }
}
