/**
 * Decides whether the sender of a message may make the change that the message describes. A sender can write any id and
 * any author, so only the records of this service decide.
 */
import type { proto } from '@whiskeysockets/baileys'
import type { KnownMessage, Scene } from './family.ts'
import { chatNamesOf, namesOf } from './referenced.ts'
import { allNames } from './secret.ts'

export type Act = 'delete' | 'edit' | 'speakAbout' | 'pin' | 'setChat'

export interface Standing {
  isAccount: boolean
  /** Whether the referenced message was written in this chat or elsewhere; `unknown` if it is not stored. */
  target: 'here' | 'elsewhere' | 'unknown'
  isAuthor: boolean
  /**
   * Role of the sender in the chat. `side`: one of the two people in a 1:1 chat, or the owner of the channel or status.
   */
  role: 'side' | 'admin' | 'member' | 'unknown'
  /** True if only admins may change the group; null if unknown. */
  isLocked: boolean | null
}

type Rule = (standing: Standing) => boolean

/**
 * Whether the sender may change the group. If it is unknown whether only administrators may change it, members may
 * change it, too: the offline backlog arrives before this is known.
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
    // In a channel, an edited post has the id of the post itself, and the channel counts as the author.
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
