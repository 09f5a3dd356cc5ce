/** Changes the labels of a business account. Each label has the fields that the phone wrote last. */
import { proto } from '@whiskeysockets/baileys'
import type { AppStateAction } from '../wire/app-state-actions.ts'
import type { LabelEntry } from './entries.ts'
import type { Table } from './table.ts'

/** Maximum number of labels that are kept. It includes deleted labels, because their ids must not be used again. */
export const MAX_LABELS = 500

export type LabelAction = proto.SyncActionValue.ILabelEditAction

const { SyncActionValue } = proto
const { ListType } = SyncActionValue.LabelEditAction

/**
 * Types of lists that the app creates by itself (such as favorites). App state has the same actions for them as for
 * labels.
 */
const LISTS = new Set<unknown>([ListType.UNREAD, ListType.GROUPS, ListType.FAVORITES, ListType.COMMUNITY])

export const actionOf = ({ action }: LabelEntry): LabelAction =>
  SyncActionValue.LabelEditAction.toObject(SyncActionValue.LabelEditAction.fromObject(action), { longs: Number })

export function isLabel(entry: LabelEntry): boolean {
  const { deleted, type } = actionOf(entry)
  return !deleted && !LISTS.has(type)
}

export function changeLabel(
  labels: Pick<Table<LabelEntry>, 'find' | 'add' | 'changed'>,
  { index: [kind, id], value }: AppStateAction,
): void {
  if (kind !== 'label_edit' || !id || !/^\d{1,10}$/.test(id) || !value?.labelEditAction) return
  const action = SyncActionValue.LabelEditAction.fromObject(value.labelEditAction).toJSON()
  const known = labels.find([id])
  if (known) {
    known.action = action
    labels.changed(known)
  } else labels.add({ id, action })
}
