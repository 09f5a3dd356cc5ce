import type * as v from 'valibot'
import { ControlError } from './control-error.ts'
import type { NetworkControl } from './network-control.ts'
import { readQrImage } from './qr-image.ts'
import * as chats from './schemas/chats.ts'
import * as messages from './schemas/messages.ts'
import * as network from './schemas/network.ts'
import * as passkeys from './schemas/passkeys.ts'
import * as people from './schemas/people.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** An answer of server-sent events, which lasts until the connection ends. */
export class EventStream {
  /** Starts the stream. `send` sends the data of one event. The returned function ends the events. */
  readonly start: (send: (data: unknown) => void) => () => void
  constructor(start: EventStream['start']) {
    this.start = start
  }
}

export interface Route {
  method: Method
  segments: string[]
  status: number
  /** Schema of the JSON body; for GET, of the query string. */
  schema: v.GenericSchema
  run(control: NetworkControl, input: unknown, path: Record<string, string>): unknown
}

function route<S extends v.GenericSchema>(
  method: Method,
  path: string,
  status: number,
  schema: S,
  run: (control: NetworkControl, input: v.InferOutput<S>, path: Record<'phone' | 'id', string>) => unknown,
): Route {
  // The server validates the input with `schema` before it calls `run`, so the cast is correct.
  return { method, segments: path.split('/').slice(1), status, schema, run: run as Route['run'] }
}

const { Nothing, Anything } = network

/** Actions by which people change only their own membership. */
const BY_THEMSELVES = new Set(['leave', 'request', 'withdraw'])

