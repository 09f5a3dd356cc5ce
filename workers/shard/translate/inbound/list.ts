import type { proto } from '@whiskeysockets/baileys'
import type { ReceivedRow, ReceivedSection } from '../../../../src/features/received/commerce.ts'
import { cutOrEmpty, cutOrNull } from '../../wire/bounds.ts'
import { type Json, jsonObject, objects, textOf } from '../../wire/json.ts'
import type { Content } from './content.ts'
import { block, type Family, type Translated } from './family.ts'

const MAX_SECTIONS = 10
const MAX_ROWS = 100

const row = (
  id: string | null | undefined,
  title: string | null | undefined,
  description: string | null | undefined,
): ReceivedRow => ({
  id: cutOrEmpty(id, 256),
  title: cutOrEmpty(title, 256),
  description: cutOrNull(description, 1_024),
})

const legacySections = (list: proto.Message.IListMessage): ReceivedSection[] =>
  (list.sections ?? []).slice(0, MAX_SECTIONS).map((section) => ({
    title: cutOrEmpty(section.title, 256),
    options: (section.rows ?? []).slice(0, MAX_ROWS).map(({ rowId, title, description }) => row(rowId, title, description)),
  }))

const flowSections = (params: Json): ReceivedSection[] =>
  objects(params.sections)
    .slice(0, MAX_SECTIONS)
    .map((section) => ({
      title: cutOrEmpty(textOf(section.title), 256),
      options: objects(section.rows)
        .slice(0, MAX_ROWS)
        .map((each) => row(textOf(each.id), textOf(each.title), textOf(each.description))),
    }))

export const legacyList: Family = ({ message }) => {
  const list = message.listMessage
  if (!list) return null
  return block('list', {
    message: cutOrEmpty(list.description, 4_096),
    title: cutOrNull(list.title, 256),
    footer: cutOrNull(list.footerText, 256),
    button_label: cutOrEmpty(list.buttonText, 60),
    sections: legacySections(list),
  })
}

const SELECT = 'single_select'

export function flowList({ header, body, footer, nativeFlowMessage }: proto.Message.IInteractiveMessage): Translated | null {
  const select = nativeFlowMessage?.buttons?.find(({ name }) => name === SELECT)
  if (!select) return null
  const params = jsonObject(select.buttonParamsJson)
  return block('list', {
    message: cutOrEmpty(body?.text, 4_096),
    title: cutOrNull(header?.title, 256),
    footer: cutOrNull(footer?.text, 256),
    button_label: cutOrEmpty(textOf(params.title), 60),
    sections: flowSections(params),
  })
}

export function listRows({ listMessage, interactiveMessage, templateMessage }: Content): ReceivedRow[] {
  const shown = interactiveMessage ?? templateMessage?.interactiveMessageTemplate
  const flows = (shown?.nativeFlowMessage?.buttons ?? []).filter(({ name }) => name === SELECT)
  const sections = [
    ...(listMessage ? legacySections(listMessage) : []),
    ...flows.flatMap(({ buttonParamsJson }) => flowSections(jsonObject(buttonParamsJson))),
  ]
  return sections.flatMap(({ options }) => options)
}
