import { createHash } from 'node:crypto'
import { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import * as v from 'valibot'
import { ControlError } from '../control/network-control.ts'
import { type ComposeContext, type Composed, type Form, form, type KnownMessage, keyOf, known } from './compose-form.ts'
import { type SecretPurpose, sealAbout } from './secret.ts'

const message_id = v.pipe(v.string(), v.minLength(1))
const { ProtocolMessage, PinInChatMessage, SecretEncryptedMessage, EventResponseMessage } = proto.Message

/** Phones allow these three; another number is sent as it is, to see what happens. 0 takes the pin away. */
const Pin = v.object({ message_id, seconds: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0)), 604_800) })
const Edit = v.object({ message_id, text: v.string(), encrypted: v.optional(v.boolean(), false) })
const EventResponse = v.object({
  message_id,
  response: v.picklist(['going', 'not_going', 'maybe']),
  extra_guests: v.optional(v.pipe(v.number(), v.integer()), 0),
})

/** Forms that speak about an earlier message. */
export const ABOUT_FORMS: Record<string, Form> = {
  reaction: form('message.reaction', v.object({ message_id, emoji: v.string() }), ({ message_id: id, emoji }, context) => ({
    message: { reactionMessage: { key: keyOf(context, known(context, id)), text: emoji, senderTimestampMs: context.now() } },
    type: 'reaction',
  })),
  edit: form('message.edit', Edit, composeEdit),
  revoke: form('message.revoke', v.object({ message_id }), ({ message_id: id }, context) => {
    const target = known(context, id)
    return {
      message: { protocolMessage: { key: keyOf(context, target), type: ProtocolMessage.Type.REVOKE } },
      type: 'text',
      edit: target.author === context.self ? '7' : '8',
    }
  }),
  pin: form('message.pin', Pin, ({ message_id: id, seconds }, context) => ({
    message: {
      pinInChatMessage: {
        key: keyOf(context, known(context, id)),
        type: seconds > 0 ? PinInChatMessage.Type.PIN_FOR_ALL : PinInChatMessage.Type.UNPIN_FOR_ALL,
        senderTimestampMs: context.now(),
      },
      messageContextInfo: { messageAddOnDurationInSecs: seconds },
    },
    type: 'text',
    edit: '2',
  })),
  poll_vote: form('message.poll_vote', v.object({ message_id, options: v.array(v.string()) }), composeVote),
  event_response: form('message.event_response', EventResponse, composeEventResponse),
  button: form('message.button', v.object({ message_id, id: v.string() }), composeButton),
  list_row: form('message.list_row', v.object({ message_id, row_id: v.string() }), composeListRow),
}

function composeEdit({ message_id: id, text, encrypted }: v.InferOutput<typeof Edit>, context: ComposeContext): Composed {
  const target = known(context, id)
  const protocolMessage = {
    key: keyOf(context, target),
    type: ProtocolMessage.Type.MESSAGE_EDIT,
    editedMessage: editedContent(target.message, text),
    timestampMs: context.now(),
  }
  if (!encrypted) return { message: { protocolMessage }, type: 'text', edit: '1' }
  const inner = proto.Message.encode({ protocolMessage }).finish()
  const secretEncryptedMessage = {
    targetMessageKey: keyOf(context, target),
    ...sealed(context, target, 'Message Edit', inner),
    secretEncType: SecretEncryptedMessage.SecretEncType.MESSAGE_EDIT,
  }
  return { message: { secretEncryptedMessage }, type: 'text', edit: '1' }
}

/** A picture keeps its picture and gets a new caption. */
function editedContent(original: proto.IMessage, text: string): proto.IMessage {
  if (original.imageMessage) return { imageMessage: { ...original.imageMessage, caption: text } }
  if (original.videoMessage) return { videoMessage: { ...original.videoMessage, caption: text } }
  const document = original.documentMessage ?? original.documentWithCaptionMessage?.message?.documentMessage
  if (document) return { documentWithCaptionMessage: { message: { documentMessage: { ...document, caption: text } } } }
  return { conversation: text }
}

function composeVote({ message_id: id, options }: { message_id: string; options: string[] }, context: ComposeContext): Composed {
  const poll = known(context, id)
  const { message } = poll
  const creation = message.pollCreationMessageV3 ?? message.pollCreationMessageV2 ?? message.pollCreationMessage
  if (!creation) throw new ControlError('invalid_request', `message.poll_vote: ${id} is not a poll`)
  const offered = creation.options?.map((option) => option.optionName) ?? []
  const foreign = options.filter((option) => !offered.includes(option))
  if (foreign.length > 0)
    throw new ControlError('invalid_request', `message.poll_vote: the poll has no option ${foreign.join(', ')}`)
  const selectedOptions = options.map((option) => createHash('sha256').update(option).digest())
  const vote = proto.Message.PollVoteMessage.encode({ selectedOptions }).finish()
  const pollUpdateMessage = {
    pollCreationMessageKey: keyOf(context, poll),
    vote: sealed(context, poll, 'Poll Vote', vote),
    senderTimestampMs: context.now(),
  }
  return { message: { pollUpdateMessage }, type: 'poll', meta: { polltype: 'vote' } }
}

const RESPONSES = {
  going: EventResponseMessage.EventResponseType.GOING,
  not_going: EventResponseMessage.EventResponseType.NOT_GOING,
  maybe: EventResponseMessage.EventResponseType.MAYBE,
}

