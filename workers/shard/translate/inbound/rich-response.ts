/**
 * Translates an answer of a bot with several parts to its joined texts. Pictures, maps and videos are left out, because
 * the answer has only links to them.
 */
import type { proto } from '@whiskeysockets/baileys'
import { cut } from '../../wire/bounds.ts'
import { block, type Family } from './family.ts'

const MAX_TEXT = 65_536

export const richResponse: Family = ({ message }) => {
  const parts = (message.richResponseMessage?.submessages ?? []).map(textOf).filter((part) => part !== '')
  if (parts.length === 0) return null
  return block('text', { message: cut(parts.join('\n\n'), MAX_TEXT), title: null, description: null, url: null })
}

function textOf({
  messageText,
  codeMetadata: code,
  tableMetadata: table,
  latexMetadata: formula,
  imageMetadata: image,
}: proto.IAIRichResponseSubMessage): string {
  if (messageText) return messageText
  if (code) return (code.codeBlocks ?? []).map(({ codeContent }) => codeContent ?? '').join('')
  if (table) return [...(table.title ? [table.title] : []), ...(table.rows ?? []).map(rowOf)].join('\n')
  return formula?.text || image?.imageText || ''
}

const rowOf = ({ items }: proto.AIRichResponseTableMetadata.IAIRichResponseTableRow) => (items ?? []).join(' | ')
