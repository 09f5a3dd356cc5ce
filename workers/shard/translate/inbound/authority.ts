/**
 * Who may do what to a message or a chat. Ids, and whose message it is, are what the speaker claims; what is told as done must be proven by
 * what this service saw itself (`authorship.ts`, `group-roles.ts`). What cannot be proven is told as `unsupported`: it is a message that
 * came, and nothing is known to have happened.
 *
 * Nobody needs a right to speak about a message in its own chat (reactions, votes, answers); but one of another chat is not it. A message
 * nobody remembers can be spoken about and pinned: it may be older than this device.
 */
import type { proto } from '@whiskeysockets/baileys'
import type { KnownMessage, Scene } from './family.ts'
import { chatNamesOf, namesOf } from './referenced.ts'
import { allNames } from './secret.ts'

export type Act = 'delete' | 'edit' | 'speakAbout' | 'pin' | 'setChat'

/** What is known of a speaker and what they speak about. */
export interface Standing {
  /** The account's own devices; their word is the account's. */
  isAccount: boolean
  /** Where the message they speak about is from; `unknown`: nobody remembers. */
  target: 'here' | 'elsewhere' | 'unknown'
  /** They wrote it, in this chat. */
  isAuthor: boolean
  /** What they are in the chat. `side`: one of the two of a private chat, or the one whose channel or status it is. */
  role: 'side' | 'admin' | 'member' | 'unknown'
  /** Whether the members of the group may change it, too; null: not known. */
  isLocked: boolean | null
}

type Rule = (standing: Standing) => boolean

/** Groups are open to their members unless they are locked, and what waited for us comes before anybody can say which it is. */
const mayChange: Rule = ({ isAccount, role, isLocked }) => isAccount || role === 'side' || role === 'admin' || isLocked !== true

export const RULES: Readonly<Record<Act, Rule>> = {
  delete: ({ isAccount, isAuthor, role, target }) => isAuthor || (target === 'here' && (isAccount || role === 'admin')),
  edit: ({ isAuthor }) => isAuthor,
  speakAbout: ({ target }) => target !== 'elsewhere',
  pin: (standing) => standing.target !== 'elsewhere' && mayChange(standing),
  setChat: mayChange,
}

type Key = proto.IMessageKey | null | undefined

/** Whether what is said may be told as done. `original`: the message itself, where it is remembered; it is of this chat. */
export async function may(act: Act, scene: Scene, target?: Key, original?: KnownMessage | null): Promise<boolean> {
  return RULES[act](await standingOf(scene, target, original))
}

async function standingOf(scene: Scene, target: Key, original: KnownMessage | null | undefined): Promise<Standing> {
  const { context, key, kind, fromMe } = scene
  const speaker = fromMe ? 'account' : await allNames(scene, namesOf(key))
  const claim = await claimOf()
  const roles = kind === 'group' ? await context.roles(key.remoteJid ?? '') : null
  const isAdmin = speaker !== 'account' && roles?.admins.some((name) => speaker.has(name)) === true
  return {
    isAccount: fromMe,
    target: claim.place,
    isAuthor: claim.place === 'here' && claim.isSpeakers,
    role: kind !== 'group' ? 'side' : isAdmin ? 'admin' : roles ? 'member' : 'unknown',
    isLocked: roles?.isLocked ?? null,
  }

  async function claimOf() {
    if (!target?.id) return { place: 'unknown' } as const
    // An edited post comes under its own id, and a channel speaks with one voice.
    if (kind === 'newsletter' && target.id === key.id) return { place: 'here', isSpeakers: true } as const
    const chat = kind === 'broadcast' ? namesOf(key) : chatNamesOf(key)
    const claim = await context.claim(target.id, await allNames(scene, chat), speaker)
    if (claim.place !== 'unknown' || !original) return claim
    return { place: 'here', isSpeakers: await isBy(original, scene, speaker) } as const
  }
}

async function isBy({ key }: KnownMessage, scene: Scene, speaker: 'account' | ReadonlySet<string>): Promise<boolean> {
  if (speaker === 'account' || key.fromMe) return speaker === 'account' && key.fromMe === true
  const authors = await allNames(scene, namesOf(key))
  return [...authors].some((name) => speaker.has(name))
}