function composeEventResponse(input: v.InferOutput<typeof EventResponse>, context: ComposeContext): Composed {
  const event = known(context, input.message_id)
  if (!event.message.eventMessage)
    throw new ControlError('invalid_request', `message.event_response: ${event.id} is not an event`)
  const response = EventResponseMessage.encode({
    response: RESPONSES[input.response],
    timestampMs: context.now(),
    extraGuestCount: input.extra_guests,
  }).finish()
  const encEventResponseMessage = {
    eventCreationMessageKey: keyOf(context, event),
    ...sealed(context, event, 'Event Response', response),
  }
  return { message: { encEventResponseMessage }, type: 'event', meta: { event_type: 'response' } }
}

function sealed(context: ComposeContext, target: KnownMessage, purpose: SecretPurpose, plain: Uint8Array) {
  const secret = target.message.messageContextInfo?.messageSecret
  if (!secret?.length)
    throw new ControlError('invalid_request', `message: ${target.id} has no secret, nothing can be sealed about it`)
  return sealAbout({ secret, messageId: target.id, author: target.author, speaker: context.self }, purpose, plain)
}

/** Answers come in the form that belongs to the kind of buttons shown: native flow, template or the legacy one. */
function composeButton({ message_id: id, id: selected }: { message_id: string; id: string }, context: ComposeContext): Composed {
  const shown = known(context, id)
  const contextInfo = answering(context, shown)
  const { message } = shown
  if (message.templateMessage) {
    const buttons =
      message.templateMessage.hydratedTemplate?.hydratedButtons ??
      message.templateMessage.hydratedFourRowTemplate?.hydratedButtons
    const button = buttons?.find((each) => each.quickReplyButton?.id === selected)
    if (!button) throw noSuch('button', id, selected)
    const selectedDisplayText = button.quickReplyButton?.displayText ?? selected
    return content({
      templateButtonReplyMessage: { selectedId: selected, selectedDisplayText, selectedIndex: button.index ?? 0, contextInfo },
    })
  }
  if (message.buttonsMessage) {
    const button = message.buttonsMessage.buttons?.find((each) => each.buttonId === selected)
    if (!button) throw noSuch('button', id, selected)
    const selectedDisplayText = button.buttonText?.displayText ?? selected
    return content({ buttonsResponseMessage: { selectedButtonId: selected, selectedDisplayText, type: 1, contextInfo } })
  }
  const found = nativeButtons(message).find(({ params }) => params.id === selected)
  if (!found) throw noSuch('button', id, selected)
  const label = String(found.params.display_text ?? selected)
  const paramsJson = JSON.stringify({ id: selected, ...(found.card === undefined ? {} : { carousel_card_index: found.card }) })
  return content(flowResponse(found.name, label, paramsJson, contextInfo))
}

function composeListRow(
  { message_id: id, row_id: selected }: { message_id: string; row_id: string },
  context: ComposeContext,
): Composed {
  const shown = known(context, id)
  const contextInfo = answering(context, shown)
  const legacy = shown.message.listMessage
  if (legacy) {
    const row = legacy.sections?.flatMap((section) => section.rows ?? []).find((each) => each.rowId === selected)
    if (!row) throw noSuch('row', id, selected)
    const { title, description } = row
    return content({
      listResponseMessage: { title, description, listType: 1, singleSelectReply: { selectedRowId: selected }, contextInfo },
    })
  }
  for (const { name, params } of nativeButtons(shown.message)) {
    const row = rowsOf(params).find((each) => each.id === selected)
    if (!row) continue
    const paramsJson = JSON.stringify({ id: selected, title: row.title, description: row.description ?? '' })
    return content(flowResponse(name, String(row.title ?? selected), paramsJson, contextInfo))
  }
  throw noSuch('row', id, selected)
}

interface NativeButton {
  name: string
  params: Record<string, unknown>
  /** Position of its card in a carousel. */
  card?: number
}

function nativeButtons(message: proto.IMessage): NativeButton[] {
  const interactive = message.interactiveMessage ?? message.viewOnceMessage?.message?.interactiveMessage
  const single = buttonsOf(interactive?.nativeFlowMessage)
  const cards = interactive?.carouselMessage?.cards ?? []
  return [
    ...single,
    ...cards.flatMap((card, index) => buttonsOf(card.nativeFlowMessage).map((button) => ({ ...button, card: index }))),
  ]
}

function buttonsOf(flow: proto.Message.InteractiveMessage.INativeFlowMessage | null | undefined): NativeButton[] {
  return (flow?.buttons ?? []).map(({ name, buttonParamsJson }) => ({ name: name ?? '', params: objectFrom(buttonParamsJson) }))
}

/** What the sender wrote there; text that is no JSON object has no buttons to press. */
function objectFrom(json: string | null | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json ?? '{}')
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch (error) {
    throw new ControlError(
      'conflict',
      `the message's button parameters are not JSON: ${error instanceof Error ? error.message : error}`,
    )
  }
}

const Sections = v.array(v.object({ rows: v.array(v.record(v.string(), v.unknown())) }))

function rowsOf(params: Record<string, unknown>): Record<string, unknown>[] {
  return v.is(Sections, params.sections) ? params.sections.flatMap(({ rows }) => rows) : []
}

function flowResponse(name: string, label: string, paramsJson: string, contextInfo: proto.IContextInfo): proto.IMessage {
  return {
    interactiveResponseMessage: {
      body: { text: label },
      nativeFlowResponseMessage: { name, paramsJson, version: 3 },
      contextInfo,
    },
  }
}

function answering(context: ComposeContext, shown: KnownMessage): proto.IContextInfo {
  const { messageContextInfo, ...quotedMessage } = shown.message
  return { stanzaId: shown.id, participant: context.jid(shown.author), quotedMessage }
}

const content = (message: proto.IMessage): Composed => ({ message, type: 'text' })

const noSuch = (what: string, id: string, selected: string) =>
  new ControlError('invalid_request', `message: ${id} has no ${what} ${selected}`)
