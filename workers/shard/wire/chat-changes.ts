/** Finds the chats whose name or picture has changed according to a notification. */
import { type BinaryNode, getAllBinaryNodeChildren, getBinaryNodeChild } from '@whiskeysockets/baileys'
import { contentText } from './content.ts'
import { object, objects, textOf } from './json.ts'
import { mexUpdateIn } from './mex-notice.ts'

export interface ChatChange {
  jid: string
  name: string | null
  hasNewPicture: boolean
}

export function chatChangesIn(notice: BinaryNode): ChatChange[] {
  const { type, from = '' } = notice.attrs
  const children = getAllBinaryNodeChildren(notice)
  switch (type) {
    case 'w:gp2':
      return children.flatMap((child) => renamed(from, subjectIn(child)))
    case 'picture':
      return children.some(({ tag }) => tag === 'set' || tag === 'delete') ? [{ jid: from, name: null, hasNewPicture: true }] : []
    case 'newsletter':
      return children.flatMap((child) => {
        const settings = child.tag === 'update' ? getBinaryNodeChild(child, 'settings') : undefined
        return settings ? [{ jid: from, name: contentText(getBinaryNodeChild(settings, 'name')), hasNewPicture: true }] : []
      })
    case 'mex':
      return mexChanges(notice)
    default:
      return []
  }
}

const renamed = (jid: string, name: string | null): ChatChange[] => (name === null ? [] : [{ jid, name, hasNewPicture: false }])

/**
 * Returns the duration of disappearing messages in seconds; 0 if they were switched off, null if the notification
 * contains no valid duration.
 */
export function groupExpiryIn(notice: BinaryNode): number | null {
  if (getBinaryNodeChild(notice, 'not_ephemeral')) return 0
  const seconds = Number(getBinaryNodeChild(notice, 'ephemeral')?.attrs.expiration)
  return Number.isSafeInteger(seconds) && seconds >= 0 ? seconds : null
}

export const isNewGroup = (notice: BinaryNode): boolean => getBinaryNodeChild(notice, 'create') !== undefined

function subjectIn(child: BinaryNode): string | null {
  if (child.tag === 'subject') return child.attrs.subject ?? null
  return child.tag === 'create' ? (getBinaryNodeChild(child, 'group')?.attrs.subject ?? null) : null
}

const OPERATION = 'NotificationNewsletterUpdate'

function mexChanges(notice: BinaryNode): ChatChange[] {
  const { operation, json } = mexUpdateIn(notice)
  if (operation !== OPERATION) return []
  return objects(json.updates).flatMap(({ jid, settings }) => {
    const newsletter = textOf(jid)
    if (!newsletter || Object.keys(object(settings)).length === 0) return []
    return [{ jid: newsletter, name: textOf(object(settings).name), hasNewPicture: true }]
  })
}
