import type { proto } from '@whiskeysockets/baileys/WAProto/index.js'
import * as v from 'valibot'
import { ControlError } from '../control/control-error.ts'
import { type ComposeContext, type Form, form, type KnownMessage, known } from './compose-form.ts'
import type { Composed } from './composed.ts'

const message_id = v.pipe(v.string(), v.minLength(1))

export const ANSWER_FORMS: Record<string, Form> = {
  button: form('message.button', v.object({ message_id, id: v.string() }), composeButton),
  list_row: form('message.list_row', v.object({ message_id, row_id: v.string() }), composeListRow),
}

/** Composes the answer to a button. Its format depends on the kind of buttons: native flow, template or legacy. */
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
  /** Position of the card with the button in the carousel. */
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

/**
 * Parses the parameters of a button. Returns an empty object if the JSON is no object. Throws a `ControlError` if the
 * text is not JSON.
 */
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
