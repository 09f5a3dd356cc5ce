/** Names and pictures of chats that a notification says have changed. */
import { type BinaryNode, getAllBinaryNodeChildren, getBinaryNodeChild } from '@whiskeysockets/baileys'
import { jsonObject, object, objects, textOf } from './json.ts'

export interface ChatChange {
  /** As the notification names it. */
  jid: string
  /** The new name, where there is one. */
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
        return settings ? [{ jid: from, name: contentOf(getBinaryNodeChild(settings, 'name')), hasNewPicture: true }] : []
      })
    case 'mex':
      return mexChanges(notice)
    default:
      return []
  }
}

const renamed = (jid: string, name: string | null): ChatChange[] => (name === null ? [] : [{ jid, name, hasNewPicture: false }])

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

/** `<notification type=mex>`: its operation and its JSON. */
export function mexUpdateIn(notice: BinaryNode): { operation: string; json: ReturnType<typeof jsonObject> } {
  const update = getBinaryNodeChild(notice, 'update') ?? getBinaryNodeChild(notice, 'mex')
  const json = jsonObject(contentOf(update) ?? '')
  return { operation: textOf(json.operation) ?? update?.attrs.op_name ?? '', json }
}

function contentOf(node: BinaryNode | undefined): string | null {
  const { content } = node ?? {}
  return content instanceof Uint8Array ? Buffer.from(content).toString('utf8') : typeof content === 'string' ? content : null
}
