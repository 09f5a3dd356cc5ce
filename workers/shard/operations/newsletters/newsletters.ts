import { Failure } from '../../../../src/domain/failures.ts'
import { type NewsletterIdentifier, toJid } from '../../../../src/domain/ids.ts'
import { networkCodeOf } from '../../connection/failures.ts'
import { portrait } from '../../media/portrait.ts'
import type { Json } from '../../wire/json.ts'
import { mexAnswer, mexQuery, muteOfBefore } from '../../wire/mex.ts'
import { newsletterIn, postsIn, postsQuery, TERMS } from '../../wire/newsletters.ts'
import type { ActionContext, Handlers } from '../types.ts'
import { acceptTerms, asFollower, present, readNewsletter, shownBy } from './following.ts'
import { newsletterObject } from './newsletter-object.ts'
import { readPost } from './post-object.ts'

const DONE = { value: true } as const

const BAD_REQUEST = 400

export const newsletters: Handlers<typeof import('../../../../src/features/newsletters/newsletters.ts')> = {
  async 'newsletters.create'(context, { name, description = '', picture }) {
    const jpeg = picture && (await portrait(context, picture))
    await acceptTerms(context, TERMS.create)
    const input = { name, description, ...(jpeg ? { picture: base64(jpeg) } : {}) }
    const made = newsletterIn(await context.ask.mex('CreateNewsletter', { input }))
    if (made === null) throw new Failure('action_failed')
    context.session.newsletterRoles.learn(made)
    return newsletterObject(made, context.pictureHost)
  },

  async 'newsletters.metadata'(context, { newsletter_id }) {
    return newsletterObject(await readNewsletter(context, toJid(newsletter_id)), context.pictureHost)
  },

  async 'newsletters.messages'({ ask, messages }, { newsletter_id, limit, cursor }) {
    const jid = toJid(newsletter_id)
    const posts = postsIn(await shownBy(ask(postsQuery(jid, limit, cursor))))
      .sort((one, other) => Number(other.serverId) - Number(one.serverId))
      .slice(0, limit)
    const last = posts.at(-1)
    const read = posts.flatMap((post) => readPost(jid, post) ?? [])
    // The posts are stored, oldest first, so that the caller can react to them.
    for (const { message } of read.toReversed()) if (message) messages.add(message)
    return {
      data: read.map(({ shown }) => shown),
      next_cursor: last !== undefined && posts.length === limit ? last.serverId : null,
    }
  },

  async 'newsletters.follow'(context, { newsletter_id }) {
    await acceptTerms(context, TERMS.follow)
    const jid = toJid(newsletter_id)
    exists(await context.ask.mex('JoinNewsletter', { newsletter_id: jid }))
    context.session.newsletterRoles.forget(jid)
    return DONE
  },

  async 'newsletters.unfollow'(context, { newsletter_id }) {
    await asFollower(context, newsletter_id, async (jid) => {
      exists(await context.ask.mex('LeaveNewsletter', { newsletter_id: jid }))
      context.session.newsletterRoles.forget(jid)
    })
    return DONE
  },

  'newsletters.mute': (context, { newsletter_id }) => setMuted(context, newsletter_id, true),
  'newsletters.unmute': (context, { newsletter_id }) => setMuted(context, newsletter_id, false),

  'newsletters.updateName': (context, { newsletter_id, value }) => update(context, newsletter_id, [{ name: value }]),
  'newsletters.updateDescription': (context, { newsletter_id, value }) =>
    update(context, newsletter_id, [{ description: value }]),

  async 'newsletters.updatePicture'(context, { newsletter_id, value }) {
    return update(context, newsletter_id, [{ picture: base64(await portrait(context, value)) }])
  },

  // Baileys' query is tried first, then that of the library zapo.
  'newsletters.removePicture': (context, { newsletter_id }) =>
    update(context, newsletter_id, [{ picture: '' }, { picture: null }]),

  async 'newsletters.updateSettings'(context, { newsletter_id, reaction_codes }) {
    const codes = { reaction_codes: { value: reaction_codes.toUpperCase() } }
    // The network may ignore an unknown field, so its answer is checked for the new state.
    return update(context, newsletter_id, [{ settings: codes }, codes], (answer) => {
      const { reactionCodes } = present(answer)
      return reactionCodes === null || reactionCodes === reaction_codes
    })
  },

  async 'newsletters.delete'(context, { newsletter_id }) {
    await asFollower(context, newsletter_id, async (jid) => {
      const answer = await context.ask.mex('DeleteNewsletter', { newsletter_id: jid })
      if (newsletterIn(answer) === null) throw new Failure('newsletter_not_found')
    })
    return DONE
  },
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')

const GONE = new Set(['deleted', 'non_existing'])

function exists(answer: unknown): void {
  if (GONE.has(present(answer).state ?? '')) throw new Failure('newsletter_not_found')
}

const update = (
  context: ActionContext,
  newsletter: NewsletterIdentifier,
  ways: readonly Json[],
  isDone: (answer: unknown) => boolean = (answer) => newsletterIn(answer) !== null,
) =>
  asFollower(context, newsletter, async (jid) => {
    for (const [index, updates] of ways.entries()) {
      const isLast = index === ways.length - 1
      try {
        if (isDone(await context.ask.mex('UpdateNewsletter', { newsletter_id: jid, updates }))) return DONE
      } catch (error) {
        if (isLast || networkCodeOf(error) !== BAD_REQUEST) throw error
      }
    }
    throw new Failure('action_failed')
  })

/** Mutes or unmutes a channel. If the network refuses the current query, the query of older web clients is sent. */
const setMuted = (context: ActionContext, newsletter: NewsletterIdentifier, isMuted: boolean) =>
  asFollower(context, newsletter, async (jid) => {
    const { ask } = context
    const input = { newsletter_id: jid, type: 'MUTE_ADMIN_ACTIVITY', value: isMuted ? 'ON' : 'OFF' }
    try {
      exists(await ask.mex('UpdateNewsletterUserSetting', { input }))
    } catch (error) {
      if (networkCodeOf(error) !== BAD_REQUEST) throw error
      const form = muteOfBefore({ input })
      if (mexAnswer(await ask(mexQuery(form)), form.field).kind !== 'data') throw error
    }
    return DONE
  })
