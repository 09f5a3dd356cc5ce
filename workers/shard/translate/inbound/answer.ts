/** `buttons_response`, `list_response`: the button or row a person pressed, in the four forms that clients send. */
import type { proto } from '@whiskeysockets/baileys'
import { count, cutOrEmpty, cutOrNull } from '../../wire/bounds.ts'
import { type Json, jsonObject, numberOf, textOf } from '../../wire/json.ts'
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

/** Names a native flow gives to the answer of a list; the name alone decides for these, the message answered for others. */
const LIST_FLOWS = new Set(['single_select', 'menu_options'])

export const nativeAnswer: Family = async (content, scene) => {
  const answer = content.message.interactiveResponseMessage
  if (!answer) return null
  const flow = answer.nativeFlowResponseMessage
  const params = jsonObject(flow?.paramsJson)
  const id = textOf(params.id)
  const label = answer.body?.text
  const row = id === null ? undefined : (await rowsAsked(contextInfo(content), scene)).find((each) => each.id === id)
  if (row || LIST_FLOWS.has(flow?.name ?? '')) {
    return chosen(id, textOf(params.title) ?? row?.title ?? label, textOf(params.description) ?? row?.description ?? null)
  }
  return pressed(id, label || textOf(params.display_text), cardIndex(params))
}

function cardIndex(params: Json): number | null {
  const index = numberOf(params.carousel_card_index)
  return index !== null && Number.isInteger(index) && index >= 0 ? index : null
}

/** Rows of the list that was answered, from the quote or from memory. */
async function rowsAsked(info: proto.IContextInfo | null, { context, key }: Scene) {
  const quoted = info?.quotedMessage ?? (info?.stanzaId ? (await context.original(info.stanzaId, key))?.message : null)
  const inner: Content = (quoted && unwrap(quoted)?.message) ?? {}
  return listRows(inner)
}
