/**
 * Lists the event names under which the library emits a stanza on its socket. They are built from its id, its tag, its attributes and its first child
 * (Socket/socket.js).
 */
import type { BinaryNode } from '@whiskeysockets/baileys'

const PREFIX = 'CB:'
/** Prefix of the event of an answer. */
const ANSWER = 'TAG:'

export interface StanzaEvents {
  /** Records that a listener for this event was added. */
  listened(name: string): void
  /** Returns the event names that may have listeners, in the library's order. */
  of(node: BinaryNode): string[]
}

/**
 * Creates the lists. Most tags have listeners only for the tag itself. The names with attributes, three per attribute, are created only for the other
 * tags.
 */
export function createStanzaEvents(): StanzaEvents {
  /** Tags with listeners for more specific names. */
  const particular = new Set<string>()
  return {
    listened(name) {
      const end = name.indexOf(',')
      if (end > 0 && name.startsWith(PREFIX)) particular.add(name.slice(PREFIX.length, end))
    },
    of(node) {
      const { tag, attrs } = node
      return [ANSWER + attrs.id, ...(particular.has(tag) ? particularsOf(node) : []), PREFIX + tag]
    },
  }
}

function particularsOf({ tag, attrs, content }: BinaryNode): string[] {
  const child = Array.isArray(content) ? content[0]?.tag : ''
  const names = Object.keys(attrs).flatMap((name) => {
    const named = `${PREFIX}${tag},${name}`
    return [`${named}:${attrs[name]},${child}`, `${named}:${attrs[name]}`, named]
  })
  return [...names, `${PREFIX}${tag},,${child}`]
}
