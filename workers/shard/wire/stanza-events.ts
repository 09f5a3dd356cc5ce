/** Under which names the library emits a stanza on its socket: by its id, by its tag, by attributes and by its first child (Socket/socket.js). */
import type { BinaryNode } from '@whiskeysockets/baileys'

const PREFIX = 'CB:'
/** Of an answer. */
const ANSWER = 'TAG:'

export interface StanzaEvents {
  /** Somebody listens to this event. */
  listened(name: string): void
  /** Names that anybody may listen to, in the library's order. */
  of(node: BinaryNode): string[]
}

/** Most tags have listeners for the tag alone: the names with attributes, three each, are only made for others. */
export function createStanzaEvents(): StanzaEvents {
  /** Tags some of whose listeners want more. */
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
