/**
 * Builds the data of a channel for answers. Each kind of answer has other fields, as captured from the real network.
 */
import type { Person } from '../model.ts'
import type { Newsletter } from '../newsletter-model.ts'
import { pictureId, picturePath } from '../pictures.ts'

export type ViewRole = 'OWNER' | 'ADMIN' | 'SUBSCRIBER' | 'GUEST'

export const roleOf = (newsletter: Newsletter, { number }: Person): ViewRole =>
  newsletter.subscribers.get(number)?.role ?? 'GUEST'

/**
 * Builds the picture of a channel. If there is none, the large picture is null, and the preview has the id 0 and no
 * path.
 */
function pictureOf({ picture }: Newsletter, type: 'IMAGE' | 'PREVIEW') {
  if (!picture) return type === 'IMAGE' ? null : { id: '0', type, direct_path: '' }
  const isElsewhere = picture.startsWith('http')
  return {
    id: pictureId(picture),
    type,
    direct_path: isElsewhere ? '' : picturePath(picture),
    ...(isElsewhere ? { url: picture } : {}),
  }
}

const textOf = (text: string, newsletter: Newsletter) => ({ id: '1', text, update_time: String(newsletter.createdAt) })

const always = (newsletter: Newsletter) => ({
  creation_time: String(newsletter.createdAt),
  description: textOf(newsletter.description, newsletter),
  handle: newsletter.handle ?? null,
  invite: newsletter.invite,
  name: textOf(newsletter.name, newsletter),
  verification: newsletter.isVerified ? 'VERIFIED' : 'UNVERIFIED',
})

const preview = (newsletter: Newsletter) => ({ preview: pictureOf(newsletter, 'PREVIEW') })
const picture = (newsletter: Newsletter) => ({ picture: pictureOf(newsletter, 'IMAGE') })
const count = ({ subscribers }: Newsletter) => ({ subscribers_count: String(subscribers.size) })
const settings = ({ reactionCodes = 'ALL' }: Newsletter) => ({ settings: { reaction_codes: { value: reactionCodes } } })

function viewerOf(newsletter: Newsletter, viewer: Person) {
  const own = newsletter.subscribers.get(viewer.number)
  return {
    role: roleOf(newsletter, viewer),
    settings: [
      { type: 'MUTE_FOLLOWER_ACTIVITY', value: own?.hidesFollowers ? 'ON' : 'OFF' },
      { type: 'MUTE_ADMIN_ACTIVITY', value: own?.isMuted ? 'ON' : 'OFF' },
    ],
  }
}

export const stateOf = ({ state = 'ACTIVE' }: Newsletter) => ({ type: state })

const whole = (newsletter: Newsletter, viewer: Person, metadata: object) => ({
  id: newsletter.id,
  state: stateOf(newsletter),
  thread_metadata: { ...always(newsletter), ...metadata },
  viewer_metadata: viewerOf(newsletter, viewer),
})

export const created = (one: Newsletter, viewer: Person) =>
  whole(one, viewer, { ...picture(one), ...preview(one), ...count(one) })

export interface Fetched {
  viewer: boolean
  fullImage: boolean
  more: Record<string, unknown>
}

/**
 * Builds the fields for paid subscriptions, stories and pinned posts if they were requested. Channels of this network
 * have none of these.
 */
const asked = (more: Fetched['more']) => ({
  metadata: {
    ...(more.fetch_wamo_sub === true ? { wamo_sub: { plan_id: null } } : {}),
    ...(more.fetch_pinned_messages === true ? { pinned_messages: [] } : {}),
  },
  whole: more.fetch_status_metadata === true ? { status_metadata: null } : {},
  viewer: more.fetch_wamo_sub === true ? { wamo_sub_status: 'INACTIVE' } : {},
})

/**
 * Builds the answer to a query for a channel. `viewer_metadata` is null if it was not requested, or if the viewer used
 * a link and does not follow the channel.
 */
export function fetched(one: Newsletter, viewer: Person, { viewer: hasViewer, fullImage, more }: Fetched) {
  const besides = asked(more)
  const metadata = { ...(fullImage ? picture(one) : {}), ...preview(one), ...settings(one), ...count(one), ...besides.metadata }
  return {
    ...whole(one, viewer, metadata),
    ...besides.whole,
    viewer_metadata: hasViewer ? { ...viewerOf(one, viewer), ...besides.viewer } : null,
  }
}

export function subscribed(one: Newsletter, viewer: Person, more: Fetched['more']) {
  const besides = asked(more)
  const shown = whole(one, viewer, { ...picture(one), ...preview(one), ...settings(one), ...besides.metadata })
  return { ...shown, ...besides.whole, viewer_metadata: { ...shown.viewer_metadata, ...besides.viewer } }
}

export function dehydrated(one: Newsletter, more: Fetched['more']) {
  const besides = asked(more)
  const { verification } = always(one)
  return {
    id: one.id,
    thread_metadata: { ...settings(one), ...count(one), verification, ...besides.metadata },
    ...(more.fetch_wamo_sub === true ? { viewer_metadata: besides.viewer } : {}),
  }
}

/** The answer for a JID to which no channel belongs. */
export const missing = { id: null, state: { type: 'NON_EXISTING' }, thread_metadata: null, viewer_metadata: null }

export const updated = (one: Newsletter) => ({
  id: one.id,
  state: stateOf(one),
  thread_metadata: { ...always(one), ...picture(one), ...preview(one), ...settings(one) },
})

/**
 * Builds the entry of a channel in the directory. Its field `picture` contains the preview, and it has no field
 * `preview`.
 */
export const listed = (one: Newsletter) => ({
  id: one.id,
  thread_metadata: { ...always(one), picture: pictureOf(one, 'PREVIEW'), ...count(one) },
})

export const recommended = (one: Newsletter, more: Fetched['more']) => ({
  id: one.id,
  state: stateOf(one),
  ...asked(more).whole,
  thread_metadata: { ...always(one), ...preview(one), ...count(one) },
})

export const similar = (one: Newsletter) => {
  const { name, verification } = always(one)
  return { id: one.id, state: stateOf(one), thread_metadata: { name, picture: pictureOf(one, 'PREVIEW'), verification } }
}
