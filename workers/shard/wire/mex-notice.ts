/**
 * Parses `<notification type="mex"><update op_name>JSON</update></notification>`, a notice of a GraphQL operation. The
 * JSON has `updates`, or the answer of the operation as `data`.
 */
import { type BinaryNode, getBinaryNodeChild } from '@whiskeysockets/baileys'
import { contentText } from './content.ts'
import { type Json, jsonObject, object, objects, textOf } from './json.ts'
import type { LidPair } from './lid-pairs.ts'
import { type ReachOutLock, reachOutLock } from './reach-out-lock.ts'

export interface MexUpdate {
  operation: string
  json: Json
}

export function mexUpdateIn(notice: BinaryNode): MexUpdate {
  const update = getBinaryNodeChild(notice, 'update') ?? getBinaryNodeChild(notice, 'mex')
  const json = jsonObject(contentText(update))
  return { operation: textOf(json.operation) ?? update?.attrs.op_name ?? '', json }
}

/** Parses `LidChangeNotification`; null if one of the two LIDs is missing. */
export function lidChangeIn({ data }: Json): { before: string; after: string } | null {
  const { old, new: lid } = object(object(data).xwa2_notify_lid_change)
  const [before, after] = [textOf(old), textOf(lid)]
  return before && after ? { before, after } : null
}

/** Parses `NotificationUserReachoutTimelockUpdate`; null if it contains no reach-out lock. */
export function reachOutLockIn({ data }: Json): ReachOutLock | null {
  const lock = object(object(data).xwa2_notify_account_reachout_timelock)
  return lock.is_active === undefined ? null : reachOutLock(lock)
}

/** Parses `NotificationLinkedProfilesUpdates`: numbers with their LIDs. */
export const linkedProfilesIn = ({ data, updates }: Json): LidPair[] =>
  [...objects(updates), object(object(data).xwa2_notify_linked_profiles)].flatMap(pairsOf)

function pairsOf({ jid, added_profiles: added }: Json): LidPair[] {
  const lid = textOf(jid)
  if (lid === null || !Array.isArray(added)) return []
  return added.flatMap((profile) => {
    const pn = textOf(profile) ?? textOf(object(profile).pn) ?? textOf(object(profile).jid)
    return pn === null ? [] : [{ lid, pn }]
  })
}

export interface RoleNotice {
  newsletter: string
  names: readonly string[]
}

/** Parses `NotificationNewsletterAdminPromote`, `…Demote`: the channel and the jids of the person. */
export const newsletterRolesIn = ({ data, updates }: Json): RoleNotice[] =>
  [...objects(updates), ...Object.values(object(data)).map(object)].flatMap((each) => {
    const newsletter = textOf(each.jid) ?? textOf(each.id)
    const { jid, id, pn } = object(each.user)
    const names = [each.user, jid, id, pn].map(textOf).flatMap((name) => name || [])
    return newsletter ? [{ newsletter, names }] : []
  })
