import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import { ControlError } from '../control/control-error.ts'
import type { ContactInput, MessageInput, NetworkControl, PhoneInput } from '../control/network-control.ts'
import { type ComposeContext, compose } from '../people/compose.ts'
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
import { addGroupByControl, changeParticipants, updateGroup } from './control-groups.ts'
import {
  addNewsletterByControl,
  changePostByControl,
  postByControl,
  postsByControl,
  reactByControl,
  setRoleByControl,
} from './control-newsletters.ts'
import { findKnown } from './control-people.ts'
import { retryByControl } from './control-retry.ts'
import { describeState } from './control-state.ts'
import { pushFrames, pushStanza } from './control-watch.ts'
import { notifyDevices } from './devices.ts'
import { digits, isGroup } from './jid.ts'
import { rotateKeys } from './key-rotation.ts'
import { unlinkDevice } from './login.ts'
import type { Network, Person } from './model.ts'
import { actOnCode, refreshCompanionReg, scan } from './pairing.ts'
import { enterCode } from './pairing-code.ts'
import { createPasskeyControl } from './passkey-control.ts'
import { addPerson, findPerson, jidOf, pnOf, setAbout, setDeviceCount } from './people.ts'
import { findPicture, setPersonPicture } from './pictures.ts'
import { showPresence } from './presence.ts'
import { giveReceipt } from './receipts.ts'
import { newMessageId, replay, type SendAsOptions, sendAs } from './send-as.ts'

/** Stores sealed media and returns its location. */
export type Upload = ComposeContext['upload']

/** Options of a contact. `retries: false`: the contact sends no retry receipt for a message that it cannot read. */
export type ContactOptions = ContactInput & { retries?: boolean | undefined }

/** Methods for tests, which have no route. */
export interface SimulatorControl extends NetworkControl {
  createContact(phone: string, input: ContactOptions): unknown
  updateContact(phone: string, input: ContactOptions): unknown
  createCommunity(input: Record<string, unknown>): { id: string; announcement_id: string; general_id: string }
  updateBusiness(phone: string, input: Record<string, unknown>): unknown
  createNewsletter(input: Record<string, unknown>): { id: string; invite: string }
  postToNewsletter(id: string, message: MessageInput): Promise<{ id: string; server_id: string }>
  /** Sends `companion_reg_refresh` to the client that shows this code; its secret is invalidated. */
  refreshCompanionReg(qr: string): void
  /** Makes the contact delete its sessions with linked devices: it cannot read their next message, and asks for it again. */
  loseSessions(phone: string): void
  /** Internal failures, newest last, including the reasons of failed decryptions. */
  failures(): string[]
  /** Rules for media hosts: the next one for an upload or download. */
  readonly faults: Network['faults']
}

function findPhone(network: Network, phone: string): Person {
  const person = network.people.get(digits(phone))
  if (!person?.isPhone) throw new ControlError('not_found', `there is no phone ${phone}`)
  return person
}

/** Returns the context for composing a message from this person to that chat. */
function contextFor(network: Network, from: Person, to: string, upload: Upload): ComposeContext {
  const isLid = to.endsWith('@lid')
  const addressing = isLid ? 'lid' : (network.groups.get(to)?.addressing ?? network.settings.addressing)
  const address = (person: string) => {
    const found = findPerson(network, person.includes('@') ? person : pnOf(findKnown(network, person)))
    return found ? jidOf(found, addressing) : person
  }
  return {
    chat: to.includes('@') ? to : address(to),
    self: pnOf(from),
    find(id) {
      const own = from.sent.get(id)
      if (own) return { id, author: pnOf(from), message: proto.Message.decode(own.message) }
      const item = from.inbox.find(id)
      return item && { id, author: pnOf(findKnown(network, item.from)), message: proto.Message.fromObject(item.proto as object) }
    },
    jid: address,
    upload,
    now: Date.now,
  }
}

