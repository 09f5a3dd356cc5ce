/**
 * Translates answers to buttons and lists, for which clients send four formats, and filled-in forms (`flow_response`).
 */
import type { proto } from '@whiskeysockets/baileys'
import { count, cut, cutOrEmpty, cutOrNull } from '../../wire/bounds.ts'
import { type Json, jsonObjectOrNull, numberOf, passedOn, textOf } from '../../wire/json.ts'
import { buttonIds } from './buttons.ts'
import { type Content, contextInfo, unwrap } from './content.ts'
import { block, type Family, type Scene, type Translated } from './family.ts'
import { listRows } from './list.ts'

const pressed = (id: string | null | undefined, label: string | null | undefined, card: number | null): Translated =>
  block('buttons_response', { button_id: cutOrEmpty(id, 256), message: cutOrEmpty(label, 1_024), carousel_card_index: card })

const chosen = (
  id: string | null | undefined,
  title: string | null | undefined,
  description: string | null | undefined,
): Translated =>
  block('list_response', {
    selected_row_id: cutOrEmpty(id, 256),
    title: cutOrEmpty(title, 256),
    message: cutOrNull(description, 1_024),
  })

export const legacyButton: Family = ({ message }) => {
  const answer = message.buttonsResponseMessage
  return answer ? pressed(answer.selectedButtonId, answer.selectedDisplayText, null) : null
}

export const templateButton: Family = ({ message }) => {
  const answer = message.templateButtonReplyMessage
  return answer ? pressed(answer.selectedId, answer.selectedDisplayText, count(answer.selectedCarouselCardIndex)) : null
}

export const legacyRow: Family = ({ message }) => {
  const answer = message.listResponseMessage
  return answer ? chosen(answer.singleSelectReply?.selectedRowId, answer.title, answer.description) : null
}

/** Names of flows that are lists, and of those that are buttons. For any other flow, the answered message decides. */
const LIST_FLOWS = new Set(['single_select', 'menu_options'])
const BUTTON_FLOWS = new Set(['quick_reply', 'cta_url', 'cta_call', 'cta_copy'])

export const nativeAnswer: Family = async (content, scene) => {
  const answer = content.message.interactiveResponseMessage
  if (!answer) return null
  const flow = answer.nativeFlowResponseMessage
  const name = flow?.name ?? ''
  const filled = jsonObjectOrNull(flow?.paramsJson)
  const params = filled ?? {}
  const id = textOf(params.id)
  const label = answer.body?.text
  const offered = id === null ? {} : await messageAnswered(contextInfo(content), scene)
  const row = listRows(offered).find((each) => each.id === id)
  if (row || LIST_FLOWS.has(name))
    return chosen(id, textOf(params.title) ?? row?.title ?? label, textOf(params.description) ?? row?.description ?? null)
  const isButton = BUTTON_FLOWS.has(name) || (id !== null && (name === '' || buttonIds(offered).has(id)))
  if (isButton) return pressed(id, label || textOf(params.display_text), cardIndex(params))
  return block('flow_response', {
    name: cut(name, 128),
    message: cutOrNull(label, 1_024),
    params: filled && passedOn(filled),
  })
}

function cardIndex(params: Json): number | null {
  const index = numberOf(params.carousel_card_index)
  return index !== null && Number.isInteger(index) && index >= 0 ? index : null
}

async function messageAnswered(info: proto.IContextInfo | null, { context, key }: Scene): Promise<Content> {
  const asked = info?.quotedMessage ?? (info?.stanzaId ? (await context.original(info.stanzaId, key))?.message : null)
  return (asked && unwrap(asked)?.message) ?? {}
}
