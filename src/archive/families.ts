/**
 * Groups the records of an instance into families, and states which of them an archive contains. Records keep their
 * keys and encrypted bytes, because an archive also contains the key that encrypts them.
 */

import type { ArchiveKind } from '../domain/archive.ts'

interface Family {
  in: readonly ArchiveKind[]
  /**
   * True for messages and events that must be sent or reported only once. The command `instance export` removes these
   * records at the source of a move.
   */
  once?: true
}

const ALWAYS: Family = { in: ['move', 'backup'] }
const MOVED: Family = { in: ['move'] }
/** Messages and events that a restored backup would send or report a second time. */
const ONCE: Family = { in: ['move'], once: true }
const NEVER: Family = { in: [] }

/**
 * Families by the first part of the record key after the id of the instance. Signal keys have a family for each type.
 */
export const FAMILIES: Readonly<Record<string, Family>> = {
  creds: ALWAYS,
  // The runtime state describes the source. At the target the instance starts like an imported device.
  runtime: NEVER,
  'status-history': MOVED,
  'told-budgets': MOVED,
  'moved-to': NEVER,
  // The charts of a service show what the instance did on that service.
  activity: NEVER,

  'key:pre-key': ALWAYS,
  'key:identity-key': ALWAYS,
  'key:app-state-sync-key': ALWAYS,
  'key:app-state-sync-version': ALWAYS,
  'key:lid-mapping': ALWAYS,
  'key:device-list': ALWAYS,
  'key:tctoken': ALWAYS,
  // A backup does not contain these keys, because the device continues to use them. Recipients silently drop messages
  // that are encrypted with keys that were used before.
  'key:session': MOVED,
  'key:sender-key': MOVED,
  'key:sender-key-memory': MOVED,

  queue: ONCE,
  'queue-in-flight': ONCE,
  'queue-held-times': ONCE,
  outbox: ONCE,
  parked: ONCE,
  due: ONCE,
  journal: ONCE,
  waiting: ONCE,
  'dead-letter': ONCE,
  acknowledged: MOVED,
  sent: MOVED,
  'sent-post': MOVED,

  'kept-event': MOVED,
  'event-interest': MOVED,
  // The links to copies of media belong to the source server.
  'media-copy': NEVER,
  log: MOVED,
  'log-ended': MOVED,
  timeline: MOVED,
  'receipt-level': MOVED,
  call: MOVED,

  seen: ALWAYS,
  'mark-generation': ALWAYS,
  momment: ALWAYS,
  'momment-floor': ALWAYS,
  'message-secret': ALWAYS,
  author: ALWAYS,
  'group-roles': ALWAYS,
  group: ALWAYS,
  'group-list': ALWAYS,
  'call-answer': ALWAYS,
  'saved-contact': ALWAYS,
  directory: ALWAYS,
  'directory-begun': ALWAYS,
  'open-change': ALWAYS,
  disappearing: ALWAYS,
  correspondent: ALWAYS,
}

export function familyOf(name: string): string {
  const [first = '', second = ''] = name.split(':')
  return first === 'key' ? `key:${second}` : first
}

/**
 * Whether an archive of this kind contains the record. A record of an unknown family is only archived with a move:
 * leaving it out could lose something, and restoring it from a backup could repeat something.
 */
export const isArchived = (name: string, kind: ArchiveKind): boolean => (FAMILIES[familyOf(name)] ?? MOVED).in.includes(kind)

export const happensOnce = (name: string): boolean => FAMILIES[familyOf(name)]?.once === true
