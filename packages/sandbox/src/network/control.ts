import { ControlError } from '../control/control-error.ts'
import type { MessageInput, NetworkControl } from '../control/network-control.ts'
import { startBurst } from './burst.ts'
import { placeCall } from './calls.ts'
import {
  act,
  labelChat,
  restrict,
  saveContact,
  sayToDevices,
  setPrivacy,
  setProfile,
  setStatusPrivacy,
} from './control-account.ts'
import { addCommunityByControl, updateBusinessByControl } from './control-business.ts'
import { applyContact, type ContactOptions, createContact, createPhone } from './control-contacts.ts'
import { addGroupByControl, changeParticipants, updateGroup } from './control-groups.ts'
import { contextFor, say, sayAsContact, type Upload } from './control-messages.ts'
import {
  addNewsletterByControl,
  changePostByControl,
  postByControl,
  postsByControl,
  reactByControl,
  setRoleByControl,
} from './control-newsletters.ts'
import { findKnown, findPhone } from './control-people.ts'
import { retryByControl } from './control-retry.ts'
import { describeState } from './control-state.ts'
import { pushFrames, pushStanza } from './control-watch.ts'
import { rotateKeys } from './key-rotation.ts'
import { unlinkDevice } from './login.ts'
import type { Network, Person } from './model.ts'
import { actOnCode, refreshCompanionReg, scan } from './pairing.ts'
import { enterCode } from './pairing-code.ts'
import { createPasskeyControl } from './passkey-control.ts'
import { pnOf } from './people.ts'
import { findPicture } from './pictures.ts'
import { showPresence } from './presence.ts'
import { giveReceipt } from './receipts.ts'
import { replay } from './send-as.ts'

export interface SimulatorControl extends NetworkControl {
  createContact(phone: string, input: ContactOptions): unknown
  updateContact(phone: string, input: ContactOptions): unknown
  createCommunity(input: Record<string, unknown>): { id: string; announcement_id: string; general_id: string }
  updateBusiness(phone: string, input: Record<string, unknown>): unknown
  createNewsletter(input: Record<string, unknown>): { id: string; invite: string }
  postToNewsletter(id: string, message: MessageInput): Promise<{ id: string; server_id: string }>
  /** Makes the secret in the QR code invalid. */
  refreshCompanionReg(qr: string): void
  /**
   * Makes the contact lose its encryption sessions. So it cannot decrypt the next message of the account, and requests
   * it again.
   */
  loseSessions(phone: string): void
  failures(): string[]
  readonly faults: Network['faults']
}

async function unlink(network: Network, phone: Person, device?: number) {
  const companions = device === undefined ? [...phone.companions.values()] : [phone.companions.get(device)]
  for (const companion of companions) {
    if (!companion) throw new ControlError('not_found', `${phone.number} has no linked device ${device}`)
    unlinkDevice(network, companion)
  }
}