export const ROUTES: Route[] = [
  route('GET', '/state', 200, Nothing, (control) => control.state()),
  route('GET', '/stats', 200, Nothing, (control) => control.stats()),
  route('PUT', '/settings', 200, network.SettingsChange, (control, changes) => control.settings(given(changes))),
  route('POST', '/reset', 200, Nothing, (control) => control.reset()),

  route('POST', '/phones', 201, people.NewPhone, (control, input) => control.createPhone(input)),
  route('POST', '/phones/:phone/scan', 200, people.Scan, (control, input, { phone }) =>
    control.scan(phone, 'qr' in input ? input.qr : readQrImage(input.image)),
  ),
  route('POST', '/phones/:phone/enter-code', 200, people.EnterCode, (control, { code }, { phone }) =>
    control.enterCode(phone, code),
  ),
  route('POST', '/phones/:phone/unlink', 200, people.Unlink, (control, { device }, { phone }) => control.unlink(phone, device)),
  route('POST', '/phones/:phone/send', 201, people.PhoneSend, (control, { to, message }, { phone }) =>
    control.sendFromPhone(phone, to, message),
  ),
  // Routes for changes of an account: its restriction, contacts, profile and settings.
  route('PUT', '/phones/:phone/restriction', 200, people.Restriction, (control, input, { phone }) =>
    control.restrict(phone, input),
  ),
  route('POST', '/phones/:phone/contacts', 201, people.SavedContact, (control, input, { phone }) =>
    control.saveContact(phone, input),
  ),
  route('PUT', '/phones/:phone/status-privacy', 200, people.StatusPrivacy, (control, input, { phone }) =>
    control.setStatusPrivacy(phone, input),
  ),
  route('PUT', '/phones/:phone/privacy', 200, people.Privacy, (control, input, { phone }) => control.setPrivacy(phone, input)),
  route('PUT', '/phones/:phone/profile', 200, people.Profile, (control, input, { phone }) => control.setProfile(phone, input)),
  route('POST', '/phones/:phone/peer', 201, people.Peer, (control, input, { phone }) => control.sayToDevices(phone, input)),
  route('POST', '/phones/:phone/actions', 201, people.Action, (control, input, { phone }) => control.act(phone, input)),
  route('POST', '/phones/:phone/labels', 201, people.Label, (control, input, { phone }) => control.label(phone, input)),
  route('POST', '/phones/:phone/cut', 200, Nothing, (control, _, { phone }) => control.cut(phone)),

  route('PUT', '/phones/:phone/passkey', 200, passkeys.Passkey, ({ passkeys }, input, { phone }) => passkeys.set(phone, input)),
  route('GET', '/phones/:phone/passkey', 200, Nothing, ({ passkeys }, _, { phone }) => passkeys.read(phone)),
  route('DELETE', '/phones/:phone/passkey', 200, Nothing, ({ passkeys }, _, { phone }) => passkeys.remove(phone)),
  route('POST', '/phones/:phone/passkey/sign', 200, passkeys.PasskeySign, ({ passkeys }, input, { phone }) =>
    passkeys.sign(phone, input),
  ),
  route('POST', '/phones/:phone/passkey/accept', 200, passkeys.PasskeyAccept, ({ passkeys }, input, { phone }) =>
    passkeys.accept(phone, input),
  ),
  route('POST', '/phones/:phone/passkey/say', 200, passkeys.PasskeySay, ({ passkeys }, { what }, { phone }) =>
    passkeys.say(phone, what),
  ),
  route('GET', '/phones/:phone/passkey/relay', 200, messages.InboxQuery, ({ passkeys }, { after, wait_ms }, { phone }) =>
    passkeys.relayed(phone, after, wait_ms),
  ),
  route('POST', '/phones/:phone/passkey/relay', 200, passkeys.PasskeyRelay, ({ passkeys }, input, { phone }) =>
    passkeys.relay(phone, input),
  ),

  route('POST', '/contacts', 201, people.NewContact, (control, { phone, ...input }) => control.createContact(phone, input)),
  route('PUT', '/contacts/:phone', 200, people.ContactChange, (control, input, { phone }) => control.updateContact(phone, input)),
  route(
    'POST',
    '/contacts/:phone/send',
    201,
    people.ContactSend,
    (control, { to, message, id, delay_ms, unavailable, damage }, { phone }) =>
      control.sendFromContact(phone, to, message, id, delay_ms, unavailable, damage),
  ),
  route(
    'POST',
    '/contacts/:phone/burst',
    202,
    people.Burst,
    (control, { to, count, text_prefix: textPrefix, per_second: perSecond, lead_ms: leadMs }, { phone }) =>
      control.burst(phone, { to, count, textPrefix, perSecond, leadMs }),
  ),
  route('GET', '/contacts/:phone/inbox', 200, messages.InboxQuery, (control, { after, wait_ms }, { phone }) =>
    control.inbox(phone, after, wait_ms),
  ),
  // The following routes are about messages that could not be decrypted.
  route('GET', '/contacts/:phone/copies/:id', 200, Nothing, (control, _, { phone, id }) => ({
    items: control.copies(phone, id),
  })),
  route('POST', '/contacts/:phone/replay', 200, messages.Replay, (control, { id, as }, { phone }) =>
    control.replay(phone, id, as),
  ),
  route('POST', '/contacts/:phone/rotate', 200, messages.Rotate, (control, { what, device }, { phone }) =>
    control.rotate(phone, device, what),
  ),
  route('POST', '/contacts/:phone/retry', 200, messages.Retry, (control, input, { phone }) => control.retry(phone, input)),
  route('POST', '/contacts/:phone/receipt', 200, messages.Receipt, (control, { chat, ids, type }, { phone }) =>
    control.receipt(phone, chat, ids, type),
  ),
  route('POST', '/contacts/:phone/presence', 200, messages.Presence, (control, { to, state }, { phone }) =>
    control.presence(phone, to, state),
  ),
  route('POST', '/contacts/:phone/call', 201, messages.Call, (control, { to, ...options }, { phone }) =>
    control.call(phone, to, given(options)),
  ),
  route('GET', '/calls/:id', 200, Nothing, (control, _, { id }) => control.callState(id)),

  route('POST', '/groups', 201, chats.NewGroup, (control, input) => control.createGroup(input)),
  route('POST', '/groups/:id/participants', 200, chats.ParticipantsChange, (control, { by, action, phones, method }, { id }) => {
    if (!phones && !BY_THEMSELVES.has(action)) throw new ControlError('invalid_request', `phones: needed to ${action}`)
    return control.changeParticipants(id, by, action, phones ?? [by], method)
  }),
  route('PUT', '/groups/:id', 200, chats.GroupChange, (control, { by, ...changes }, { id }) =>
    control.updateGroup(id, by, changes),
  ),

  route('POST', '/communities', 201, Anything, (control, input) =>
    offered(control.createCommunity, 'communities').call(control, input),
  ),
  route('POST', '/newsletters', 201, Anything, (control, input) =>
    offered(control.createNewsletter, 'newsletters').call(control, input),
  ),
  route('POST', '/newsletters/:id/posts', 201, chats.Post, (control, { message }, { id }) =>
    offered(control.postToNewsletter, 'newsletters').call(control, id, message),
  ),
  // This route removes the post if `message` is absent.
  route('PUT', '/newsletters/:id/posts', 200, chats.PostChange, (control, { post, message }, { id }) =>
    offered(control.changePost, 'newsletters').call(control, id, post, message),
  ),
  route('POST', '/newsletters/:id/reactions', 200, chats.PostReaction, (control, { post, emoji, form }, { id }) =>
    offered(control.reactToPost, 'newsletters').call(control, id, post, emoji, form),
  ),
  route('PUT', '/newsletters/:id/roles', 200, chats.ChannelRole, (control, input, { id }) =>
    offered(control.setChannelRole, 'newsletters').call(control, id, input),
  ),
  route('GET', '/newsletters/:id/posts', 200, Nothing, (control, _, { id }) => ({
    items: offered(control.newsletterPosts, 'newsletters').call(control, id),
  })),
  route('PUT', '/business/:phone', 200, Anything, (control, input, { phone }) =>
    offered(control.updateBusiness, 'business profiles').call(control, phone, input),
  ),

  // These routes cause events while a client shows a code, without a phone.
  route('POST', '/codes', 200, people.CodeAct, (control, input) =>
    control.actOnCode('qr' in input ? input.qr : readQrImage(input.image), input.do),
  ),
  // These routes watch and change stanzas.
  route('GET', '/trace', 200, network.TraceQuery, (control, match) => new EventStream((send) => control.watch(match, send))),
  route('POST', '/expect', 200, network.Expect, async (control, { match, count, wait_ms }) => {
    const { id } = control.expect(match, count)
    return wait_ms === 0 ? { id, complete: false, items: [] } : { id, ...(await control.expected(id, wait_ms)) }
  }),
  route('GET', '/expect/:id', 200, network.ExpectedQuery, async (control, { wait_ms }, { id }) => ({
    id,
    ...(await control.expected(id, wait_ms)),
  })),
  route('POST', '/stanzas', 200, network.Push, (control, input) => control.push(input)),
  route('POST', '/frames', 200, network.PushFrames, (control, input) => control.pushFrames(input)),
  route('POST', '/answers', 201, network.Instead, (control, input) => control.answerInstead(input)),
  route('DELETE', '/answers', 200, Nothing, (control) => control.removeAnswers()),
  route('DELETE', '/answers/:id', 200, Nothing, (control, _, { id }) => control.removeAnswers(id)),

  route('POST', '/faults', 201, network.NewFault, (control, fault) => control.addFault(fault)),
  route('DELETE', '/faults', 200, Nothing, (control) => control.clearFaults()),
  route('PUT', '/network', 200, network.NetworkChange, (control, { down }) => control.setDown(down)),
  route('POST', '/forge', 200, network.Forge, (control, { what }) => control.forge(what)),
]

function given<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(present) as { [K in keyof T]: Exclude<T[K], undefined> }
}

function offered<F>(method: F | undefined, area: string): F {
  if (!method) throw new ControlError('not_found', `this network has no ${area}`)
  return method
}