async function say(
  network: Network,
  from: Person,
  to: string,
  input: MessageInput,
  upload: Upload,
  options: Pick<SendAsOptions, 'id' | 'unavailable' | 'damage'> = {},
) {
  const chat = to.includes('@') ? to : digits(to)
  const { message, ...about } = await compose(input, contextFor(network, from, chat, upload))
  return sendAs(network, from, chat, message, { ...options, about })
}

function describeContact(person: Person) {
  const { number, name, lid, devices, business, about, blockedMe, groupAdd, isSink } = person
  return {
    phone: number,
    name,
    lid,
    devices: devices.length,
    business,
    receipts: person.receipts ?? null,
    picture: person.picture ?? null,
    about: about ?? null,
    blocked_me: blockedMe,
    needs_token: person.needsToken ?? false,
    group_add: groupAdd,
    sink: isSink,
  }
}

function applyContact(network: Network, person: Person, input: ContactOptions, isNew = false) {
  if (input.devices !== undefined && input.devices !== person.devices.length) {
    const before = person.devices.map(({ id }) => id)
    setDeviceCount(person, input.devices)
    const after = person.devices.map(({ id }) => id)
    for (const id of after) if (!before.includes(id)) notifyDevices(network, person, 'add', id)
    for (const id of before) if (!after.includes(id)) notifyDevices(network, person, 'remove', id)
  }
  if (input.lid !== undefined) {
    // The former LID of a known person still resolves while this network runs.
    if (isNew) network.lids.delete(person.lid)
    person.lid = digits(input.lid)
    network.lids.set(person.lid, person)
  }
  person.name = input.name ?? person.name
  person.business = input.business ?? person.business
  person.receipts = input.receipts ?? person.receipts
  if (input.picture !== undefined) setPersonPicture(network, person, input.picture)
  if (input.about !== undefined) setAbout(person, input.about)
  person.blockedMe = input.blocked_me ?? person.blockedMe
  person.groupAdd = input.group_add ?? person.groupAdd
  if (input.needs_token !== undefined) person.needsToken = input.needs_token
  person.isSink = input.sink ?? person.isSink
  person.asksAgain = input.retries ?? person.asksAgain
  person.isAutomatic = false
  network.changed()
  return describeContact(person)
}

function createPhone(network: Network, input: PhoneInput) {
  const number = digits(input.phone)
  const known = network.people.get(number)
  if (known?.isPhone) throw new ControlError('conflict', `there is a phone ${number} already`)
  const person = known ?? addPerson(network, number, true, false, input.lid === undefined ? undefined : digits(input.lid))
  person.isPhone = true
  person.isAutomatic = false
  person.name = input.name ?? `Phone ${number}`
  person.platform = input.platform ?? person.platform
  person.business = person.platform === 'smba' || person.platform === 'smbi'
  person.history = input.history ?? person.history
  person.verifiedName = input.verified_name
  if (input.nct_salt !== undefined) person.chatTokenSalt = Buffer.from(input.nct_salt, 'base64')
  network.changed()
  return { phone: number, name: person.name, platform: person.platform, lid: person.lid }
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
    createContact(phone, input) {
      const number = digits(phone)
      const known = network.people.get(number)
      if (known && !known.isAutomatic) throw new ControlError('conflict', `${number} exists already`)
      return applyContact(network, known ?? addPerson(network, number, false, false), input, known === undefined)
    },
    updateContact: (phone, input) => applyContact(network, person(phone), input),
    async sendFromContact(phone, to, message, id = newMessageId(), delayMs = 0, unavailable = undefined, damage = undefined) {
      const from = person(phone)
      if (!isGroup(to) && !to.includes('@')) findKnown(network, to)
      const send = () => say(network, from, to, message, upload, { id, unavailable, damage })
      if (delayMs === 0) return send()
      network.later(delayMs, () => network.run(send()))
      return { id }
    },
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