export function createControl(network: Network, upload: Upload, reset: () => Promise<void>): SimulatorControl {
  const person = (phone: string) => findKnown(network, phone)
  return {
    state: () => describeState(network),
    stats: () => ({
      connections: network.connections.size,
      stanzas_in: network.stats.stanzasIn,
      stanzas_out: network.stats.stanzasOut,
      undecryptable: network.stats.undecryptable,
      unknown_queries: [...network.stats.unknownQueries],
      uploads: network.stats.uploads,
    }),
    settings(changes) {
      Object.assign(network.settings, changes)
      network.changed()
      return { ...network.settings }
    },
    reset,
    createPhone: (input) => createPhone(network, input),
    scan: async (phone, qr) => scan(network, findPhone(network, phone), qr),
    enterCode: async (phone, code) => enterCode(network, findPhone(network, phone), code),
    unlink: async (phone, device) => unlink(network, findPhone(network, phone), device),
    sendFromPhone: async (phone, to, message) => say(network, findPhone(network, phone), to, message, upload),
    createContact: (phone, input) => createContact(network, phone, input),
    updateContact: (phone, input) => applyContact(network, person(phone), input),
    sendFromContact: async (phone, to, message, id, delayMs, unavailable, damage) =>
      sayAsContact(network, person(phone), { to, message, id, delayMs, options: { unavailable, damage } }, upload),
    burst: (phone, burst) => startBurst(network, person(phone), burst),
    async inbox(phone, after, waitMs) {
      const { inbox, signals } = person(phone)
      const items = await inbox.read(after, waitMs)
      const receipts = signals.flatMap(({ kind, type, from, chat, ids }) =>
        kind === 'receipt' ? [{ type, from, chat, ids }] : [],
      )
      return { items, receipts }
    },
    copies: (phone, id) => person(phone).inbox.copies(id),
    replay: (phone, id, as) => ({ stanzas: replay(network, person(phone), id, as) }),
    rotate: (phone, device, what) => rotateKeys(network, person(phone), device, what),
    retry: (phone, input) => retryByControl(network, person(phone), input),
    async receipt(phone, chat, ids, type) {
      if (!giveReceipt(network, person(phone), chat.includes('@') ? chat : pnOf(person(chat)), ids, type)) {
        throw new ControlError('not_found', `${chat} is not on the network`)
      }
    },
    async presence(phone, to, state) {
      showPresence(network, person(phone), to.includes('@') ? to : pnOf(person(to)), state)
    },
    call: (phone, to, options) => placeCall(network, person(phone), person(to), options),
    callState(id) {
      const call = network.calls.get(id)
      if (!call) throw new ControlError('not_found', `there was no call ${id}`)
      return { state: call.state }
    },
    createGroup: (input) => addGroupByControl(network, input),
    changeParticipants: async (id, by, action, phones, method) =>
      changeParticipants(network, id, person(by), action, phones, method),
    updateGroup: async (id, by, changes) => updateGroup(network, id, person(by), changes),
    createCommunity: (input) => addCommunityByControl(network, input),
    updateBusiness: (phone, input) => updateBusinessByControl(network, phone, input),
    createNewsletter: (input) => addNewsletterByControl(network, input),
    postToNewsletter: (id, message) => postByControl(network, id, message, (from, to) => contextFor(network, from, to, upload)),
    restrict: (phone, input) => restrict(network, findPhone(network, phone), input),
    saveContact: (phone, input) => saveContact(network, findPhone(network, phone), input),
    setProfile: (phone, input) => setProfile(network, findPhone(network, phone), input),
    sayToDevices: (phone, input) => sayToDevices(network, findPhone(network, phone), input),
    act: (phone, input) => act(network, findPhone(network, phone), input),
    label: (phone, input) => labelChat(network, findPhone(network, phone), input),
    setPrivacy: (phone, input) => setPrivacy(network, findPhone(network, phone), input),
    setStatusPrivacy: (phone, input) => setStatusPrivacy(network, findPhone(network, phone), input),
    newsletterPosts: (id) => postsByControl(network, id),
    changePost: (id, made, message) =>
      changePostByControl(network, id, made, message, (from, to) => contextFor(network, from, to, upload)),
    reactToPost: (id, made, emoji, form) => reactByControl(network, id, made, emoji, form),
    setChannelRole: (id, input) => setRoleByControl(network, id, input),
    addFault: (fault) => network.faults.add(fault),
    clearFaults: () => network.faults.clear(),
    setDown(down) {
      network.isDown = down
      if (down) for (const connection of [...network.connections]) connection.cut()
    },
    cut(phone) {
      const { companions, ceremony } = findPhone(network, phone)
      for (const { connection } of companions.values()) connection?.cut()
      ceremony?.connection.cut()
    },
    forge: (what) => void network.forged.add(what),
    watch: (match, take) => network.trace.watch({ match, take }),
    expect: (match, count) => network.expectations.begin(match, count),
    async expected(id, waitMs) {
      const found = network.expectations.read(id, waitMs)
      if (!found) throw new ControlError('not_found', `nothing is expected under ${id}, or it was read already`)
      return found
    },
    push: (input) => pushStanza(network, input),
    pushFrames: (input) => pushFrames(network, input),
    answerInstead: (input) => network.answers.add(input),
    removeAnswers(id) {
      if (id === undefined) network.answers.clear()
      else if (!network.answers.remove(id)) throw new ControlError('not_found', `there is no answer ${id}`)
    },
    passkeys: createPasskeyControl(network, (phone) => findPhone(network, phone)),
    picture: (path) => findPicture(network, path),
    actOnCode: (qr, action) => actOnCode(network, qr, action),
    refreshCompanionReg: (qr) => refreshCompanionReg(network, qr),
    loseSessions(phone) {
      for (const device of person(phone).devices) rotateKeys(network, person(phone), device.id, 'sessions')
    },
    failures: () => [...network.failures],
    faults: {
      ...network.faults,
      take(on, facts) {
        if (on === 'upload') network.stats.uploads++
        return network.faults.take(on, facts)
      },
    },
  }
}
