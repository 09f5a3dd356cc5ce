/**
 * Decides whether the sender of a message may do what the message says: act on another message, or change a chat. A sender can write any id and any
 * author into a message. So the records of this service (`authorship.ts`, `group-roles.ts`) must prove that the sender may act, before the action is
 * reported as done. Without this proof the message is reported as `unsupported`, because its effect is unknown.
 *
 * Reactions, votes and answers need no permission, but the message that they are about must not be from another chat. Reactions to, and pins of, a
 * message that is not stored are accepted, because that message may be older than this device.
 */
import type { proto } from '@whiskeysockets/baileys'
import type { KnownMessage, Scene } from './family.ts'
import { chatNamesOf, namesOf } from './referenced.ts'
import { allNames } from './secret.ts'

export type Act = 'delete' | 'edit' | 'speakAbout' | 'pin' | 'setChat'

/** Facts about the sender of an action, and about the message to which the action refers. */
export interface Standing {
  /** Whether the sender is another device of the account, which acts as the account. */
  isAccount: boolean
  /** Where the message to which the action refers was written; `unknown` if it is not stored. */
  target: 'here' | 'elsewhere' | 'unknown'
  /** Whether the sender wrote that message, in this chat. */
  isAuthor: boolean
  /** Role of the sender in the chat. `side`: one of the two people in a 1:1 chat, or the owner of the channel or status. */
  role: 'side' | 'admin' | 'member' | 'unknown'
  /** True if only admins may change the group; null if unknown. */
  isLocked: boolean | null
}

type Rule = (standing: Standing) => boolean

/**
 * Rule for changes of a group. Members may make them unless the group is locked (only administrators may change it). They may also make them if it is
 * unknown whether the group is locked, because the offline backlog arrives before this is known.
 */
const mayChange: Rule = ({ isAccount, role, isLocked }) => isAccount || role === 'side' || role === 'admin' || isLocked !== true

export const RULES: Readonly<Record<Act, Rule>> = {
  delete: ({ isAccount, isAuthor, role, target }) => isAuthor || (target === 'here' && (isAccount || role === 'admin')),
  edit: ({ isAuthor }) => isAuthor,
  speakAbout: ({ target }) => target !== 'elsewhere',
  pin: (standing) => standing.target !== 'elsewhere' && mayChange(standing),
  setChat: mayChange,
}

type Key = proto.IMessageKey | null | undefined

/** Whether an action may be reported as done. `original`: the message to which it refers, if it is stored; it belongs to the same chat. */
export async function may(act: Act, scene: Scene, target?: Key, original?: KnownMessage | null): Promise<boolean> {
  return RULES[act](await standingOf(scene, target, original))
}

async function standingOf(scene: Scene, target: Key, original: KnownMessage | null | undefined): Promise<Standing> {
  const { context, key, kind, fromMe } = scene
  const sender = fromMe ? 'account' : await allNames(scene, namesOf(key))
  const claim = await claimOf()
  const roles = kind === 'group' ? await context.roles(key.remoteJid ?? '') : null
  const isAdmin = sender !== 'account' && roles?.admins.some((name) => sender.has(name)) === true
  return {
    isAccount: fromMe,
    target: claim.place,
    isAuthor: claim.place === 'here' && claim.isSpeakers,
    role: kind !== 'group' ? 'side' : isAdmin ? 'admin' : roles ? 'member' : 'unknown',
    isLocked: roles?.isLocked ?? null,
  }

  async function claimOf() {
    if (!target?.id) return { place: 'unknown' } as const
    // In a channel, an edited post arrives with the id of the post itself, and there is only one author.
    if (kind === 'newsletter' && target.id === key.id) return { place: 'here', isSpeakers: true } as const
    const chat = kind === 'broadcast' ? namesOf(key) : chatNamesOf(key)
    const claim = await context.claim(target.id, await allNames(scene, chat), sender)
    if (claim.place !== 'unknown' || !original) return claim
    return { place: 'here', isSpeakers: await isBy(original, scene, sender) } as const
  }
}

async function isBy({ key }: KnownMessage, scene: Scene, sender: 'account' | ReadonlySet<string>): Promise<boolean> {
  if (sender === 'account' || key.fromMe) return sender === 'account' && key.fromMe === true
  const authors = await allNames(scene, namesOf(key))
  return [...authors].some((name) => sender.has(name))
}
